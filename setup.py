"""Builds the compiled engine where there is a C compiler; everything else is in pyproject.toml.

Without a compiler, with `COMITY_PURE=1`, or for another Python than CPython, the build succeeds with the
reference engine. The wheel has the tag `py3-none-any`. A wheel with the compiled engine has the tag of its
Python and its platform.
"""

import logging
import os
import re
import sys
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.command.build_ext import build_ext
from setuptools.errors import BaseError, CCompilerError

ENGINE = "comity.protocol.robotstxt.engine._compiled"

#: Methods that do not count references, so that threads do not wait for each other, and their signatures.
DIRECTIVES = {
    "language_level": 3,
    "freethreading_compatible": True,
    "binding": False,
    "embedsignature": True,
    "embedsignature.format": "clinic",
}


class BuildEngine(build_ext):
    """Builds the compiled engine, or continues without it."""

    def build_extensions(self) -> None:
        """Translate the engine to C and compile it. If the C compiler fails, continue without the engine."""
        from Cython.Build import cythonize

        (engine,) = self.extensions
        (translated,) = cythonize(engine, build_dir="build", compiler_directives=DIRECTIVES)
        engine.sources = translated.sources
        library = Path(self.get_ext_fullpath(engine.name))
        try:
            super().build_extensions()
        except (BaseError, CCompilerError) as error:
            logging.warning("the compiled engine is left out, because the C compiler failed: %s", error)
            library.unlink(missing_ok=True)
            self.extensions = self.distribution.ext_modules = []


class BuildWheel(bdist_wheel):
    """Chooses the tag of the wheel when it is known whether the engine could be compiled."""

    def run(self) -> None:
        """Compile first, then create the wheel."""
        if not self.skip_build:
            self.run_command("build_ext")
        self.root_is_pure = not self.distribution.has_ext_modules()
        super().run()


def extensions() -> list[Extension]:
    """Return the modules to compile."""
    if os.environ.get("COMITY_PURE") == "1" or sys.implementation.name != "cpython":
        return []  # the engine sets the slots of objects, which other interpreters lay out differently
    return [Extension(ENGINE, [f"src/{ENGINE.replace('.', '/')}.py"])]


def package_page() -> str:
    """Return the README for a package page. Relative links lead nowhere there: they become names of files."""
    readme = Path("README.md").read_text(encoding="utf-8")
    return re.sub(r"\[([^][]+)\]\((?![a-z]+:|#)([^)\s]+)\)", _named_file, readme)


def _named_file(link: re.Match[str]) -> str:
    text, path = link.groups()
    return f"`{path}`" if text == path else f"{text} (`{path}`)"


setup(
    cmdclass={"build_ext": BuildEngine, "bdist_wheel": BuildWheel},
    ext_modules=extensions(),
    long_description=package_page(),
    long_description_content_type="text/markdown",
)
