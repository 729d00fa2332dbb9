"""The patterns of URLs by which transports are mounted, as for a client of httpx2."""

from collections.abc import Mapping
from typing import Generic, TypeVar

import httpx2
from httpx2._utils import URLPattern  # not exported; one definition of what a mount matches is enough

from ..errors import InvalidArgument

_Transport = TypeVar("_Transport")


class Mounts(Generic[_Transport]):
    """Transports by pattern, such as "https://" or "all://*.example.com:8443"; the most specific one counts.

    Raises `InvalidArgument` for a pattern that is not valid.

    >>> mounts = Mounts({"https://": 1, "https://example.com": 2, "all://*.example.com": 3})
    >>> urls = "https://a/", "https://example.com/", "http://a.example.com/", "http://example.com/"
    >>> [mounts.find(httpx2.URL(url), 0) for url in urls]
    [1, 2, 3, 0]
    """

    def __init__(self, mounts: Mapping[str, _Transport]) -> None:
        """Read the patterns."""
        self._by_pattern = sorted(
            ((_pattern(key), transport) for key, transport in mounts.items()), key=lambda pair: pair[0]
        )

    @property
    def transports(self) -> tuple[_Transport, ...]:
        """All mounted transports."""
        return tuple(transport for _, transport in self._by_pattern)

    def find(self, url: httpx2.URL, default: _Transport) -> _Transport:
        """Return the transport for a URL, or `default` if no pattern matches it."""
        return next((transport for pattern, transport in self._by_pattern if pattern.matches(url)), default)


def _pattern(key: object) -> URLPattern:
    try:
        if not isinstance(key, str) or "://" not in key:
            raise ValueError
        pattern = URLPattern(key)
        if pattern.network is None and httpx2.URL(key).path not in ("", "/"):
            raise ValueError  # it would match all paths
        return pattern
    except (ValueError, httpx2.InvalidURL):
        expected = "expected a pattern such as https:// or all://*.example.com"
        raise InvalidArgument(f"invalid mounts {key!r:.200}: {expected}", name="mounts") from None
