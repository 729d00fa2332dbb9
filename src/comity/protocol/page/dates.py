"""The value of `unavailable_after` -> seconds since 1970.

Google requires "a widely adopted format", such as RFC 822, RFC 850 and ISO 8601, and its own examples mix
them. All of these are accepted leniently. Other values are not dates.
"""

from datetime import UTC, datetime, timedelta

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")

#: The names of the days in lower case, full and abbreviated: they may precede the comma in a date.
WEEKDAYS = frozenset(day[:length] for day in _DAYS for length in (3, 4, 5, 99))

#: Zones that RFC 822 5.1 names, in hours from UTC.
_ZONES = {"z": 0, "ut": 0, "utc": 0, "gmt": 0} | {
    f"{place}{time}": hours + (time == "dt")
    for place, hours in (("e", -5), ("c", -6), ("m", -7), ("p", -8))
    for time in ("st", "dt")
}

#: Maximum length of a date in characters.
_LONGEST = 64


def date_of(value: str) -> float | None:
    """Parse a date. Return `None` if it is not valid.

    A date without a zone is in UTC, and one without a time begins at midnight. A year of two digits below 70
    is after 2000.

    >>> date_of("25 Jun 2010 15:00:00 PST"), date_of("Friday, 25-Jun-10 15:00:00 GMT")
    (1277506800.0, 1277478000.0)
    >>> date_of("2020-09-21"), date_of("2020-09-21T10:00:00+02:00"), date_of("soon")
    (1600646400.0, 1600675200.0, None)
    """
    if len(value) > _LONGEST or not value.isascii():
        return None
    try:
        moment = _iso(value.strip()) or _named_month(value.lower())
        return None if moment is None else moment.timestamp()
    except (ValueError, OverflowError):
        return None


def _iso(value: str) -> datetime | None:
    """Parse ISO 8601, which begins with a year of four digits; the zone may be a name."""
    if not value[:4].isdigit():
        return None
    date, _, zone = value.rpartition(" ")
    if zone.lower() not in _ZONES:
        date, zone = value, "utc"
    moment = datetime.fromisoformat(date.strip())
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC) - timedelta(hours=_ZONES[zone.lower()])


def _named_month(value: str) -> datetime | None:
    """Parse RFC 822, RFC 850 and the format of C's `asctime`, which have the name of the month."""
    words = value.replace(",", " ").split()
    if words and words[0].rstrip(".") in WEEKDAYS:
        del words[0]
    if words and words[0].count("-") == 2:  # RFC 850: 25-Jun-10
        words[:1] = words[0].split("-")
    match words:
        case [month, day, clock, year] if month[:1].isalpha() and ":" in clock:
            zone: list[str] = []
        case [day, month, year]:
            clock, zone = "0:0", []
        case [day, month, year, clock, *zone] if ":" in clock:
            pass
        case _:
            return None
    numbers = [_number(part) for part in (year, day, *clock.split(":"))]
    if month[:3] not in _MONTHS or not month.isalpha() or len(numbers) not in (4, 5):
        return None
    full_year, day_of_month, hour, minute, *seconds = numbers
    if len(year) == 2:
        full_year += 2000 if full_year < 70 else 1900
    second = seconds[0] if seconds else 0
    moment = datetime(
        full_year,
        _MONTHS.index(month[:3]) + 1,
        day_of_month,
        hour,
        minute,
        59 if second == 60 else second,  # a leap second
        tzinfo=UTC,
    )
    return moment - _offset(" ".join(zone))


def _offset(zone: str) -> timedelta:
    """Parse a zone: a name, or hours and minutes from UTC. Raises `ValueError` for others."""
    if zone in _ZONES or not zone:
        return timedelta(hours=_ZONES.get(zone, 0))
    digits = zone[1:].replace(":", "")
    if zone[0] not in "+-" or len(digits) != 4:
        raise ValueError(zone)
    away = timedelta(hours=_number(digits[:2]), minutes=_number(digits[2:]))
    return -away if zone[0] == "-" else away


def _number(digits: str) -> int:
    """Parse a number of up to four digits. Raises `ValueError` for spaces and signs, which `int` accepts."""
    if not digits.isdigit() or len(digits) > 4:
        raise ValueError(digits)
    return int(digits)
