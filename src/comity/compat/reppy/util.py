"""Dates, and the names and URLs of reppy 0.3.4."""

from email.utils import mktime_tz, parsedate_tz
from urllib.parse import urlsplit

__all__ = ["Utility", "parse_date"]


def parse_date(string: str) -> float:
    """Return the time of an HTTP date in seconds since 1970.

    >>> parse_date("Thu, 01 Jan 1970 00:01:00 GMT")
    60

    Raises `ValueError` for a `string` that is not a date.
    """
    parsed = parsedate_tz(string)
    if parsed is None:
        raise ValueError(f"invalid date {string!r:.100}: expected one such as Thu, 01 Jan 1970 00:00:00 GMT")
    try:
        return mktime_tz((*parsed[:9], parsed[9] or 0))
    except OverflowError as error:
        raise ValueError(f"invalid date {string!r:.100}: no calendar has it") from error


class Utility:
    """Functions of reppy 0.3.4. A program may replace `short_user_agent` to match whole headers."""

    @staticmethod
    def hostname(url: str) -> str:
        """Return the host of a URL, with its port."""
        return urlsplit(url).netloc

    @staticmethod
    def roboturl(url: str) -> str:
        """Return the URL of the robots.txt for a URL."""
        parts = urlsplit(url)
        return f"{parts.scheme}://{parts.netloc}/robots.txt"

    @staticmethod
    def short_user_agent(strng: str) -> str:
        """Return a User-Agent header up to the first slash.

        >>> Utility.short_user_agent("ExampleBot/1.0")
        'ExampleBot'
        """
        return strng.partition("/")[0]
