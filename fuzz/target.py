"""The fuzz targets: `answers` compares both engines on each input, `calls` runs it as a program."""

import sys

import atheris

with atheris.instrument_imports(include=["comity"]):
    import comity

from replay import CHECKS

__all__: list[str] = []


if __name__ == "__main__":
    if comity.engine != "compiled":
        sys.exit("the compiled engine was not built")
    check = CHECKS[sys.argv.pop(1)]
    atheris.Setup(sys.argv, check)
    atheris.Fuzz()
