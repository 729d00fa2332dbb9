"""The fuzz target: compare both engines on each input of Atheris."""

import sys

import atheris

with atheris.instrument_imports(include=["comity"]):
    import comity

from agree import hold
from case import decode

__all__: list[str] = []


def one(data: bytes) -> None:
    """Check one input."""
    hold(decode(data))


if __name__ == "__main__":
    if comity.engine != "compiled":
        sys.exit("the compiled engine was not built")
    atheris.Setup(sys.argv, one)
    atheris.Fuzz()
