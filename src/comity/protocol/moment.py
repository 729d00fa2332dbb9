"""Seconds since 1970 -> text by RFC 3339."""

#: The last second of the year 9999, the last year that RFC 3339 can write.
_LAST = 253_402_300_799.0


def rfc3339(seconds: float) -> str:
    """Format a time in seconds since 1970, as of `time.time()`, by RFC 3339, in UTC and whole seconds.

    Times before 1970 and after the year 9999 are replaced by the nearest time that can be written.

    >>> rfc3339(1600646400.0), rfc3339(float("inf"))
    ('2020-09-21T00:00:00Z', '9999-12-31T23:59:59Z')
    """
    from datetime import datetime, timedelta  # 2 ms

    moment = datetime(1970, 1, 1) + timedelta(seconds=min(max(seconds, 0.0), _LAST))
    return moment.isoformat(timespec="seconds") + "Z"
