"""Any text -> its path, as `urllib.parse` splits it: the other parsers answer for texts that are not URLs."""

from urllib.parse import urlsplit

#: How URLs begin that Comity and other parsers read alike.
PLAIN = ("/", "https://", "http://")


def path_and_query(url: str) -> str:
    """Return the path and query of any text, without the fragment.

    >>> path_and_query("https://example.com/a?b#c"), path_and_query("mailto:x@example.com")
    ('/a?b', 'x@example.com')

    Raises `ValueError` for brackets in the host that hold no IP address.
    """
    text = url.partition("#")[0]
    parts = urlsplit(text)
    return f"{parts.path}?{parts.query}" if "?" in text else parts.path


def rooted(url: str) -> str:
    """Return a URL that rules can be compared with, for any text: a path without a slash gets one.

    >>> rooted("/a"), rooted("mailto:x@example.com")
    ('/a', 'http://example.com/x@example.com')

    Raises `TypeError` and `ValueError` as `comparable` does.
    """
    if str.startswith(url, PLAIN):
        return url
    path = path_and_query(url)
    return _with_host(path if path.startswith("/") else f"/{path}")


def comparable(url: str) -> str | None:
    """Return a URL that rules can be compared with, for any text; None if no rule can match its path.

    Rules begin with a slash (RFC 9309 2.2), so none matches a path without one. After a host, an empty path
    is a slash (RFC 3986 6.2.3).

    >>> comparable("/a"), comparable("ftp:/a"), comparable("ftp://example.com?a")
    ('/a', 'http://example.com/a', 'http://example.com?a')
    >>> comparable("mailto:x@example.com"), comparable("?a"), comparable("")
    (None, None, None)

    Raises `TypeError` unless `url` is a `str`, and `ValueError` as `path_and_query` does.
    """
    if str.startswith(url, PLAIN) and "[" not in url:
        return url
    path = path_and_query(url)
    return _with_host(path) if path.startswith("/") or urlsplit(url).netloc else None


def _with_host(path: str) -> str:
    return f"http://example.com{path}"  # a path that begins with two slashes would be read as a host
