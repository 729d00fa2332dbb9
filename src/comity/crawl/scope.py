"""The scope of a crawl: which links it follows, by depth, host and path."""

from collections.abc import Sequence

from ..protocol.robotstxt.document import parse
from ..protocol.robotstxt.rules import Rules
from .private_hosts import is_private
from .urls import MAX_URL_LENGTH, host_of


class Scope:
    """The bounds of a crawl.

    `include` and `exclude` are path patterns of robots.txt: a path from its beginning, with `*` for any text
    and `$` for the end. `exclude` wins. Links to private hosts are followed only if a person named the host.
    So a page cannot cause requests within the user's network.

    >>> scope = Scope(depth=2, span_hosts=False, include=("/shop",), exclude=("*?sort=",))
    >>> scope.hosts.add("example.com")
    >>> site = "http://example.com"
    >>> [scope.skip_reason(site, f"{site}{path}", 1) for path in ("/shop/1", "/", "/shop?sort=")]
    [None, 'not-included', 'excluded']
    >>> scope.skip_reason("http://example.org", "http://example.org/shop", 1)
    'other-host'
    """

    def __init__(
        self, *, depth: int, span_hosts: bool, include: Sequence[str], exclude: Sequence[str]
    ) -> None:
        """Create a scope; raises `ValueError` for an invalid pattern."""
        self.depth: int = depth
        self._span_hosts = span_hosts
        self._included = _rules(["Disallow: /", *_lines("Allow", include)]) if include else None
        self._excluded = _rules(_lines("Disallow", exclude)) if exclude else None
        #: start hosts
        self.hosts: set[str] = set()
        #: hosts that may be private, because a person named them
        self.private_hosts: set[str] = set()

    def add_host(self, origin: str) -> None:
        """Add the host that a start URL redirects to, unless it is private and no person named it."""
        if not self._is_forbidden(origin):
            self.hosts.add(host_of(origin))

    def _is_forbidden(self, origin: str) -> bool:
        return is_private(origin) and host_of(origin) not in self.private_hosts

    def skip_reason(self, origin: str, url: str, depth: int) -> str | None:
        """Return why a URL at some depth is skipped, or `None` if it is in the scope."""
        if len(url) > MAX_URL_LENGTH:
            return "too-long"
        if not self._span_hosts and host_of(origin) not in self.hosts:
            return "other-host"
        if self._is_forbidden(origin):
            return "private-host"
        if depth > self.depth:
            return "too-deep"
        if self._excluded is not None and not self._excluded.allowed(url):
            return "excluded"
        if self._included is not None and not self._included.allowed(url):
            return "not-included"
        return None


def _lines(field: str, patterns: Sequence[str]) -> list[str]:
    for pattern in patterns:
        if pattern[:1] not in ("/", "*") or not pattern.isprintable() or "#" in pattern or " " in pattern:
            raise ValueError(f"invalid pattern {pattern!r}: expected a path, such as /shop/ or *.pdf$")
    return [f"{field}: {pattern}" for pattern in patterns]


def _rules(lines: list[str]) -> Rules:
    return parse("\n".join(["User-agent: *", *lines])).rules_for("*")
