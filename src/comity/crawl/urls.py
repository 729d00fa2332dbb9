"""URLs in the form that a job stores: one text per page, without fragment and credentials."""

from ..protocol.dot_segments import without_dot_segments
from ..protocol.origin import Origin

#: Maximum length of a URL in characters. Longer ones are traps or mistakes.
MAX_URL_LENGTH = 8000


def normalized(url: str) -> tuple[str, str]:
    """Return the origin of a URL, and the URL without fragment, credentials and dot segments.

    Raises `InvalidURL` for a URL without an origin.

    >>> normalized("HTTP://user@Example.com:80/a/./b/../c?q#top")
    ('http://example.com', 'http://example.com/a/c?q')
    >>> normalized("https://example.com")
    ('https://example.com', 'https://example.com/')
    """
    origin = str(Origin.of(url))
    rest = url.partition("#")[0].partition("://")[2]
    start = min((at for at in (rest.find("/"), rest.find("?")) if at >= 0), default=len(rest))
    path, mark, query = rest[start:].partition("?")
    return origin, without_dot_segments(f"{origin}{path or '/'}{mark}{query}")


def host_of(origin: str) -> str:
    """Return the host of an origin, with its port if it is not the default of its scheme.

    >>> host_of("https://example.com"), host_of("http://example.com:8080")
    ('example.com', 'example.com:8080')
    """
    return origin.partition("://")[2]


def as_sent(url: str) -> str:
    """Return a URL with the escapes that Scrapy adds to links; raises `ValueError` for an invalid one.

    >>> as_sent("http://example.com/a b/é")
    'http://example.com/a%20b/%C3%A9'
    """
    from w3lib.url import safe_url_string

    return str(safe_url_string(url))
