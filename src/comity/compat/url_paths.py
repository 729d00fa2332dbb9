"""Any text -> its path, as `urllib.parse` splits it: the other parsers answer for texts that are not URLs."""

from urllib.parse import urlsplit


def path_and_query(url: str) -> str:
    """Return the path and query of any text, without the fragment.

    >>> path_and_query("https://example.com/a?b#c"), path_and_query("mailto:x@example.com")
    ('/a?b', 'x@example.com')

    Raises `ValueError` for brackets in the host that hold no IP address.
    """
    text = url.partition("#")[0]
    parts = urlsplit(text)
    return f"{parts.path}?{parts.query}" if "?" in text else parts.path


def with_host(path: str) -> str:
    """Return a URL for a path: without a host, a path that begins with two slashes would be read as one."""
    return f"http://example.com{path}"


def comparable(url: str) -> str | None:
    """Return a URL that rules can be compared with, for any text; None if no rule can match its path.

    Rules begin with a slash (RFC 9309 2.2), so none matches a path without one.

    >>> comparable("/a"), comparable("ftp:/a"), comparable("mailto:x@example.com")
    ('/a', 'http://example.com/a', None)

    Raises `TypeError` unless `url` is a `str`, and `ValueError` as `path_and_query` does.
    """
    if str.startswith(url, ("/", "https://", "http://")):
        return url
    path = path_and_query(url)
    return None if path and not path.startswith(("/", "?")) else with_host(path)
