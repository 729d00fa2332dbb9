"""Builds the compiled engine where there is a C compiler; everything else is in pyproject.toml."""

from Cython.Build import cythonize
from setuptools import Extension, setup

NAME = "comity.protocol.robotstxt._compiled"

extensions = cythonize(
    [Extension(NAME, ["src/comity/protocol/robotstxt/_compiled.py"])], build_dir="build", language_level=3
)
for extension in extensions:
    # Without a compiler the install succeeds, and the reference engine serves.
    extension.optional = True

setup(ext_modules=extensions)
