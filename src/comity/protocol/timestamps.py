"""Seconds since 1970 -> a date and time, and text by RFC 3339, and back."""

from .input_errors import InvalidArgument
from .text import shortened

TYPE_CHECKING = False
if TYPE_CHECKING:
    from datetime import datetime

#: The last second of the year 9999, the last year that RFC 3339 can write.
_LAST = 253_402_300_799.0


def rfc3339(seconds: float) -> str:
    """Format a time in seconds since 1970, as of `time.time()`, by RFC 3339, in UTC and whole seconds.

    Times before 1970 and after the year 9999 are replaced by the nearest time that can be written.

    >>> rfc3339(1600646400.0), rfc3339(float("inf"))
    ('2020-09-21T00:00:00Z', '9999-12-31T23:59:59Z')
    """
    return utc(seconds).replace(tzinfo=None).isoformat(timespec="seconds") + "Z"


def utc(seconds: float) -> "datetime":
    """Return the date and time of a number of seconds since 1970, in UTC.

    Times before 1970 and after the year 9999 are replaced by the nearest time that has a date. Unlike
    `datetime.fromtimestamp`, this works after the year 3000 on Windows too.

    >>> utc(1600646400.25), utc(4e10).year
    (datetime.datetime(2020, 9, 21, 0, 0, 0, 250000, tzinfo=datetime.timezone.utc), 3237)
    """
    from datetime import UTC, datetime, timedelta  # 2 ms

    return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=min(max(seconds, 0.0), _LAST))


def parsed_time(text: str) -> float:
    """Return a time by RFC 3339 in seconds since 1970. A date is its start in UTC.

    >>> parsed_time("1970-01-02"), parsed_time("1970-01-02T01:00:00+01:00")
    (86400.0, 86400.0)

    Raises `ValueError` for another text, and for a time without a time zone.
    """
    from datetime import datetime

    try:
        found = datetime.fromisoformat(text if "T" in text or " " in text else f"{text}T00:00:00Z")
    except ValueError:
        found = None
    if found is None or found.tzinfo is None:
        raise ValueError(f"{shortened(text, 40)!r} is not a time such as 2026-11-22T10:00:00Z")
    return found.timestamp()


def check_moment(name: str, value: object) -> None:
    """Raise `InvalidArgument` unless the argument with a name is None or a time in seconds since 1970.

    NaN is not a time: it is neither before nor after any date.

    >>> check_moment("now", float("nan"))
    Traceback (most recent call last):
    comity.errors.InvalidArgument: invalid now nan: expected a time in seconds since 1970, or None
    """
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if value is not None and not (is_number and value == value):  # NaN does not equal itself
        raise InvalidArgument(
            f"invalid {name} {value!r:.200}: expected a time in seconds since 1970, or None", name=name
        )
