"""The times of sitemaps, in the W3C format (https://www.w3.org/TR/NOTE-datetime)."""

import re
from datetime import UTC, datetime, timedelta

#: Year, then month, then day, then hours and minutes with seconds and a time zone.
_TIME = re.compile(
    r"(\d{4})(?:-(\d\d)(?:-(\d\d)(?:T(\d\d):(\d\d)(?::(\d\d)(?:\.\d{1,20})?)?(Z|[+-]\d\d:?\d\d)?)?)?)?",
    re.ASCII | re.IGNORECASE,
)


def end_of_time(text: str) -> float | None:
    """Return the end of a time of a sitemap in seconds since 1970; `None` if it is not valid.

    A time without hours is a day, a month or a year. The page may have changed at its end.

    >>> end_of_time("1970-01-01T00:01:00+00:00"), end_of_time("1970-01-01"), end_of_time("soon")
    (60.0, 86400.0, None)
    """
    found = _TIME.fullmatch(text.strip())
    if found is None:
        return None
    year, month, day, hour, minute, second, zone = found.groups()
    try:
        start = datetime(
            int(year),
            int(month or 1),
            int(day or 1),
            int(hour or 0),
            int(minute or 0),
            int(second or 0),
            tzinfo=UTC,
        )
        if hour is None:
            days = 1 if day else 31 if month else 366
            return (start + timedelta(days=days)).timestamp()
        return (start - _offset(zone)).timestamp()
    except (ValueError, OverflowError):
        return None


def _offset(zone: str | None) -> timedelta:
    if zone is None or zone in "Zz":
        return timedelta(0)
    minutes = int(zone[1:3]) * 60 + int(zone[-2:])
    return timedelta(minutes=-minutes if zone[0] == "-" else minutes)
