"""URL -> origin (scheme, host, port), where its robots.txt is, and the path that is judged.

RFC 3986 is followed, not the browsers' lenient reading: what is not a URL by it raises
`InvalidURL`, since a robot that guesses asks the wrong host. Nothing is resolved, no dot segment is
removed and no escape is decoded: the path is judged as it would be sent.
"""

from ..errors import InvalidURL
from .value import Value

__all__ = ["Origin", "RelativeReference", "is_scheme", "path_and_query", "robots_url"]

#: Default ports, which an origin is written without.
_PORTS = {"http": 80, "https": 443, "ftp": 21}

_SCHEME = frozenset("abcdefghijklmnopqrstuvwxyz0123456789+-.")

#: What no authority holds, though one client or another would read past it.
_FORBIDDEN = frozenset('\\ "<>^`{|}').union(map(chr, range(33)), "\x7f")


class RelativeReference(InvalidURL):
    """A URL without scheme or leading slash: a path from the root, or a host whose scheme was left out.

    `readings` are the paths that it may mean; a robot that is in doubt stays out of each.
    """

    def __init__(self, url: str) -> None:
        """Tell of a reference, and of its readings."""
        super().__init__(f"{url[:200]!r} is neither an absolute URL nor a path that begins with a slash")
        self.readings = ("/" + url, _path_after(url, 0))


class Origin(Value):
    """What one robots.txt is valid for: a scheme, a host and a port (RFC 9309 2.3).

    `host` is in lower case and, where it is international, in its ASCII form; an IPv6 address keeps
    its brackets. `port` is the scheme's default if the URL gives none, and `None` where the scheme
    has none.

    >>> Origin.of("HTTPS://Example.COM/shop?id=1") == Origin.of("https://example.com:443")
    True
    >>> str(Origin.of("http://user@bücher.example:8001/"))
    'http://xn--bcher-kva.example:8001'
    """

    __slots__ = ("scheme", "host", "port")
    scheme: str
    host: str
    port: int | None

    @classmethod
    def of(cls, url: str) -> "Origin":
        """Give the origin of an absolute URL.

        Raises `InvalidURL` if the URL has no scheme or no host, or a port that is no port.
        """
        scheme, separator, rest = url.strip().partition("://")
        scheme = scheme.lower()
        if not separator or not is_scheme(scheme):
            raise InvalidURL(_complaint(url.strip()))
        for end in "/?#":
            rest = rest.partition(end)[0]
        if not _FORBIDDEN.isdisjoint(rest):
            raise InvalidURL(f"{url!r} has a character in its host that no host has")
        host, port = _host_and_port(rest.rpartition("@")[2], url)
        if not host:
            raise InvalidURL(f"{url!r} has no host, so there is no robots.txt for it")
        return cls(scheme, host, _PORTS.get(scheme) if port is None else port)

    @property
    def robots_url(self) -> str:
        """The address of the origin's robots.txt."""
        return f"{self}/robots.txt"

    def __str__(self) -> str:
        port = "" if self.port is None or self.port == _PORTS.get(self.scheme) else f":{self.port}"
        return f"{self.scheme}://{self.host}{port}"


def robots_url(url: str) -> str:
    """Say where the robots.txt is that rules over a URL (RFC 9309 2.3).

    >>> robots_url("https://example.com/shop/index.html")
    'https://example.com/robots.txt'
    >>> robots_url("http://example.com:8001?page=1")
    'http://example.com:8001/robots.txt'

    Raises `InvalidURL` for a URL without a scheme or host.
    """
    return Origin.of(url).robots_url


def path_and_query(url: str) -> str:
    """Give what rules are compared with: path and query, no fragment.

    `url` is an absolute URL, or a path that begins with one slash. An empty path is `/`.

    >>> path_and_query("https://example.com?id=1#top")
    '/?id=1'

    Raises `InvalidURL` for a URL that has a scheme and no authority, such as `mailto:`, and
    `RelativeReference`, which is one too, for a reference that could be read in two ways.
    """
    url = url.partition("#")[0]
    if url.startswith("//"):
        return _path_after(url, 2)  # a network-path reference, RFC 3986 4.2
    if url.startswith("/"):
        return url
    return _path_of_other(url.lstrip())


def _path_of_other(url: str) -> str:
    if url.startswith("/"):
        return path_and_query(url)
    if _has_scheme(url):
        authority = url.index(":") + 1
        if not url.startswith("//", authority):
            raise InvalidURL(f"{url[:200]!r} has a scheme and no host, so no robots.txt speaks of it")
        return _path_after(url, authority + 2)
    if not url or url.startswith("?"):
        return "/" + url
    raise RelativeReference(url)


def _path_after(url: str, start: int) -> str:
    """Give path and query of a URL whose authority begins at `start`."""
    slash = url.find("/", start)
    query = url.find("?", start)
    if query >= 0 and not 0 <= slash < query:
        return "/" + url[query:]
    return url[slash:] if slash >= 0 else "/"


def _complaint(url: str) -> str:
    """Say what is missing in a URL that has no scheme and host."""
    if _has_scheme(url):
        return f"{url!r} has no host, so there is no robots.txt for it"
    hint = f"; write https://{url}" if url and not url.startswith("/") else ""
    return f"{url!r} has no scheme{hint}"


def _has_scheme(url: str) -> bool:
    """Say whether a URL begins with a scheme, and not with a host and its port."""
    scheme, colon, rest = url.partition(":")
    return bool(colon) and is_scheme(scheme.lower()) and not rest[:1].isdigit()


def is_scheme(scheme: str) -> bool:
    """Say whether a text in lower case has the form of a scheme (RFC 3986 3.1)."""
    return _SCHEME.issuperset(scheme) and scheme[:1].isalpha()


def _host_and_port(authority: str, url: str) -> tuple[str, int | None]:
    bracket = authority.rfind("]")
    colon = authority.find(":", max(bracket, 0))
    host, digits = (authority, "") if colon < 0 else (authority[:colon], authority[colon + 1 :])
    number = digits.lstrip("0") or digits[:1]  # as many digits as anyone likes are too many for `int`
    if digits and not (digits.isascii() and digits.isdigit() and int(number[:6]) <= 65_535):
        raise InvalidURL(f"{url!r} has {digits!r} for a port")
    if not host.isascii():
        try:
            host = host.encode("idna").decode("ascii")
        except UnicodeError:
            raise InvalidURL(f"{url!r} has a host that is no domain name") from None
    return host.lower(), int(number) if digits else None
