"""URLs as a job keeps them: one text for one page, without what no server is told."""

from ..protocol.origin import Origin

__all__ = ["LONGEST", "address", "as_sent", "host_of"]

#: Longer URLs, in characters, are traps or mistakes.
LONGEST = 8000


def address(url: str) -> tuple[str, str]:
    """Give the origin of a URL, and the URL as it is kept: no fragment, no credentials, no dot segments.

    Raises `InvalidURL` for a URL that has no origin.

    >>> address("HTTP://user@Example.com:80/a/./b/../c?q#top")
    ('http://example.com', 'http://example.com/a/c?q')
    >>> address("https://example.com")
    ('https://example.com', 'https://example.com/')
    """
    origin = str(Origin.of(url))
    rest = url.partition("#")[0].partition("://")[2]
    start = min((at for at in (rest.find("/"), rest.find("?")) if at >= 0), default=len(rest))
    path, mark, query = rest[start:].partition("?")
    return origin, f"{origin}{_without_dots(path)}{mark}{query}"


def _without_dots(path: str) -> str:
    """Resolve the dot segments of a path (RFC 3986 5.2.4), also those that are escaped."""
    kept: list[str] = []
    segments = path.split("/")[1:] or [""]
    for segment in segments:
        plain = segment.replace("%2e", ".").replace("%2E", ".")
        if plain == "..":
            del kept[-1:]
        elif plain != ".":
            kept.append(segment)
    if segments[-1].replace("%2e", ".").replace("%2E", ".") in (".", ".."):
        kept.append("")
    return "/" + "/".join(kept)


def host_of(origin: str) -> str:
    """Give the host of an origin, with its port unless that is its scheme's own: http and https are one host.

    >>> host_of("https://example.com"), host_of("http://example.com:8080")
    ('example.com', 'example.com:8080')
    """
    return origin.partition("://")[2]


def as_sent(url: str) -> str:
    """Give a URL as Scrapy sends it, which is how links come too; raises `ValueError` for what is none.

    >>> as_sent("http://example.com/a b/é")
    'http://example.com/a%20b/%C3%A9'
    """
    from w3lib.url import safe_url_string

    return str(safe_url_string(url))
