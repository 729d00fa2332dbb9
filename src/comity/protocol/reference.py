"""A base URL and a reference on its page -> the absolute URL, as browsers resolve it (WHATWG URL 4.4).

`urllib.parse.urljoin` leads to another page for some references: it removes empty segments (`a//b`), an empty
query (`?`) and an empty parameter (`a;`).
"""

from urllib.parse import urlsplit

from .dot_segments import with_slashes, without_dot_segments
from .origin import is_scheme

#: The schemes whose references may repeat the scheme of their base: `http:b` is `b` on a page of http.
_REPEATED = ("http", "https")

#: The characters that browsers strip from the ends of a URL, and those that they remove from it.
_AROUND = "".join(map(chr, range(33)))
_WITHIN = str.maketrans("", "", "\t\n\r")


def resolved(base: str | None, reference: str) -> str | None:
    r"""Resolve a reference against a base, as browsers do; `None` if that is not possible.

    >>> resolved("https://example.com/a/", " b\\c "), resolved(None, "/b")
    ('https://example.com/a/b/c', None)
    >>> [resolved("http://example.com/a//b?c", each) for each in ("d//e", "../..", "?", "d;", "http:d")]
    ... # doctest: +NORMALIZE_WHITESPACE
    ['http://example.com/a//d//e', 'http://example.com/', 'http://example.com/a//b?',
     'http://example.com/a//d;', 'http://example.com/a//d']
    """
    text = with_slashes(reference.strip(_AROUND).translate(_WITHIN))
    scheme, colon, rest = text.partition(":")
    if colon and is_scheme(scheme.lower()):
        base_scheme = (base or "").partition("://")[0].lower()
        scheme = scheme.lower()
        text = with_slashes(rest) if scheme in _REPEATED else rest
        if scheme != base_scheme or scheme not in _REPEATED or text.startswith("//"):
            return _with_valid_host(f"{scheme}:{text}")
    return None if base is None else _joined(base, text)


def _joined(base: str, relative: str) -> str | None:
    """Return the URL of a reference without a scheme."""
    scheme, separator, rest = base.partition("#")[0].partition("://")
    if not separator or not is_scheme(scheme.lower()):
        return None
    if relative.startswith("//"):  # browsers ignore further slashes before the host
        return _with_valid_host(f"{scheme}://{relative.lstrip('/')}")
    start = min((at for at in (rest.find("/"), rest.find("?")) if at >= 0), default=len(rest))
    origin = f"{scheme}://{rest[:start]}"
    path, mark, query = rest[start:].partition("?")
    path = path or "/"
    if not relative or relative.startswith("#"):
        return f"{origin}{path}{mark}{query}{relative}"
    if relative.startswith("?"):
        return f"{origin}{path}{relative}"
    folder = "" if relative.startswith("/") else path[: path.rfind("/") + 1]
    return without_dot_segments(f"{origin}{folder}{relative}")


def _with_valid_host(url: str) -> str | None:
    """Return a URL, or None if its host has a bracket and is not an IPv6 address."""
    try:
        urlsplit(url)
    except ValueError:
        return None
    return url
