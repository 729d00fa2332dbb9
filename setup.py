"""Builds the compiled engine where there is a C compiler; everything else is in pyproject.toml."""

from Cython.Build import cythonize
from setuptools import Extension, setup

FOLDER = "src/comity/protocol/robotstxt/engine"
MODULES = ("_compiled", "_compiled_reading")

extensions = cythonize(
    [Extension(f"comity.protocol.robotstxt.engine.{name}", [f"{FOLDER}/{name}.py"]) for name in MODULES],
    build_dir="build",
    language_level=3,
)
for extension in extensions:
    # Without a compiler the install succeeds, and the reference engine serves.
    extension.optional = True

setup(ext_modules=extensions)
