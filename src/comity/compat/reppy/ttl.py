"""How long a robots.txt is valid."""

import logging
import time
from typing import Any

from .util import parse_date

__all__ = ["HeaderWithDefaultPolicy", "TTLPolicyBase"]

_log = logging.getLogger(__name__)

#: Directives of Cache-Control that ask to cache nothing.
_UNCACHED = ("no-store", "must-revalidate", "no-cache")


class TTLPolicyBase:
    """The lifetime of a response; a subclass defines `ttl`.

    >>> class Hour(TTLPolicyBase):
    ...     def ttl(self, response):
    ...         return 3600
    >>> Hour().expires(response=None) > time.time()
    True
    """

    def ttl(self, response: Any) -> float:
        """Return the seconds for which a `response` of requests is valid."""
        raise NotImplementedError("TTLPolicyBase has no ttl: define it in a subclass")

    def expires(self, response: Any) -> float:
        """Return when a `response` expires, in seconds since 1970."""
        return time.time() + self.ttl(response)


class HeaderWithDefaultPolicy(TTLPolicyBase):
    """The lifetime by Cache-Control, or else by Expires, or else a default.

    - `default`: seconds if the response has neither field
    - `minimum`: the least number of seconds that the fields can ask for

    >>> from types import SimpleNamespace
    >>> response = SimpleNamespace(headers={"cache-control": "max-age=5"})
    >>> HeaderWithDefaultPolicy(default=3600, minimum=600).ttl(response)
    600
    """

    def __init__(self, default: float, minimum: float) -> None:
        """Create a policy."""
        self.default = default
        self.minimum = minimum

    def ttl(self, response: Any) -> float:
        """Return the seconds for which a `response` is valid; only its `headers` are read."""
        for directive in (response.headers.get("cache-control") or "").lower().split(","):
            name, _, value = directive.partition("=")
            if name.strip() in _UNCACHED:
                return max(self.minimum, 0)
            if name.strip() in ("s-maxage", "max-age"):
                try:
                    return max(self.minimum, int(value.strip()))
                except ValueError:
                    _log.warning("invalid Cache-Control %r: expected seconds", directive[:100])
        expires = _date(response.headers.get("expires"))
        if expires is None:
            return self.default
        date = _date(response.headers.get("date"))
        return max(self.minimum, expires - (time.time() if date is None else date))


def _date(value: str | None) -> float | None:
    """Return the time of a date; None for a field that is absent or not valid."""
    try:
        return None if value is None else parse_date(value)
    except ValueError as error:
        _log.warning("%s", error)
        return None
