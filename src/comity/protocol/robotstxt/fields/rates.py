"""Crawl-delay, Request-rate and Visit-time as values that return when a robot may send a request.

None of them is in RFC 9309. Crawl-delay has no specification; the other two come from Sean Conner's
"Extended Standard for Robot Exclusion" (1996). They never change whether a URL is allowed. Times of day are
UTC in these fields, so they are `datetime.time` without a time zone. The current time is always an argument
with a time zone.
"""

from datetime import UTC, datetime, time

from ...value import Value

_UNITS = {"": 1, "s": 1, "m": 60, "h": 3600, "d": 86_400}

#: Maximum number of digits: `int` is slow on longer numbers.
_DIGITS = 12


class RequestRate(Value):
    r"""At most `requests` documents in `seconds`, all day or from `start` to `end` (UTC).

    >>> import comity
    >>> robots = comity.parse("User-agent: *\nRequest-rate: 10/10m 1300-1659")
    >>> (rate,) = robots.rules_for("ExampleBot").request_rates
    >>> rate.requests, rate.seconds, rate.start.hour, rate.end.minute
    (10, 600, 13, 59)
    >>> rate.interval
    60.0
    """

    requests: int
    seconds: int
    start: time | None
    end: time | None

    @property
    def interval(self) -> float:
        """Seconds from one request to the next."""
        return self.seconds / self.requests

    def applies(self, moment: datetime) -> bool:
        """Return whether the rate applies at a `moment`; it has a time zone, as `datetime.now(UTC)` has.

        >>> night = RequestRate(requests=1, seconds=1200, start=time(17), end=time(4, 59))
        >>> night.applies(datetime(2026, 1, 1, 2, tzinfo=UTC))
        True
        >>> night.applies(datetime(2026, 1, 1, 12, tzinfo=UTC))
        False
        """
        time_of_day = _utc(moment)
        return self.start is None or self.end is None or _inside(self.start, self.end, time_of_day)


class VisitTime(Value):
    """Visits are welcome from `start` to `end`, both minutes included, in UTC.

    A window whose start is later than its end extends past midnight.
    """

    start: time
    end: time

    def contains(self, moment: datetime) -> bool:
        """Return whether a `moment` is inside the window; it has a time zone, as `datetime.now(UTC)` has.

        >>> VisitTime(time(6), time(8, 45)).contains(datetime(2026, 1, 1, 8, 45, 59, tzinfo=UTC))
        True
        """
        return _inside(self.start, self.end, _utc(moment))

    def wait(self, moment: datetime) -> float:
        """Return the seconds from `moment` until the window is open, 0.0 if it is open.

        >>> VisitTime(time(22), time(6)).wait(datetime(2026, 1, 1, 12, tzinfo=UTC)) / 3600
        10.0
        """
        if self.contains(moment):
            return 0.0
        return (_second_of(self.start) - _second_of(_utc(moment))) % 86_400


def crawl_delay(value: str) -> float | None:
    """Parse the value of a Crawl-delay: seconds, decimals allowed.

    >>> crawl_delay("0.5"), crawl_delay("-1"), crawl_delay("nan"), crawl_delay("5s")
    (0.5, None, None, None)
    """
    # `float` alone would accept "nan", "1_0", " 5 " and the digits of every script.
    if not value or len(value) > 32 or value.strip("0123456789.eE+-"):
        return None
    try:
        seconds = float(value)
    except ValueError:
        return None
    return seconds if 0 <= seconds < float("inf") else None


def request_rate(value: str) -> RequestRate | None:
    """Parse the value of a Request-rate: `<documents>/<time>[s|m|h|d] [hhmm-hhmm]`.

    >>> request_rate("1/5")
    RequestRate(requests=1, seconds=5, start=None, end=None)
    >>> request_rate("0/5") is None
    True
    """
    rate, _, rest = value.strip().partition("/")
    spelled = rest.split(maxsplit=1)
    if not spelled:
        return None
    per = spelled[0]
    digits = per.rstrip("smhdSMHD")
    unit = _UNITS.get(per[len(digits) :].lower())
    documents, amount = _number(rate.strip()), _number(digits)
    if unit is None or not documents or not amount:
        return None
    if len(spelled) == 1:
        return RequestRate(documents, amount * unit, None, None)
    window = visit_time(spelled[1])
    return None if window is None else RequestRate(documents, amount * unit, window.start, window.end)


def visit_time(value: str) -> VisitTime | None:
    """Parse the value of a Visit-time: `hhmm-hhmm`, also with spaces around or instead of the hyphen.

    >>> visit_time("0600-0845") == visit_time("0600 - 0845") == visit_time("0600 0845")
    True
    >>> visit_time("2542-3199") is None
    True
    """
    ends = [_minute(end) for end in value.replace("-", " ", 1).split(maxsplit=2)]
    if value.lstrip().startswith("-") or len(ends) != 2 or ends[0] is None or ends[1] is None:
        return None
    return VisitTime(ends[0], ends[1])


def wait_for(windows: tuple[VisitTime, ...], moment: datetime) -> float:
    """Return the seconds until a window is open: 0.0 inside a window, or without any window."""
    _utc(moment)  # raises for a time without a zone, even if it is not needed
    return min((window.wait(moment) for window in windows), default=0.0)


def interval_of(rates: tuple[RequestRate, ...], moment: datetime) -> float | None:
    """Return the seconds between requests by the slowest rate that applies then, or `None`."""
    _utc(moment)
    return max((rate.interval for rate in rates if rate.applies(moment)), default=None)


def _number(digits: str) -> int | None:
    return int(digits) if digits.isascii() and digits.isdigit() and len(digits) <= _DIGITS else None


def _minute(hhmm: str) -> time | None:
    if len(hhmm) != 4 or not (hhmm.isascii() and hhmm.isdigit()):
        return None
    hour, minute = int(hhmm[:2]), int(hhmm[2:])
    return time(hour, minute) if hour < 24 and minute < 60 else None


def _utc(moment: datetime) -> time:
    if not isinstance(moment, datetime):
        raise TypeError(f"invalid moment {moment!r:.100}: expected a datetime, such as datetime.now(UTC)")
    if moment.tzinfo is None:
        raise ValueError("a time of day needs its time zone: pass datetime.now(UTC), not datetime.now()")
    return moment.astimezone(UTC).time()


def _inside(start: time, end: time, moment: time) -> bool:
    minute, first, last = (60 * each.hour + each.minute for each in (moment, start, end))
    return first <= minute <= last if first <= last else minute >= first or minute <= last


def _second_of(moment: time) -> float:
    return 3600 * moment.hour + 60 * moment.minute + moment.second + moment.microsecond / 1e6
