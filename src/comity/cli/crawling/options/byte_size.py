"""The type of options that take a number of bytes."""

import re

import click

_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}

_SIZE = re.compile(r"(?P<number>[0-9]{1,15}(?:\.[0-9]{1,9})?)(?P<unit>[KMGT]?)(?:i?B)?", re.IGNORECASE)


class ByteSize(click.ParamType[int]):
    """A number of bytes, such as 500M or 1G; the units are powers of 1,024."""

    name = "size"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Return the number; raises `click.BadParameter` for an invalid one, and for less than a byte.

        >>> ByteSize().convert("1.5K", None, None)
        1536
        """
        if isinstance(value, int):
            return value
        found = _SIZE.fullmatch(str(value).strip())
        size = int(float(found["number"]) * _UNITS[found["unit"].upper()]) if found else 0
        if size < 1:
            expected = "expected a byte or more, such as 500M or 1G"
            self.fail(f"invalid size {str(value)[:100]!r}: {expected}", param, ctx)
        return size
