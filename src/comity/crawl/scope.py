"""Which links a crawl follows: how deep, to which hosts, and which paths."""

import socket
from collections.abc import Sequence
from functools import lru_cache
from ipaddress import IPv6Address, ip_address

from ..protocol.robotstxt.document import parse
from ..protocol.robotstxt.rules import Rules
from .address import LONGEST, host_of

__all__ = ["Scope", "is_private"]

#: The names that no public host has (RFC 6761, RFC 6762, RFC 8375, and ICANN's .internal).
_PRIVATE = ("localhost", ".localhost", ".local", ".internal", ".home.arpa")


class Scope:
    """The bounds of a crawl.

    `include` and `exclude` are patterns as robots.txt files have them: a path from its beginning, with `*`
    for anything and `$` for the end. What is excluded is so whatever includes it. A crawl that began at
    public hosts alone follows no link to a private one, wherever else it may go: what is on the operator's
    own network is not for the pages of others to have asked for.

    >>> scope = Scope(depth=2, span_hosts=False, include=("/shop",), exclude=("*?sort=",))
    >>> scope.hosts.add("example.com")
    >>> site = "http://example.com"
    >>> [scope.leaves_out(site, f"{site}{path}", 1) for path in ("/shop/1", "/", "/shop?sort=")]
    [None, 'not-included', 'excluded']
    >>> scope.leaves_out("http://example.org", "http://example.org/shop", 1), scope.leaves_out(site, site, 3)
    ('other-host', 'too-deep')
    """

    def __init__(
        self, *, depth: int, span_hosts: bool, include: Sequence[str], exclude: Sequence[str]
    ) -> None:
        """Take the bounds; raises `ValueError` for a pattern that is none."""
        self._depth = depth
        self._span_hosts = span_hosts
        self._included = _rules(["Disallow: /", *_lines("Allow", include)]) if include else None
        self._excluded = _rules(_lines("Disallow", exclude)) if exclude else None
        #: the hosts that the crawl began at
        self.hosts: set[str] = set()

    def began_at(self, origin: str) -> None:
        """Take in a host to which the operator's own address leads, unless it is one for no page to name."""
        if not self._is_out_of_bounds(origin):
            self.hosts.add(host_of(origin))

    def _is_out_of_bounds(self, origin: str) -> bool:
        return is_private(origin) and not any(map(is_private, self.hosts))

    def leaves_out(self, origin: str, url: str, depth: int) -> str | None:
        """Give the reason why a page so many links from the start is not wanted, `None` if it is."""
        if len(url) > LONGEST:
            return "too-long"
        if not self._span_hosts and host_of(origin) not in self.hosts:
            return "other-host"
        if self._is_out_of_bounds(origin):
            return "private-host"
        if depth > self._depth:
            return "too-deep"
        if self._excluded is not None and not self._excluded.allowed(url):
            return "excluded"
        if self._included is not None and not self._included.allowed(url):
            return "not-included"
        return None


@lru_cache(maxsize=10_000)
def is_private(place: str) -> bool:
    """Say whether an origin, or a host, is one that others cannot reach, as far as its name tells.

    >>> [is_private(f"http://{host}") for host in ("10.0.0.1", "[::1]:8080", "0x7f.1", "wiki", "example.com")]
    [True, True, True, True, False]
    """
    host = place.rpartition("://")[2]
    try:
        if host.startswith("["):
            inner = IPv6Address(host[1 : host.index("]")])
            return not (inner.ipv4_mapped or inner).is_global
        host = host.partition(":")[0].rstrip(".").lower()
        # As resolvers read it: `127.1`, `2130706433` and `0x7f.1` are addresses.
        return not ip_address(socket.inet_aton(host)).is_global
    except (OSError, ValueError):
        return "." not in host or host.endswith(_PRIVATE)


def _lines(field: str, patterns: Sequence[str]) -> list[str]:
    for pattern in patterns:
        if pattern[:1] not in ("/", "*") or not pattern.isprintable() or "#" in pattern or " " in pattern:
            raise ValueError(f"{pattern!r} is no pattern: write a path such as /shop/ or *.pdf$")
    return [f"{field}: {pattern}" for pattern in patterns]


def _rules(lines: list[str]) -> Rules:
    return parse("\n".join(["User-agent: *", *lines])).rules_for("*")
