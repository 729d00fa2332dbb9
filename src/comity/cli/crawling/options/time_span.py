"""The type of options that take a time."""

import re

import click

_UNITS = {"": 1, "s": 1, "m": 60, "h": 3600, "d": 86_400}

_SPAN = re.compile(r"(?P<number>[0-9]{1,9}(?:\.[0-9]{1,9})?)(?P<unit>[smhd]?)", re.IGNORECASE)


class TimeSpan(click.ParamType[float]):
    """A time in seconds, such as 90, 30m or 2h."""

    name = "time"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Return the seconds; raises `click.BadParameter` for an invalid time, and for zero.

        >>> TimeSpan().convert("1.5m", None, None)
        90.0
        """
        if isinstance(value, float):
            return value
        found = _SPAN.fullmatch(str(value).strip())
        seconds = float(found["number"]) * _UNITS[found["unit"].lower()] if found else 0.0
        if seconds <= 0:
            expected = "expected more than 0 seconds, such as 90, 30m or 2h"
            self.fail(f"invalid time {str(value)[:100]!r}: {expected}", param, ctx)
        return seconds
