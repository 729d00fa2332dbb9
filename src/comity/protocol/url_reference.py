"""A base URL and a reference on its page -> the absolute URL, as browsers resolve it (WHATWG URL 4.4).

`urllib.parse.urljoin` leads to another page for some references: it removes empty segments (`a//b`), an empty
query (`?`) and an empty parameter (`a;`).
"""

from urllib.parse import urlsplit

from .dot_segments import with_slashes, without_dot_segments
from .input_errors import InvalidURL
from .ip_address import ipv4_address
from .origin import Origin, is_scheme

#: The schemes whose references may repeat the scheme of their base: `http:b` is `b` on a page of http.
_REPEATED = ("http", "https")

#: The characters that browsers strip from the ends of a URL, and those that they remove from it.
_AROUND = "".join(map(chr, range(33)))
_WITHIN = str.maketrans("", "", "\t\n\r")

#: The ends of names of files that could be hosts, and that are not top-level domains.
_FILES = frozenset(
    [
        *("txt", "htm", "html", "xml", "csv", "tsv", "json", "toml", "gz"),
        *("bak", "old", "orig", "tmp", "conf", "ini", "log", "yml", "yaml"),
    ]
)


def with_scheme(text: str) -> str | None:
    """Return the URL of a site that a person typed without its scheme, or None for any other text.

    The scheme is https. For `localhost` and for IP addresses it is http, because they seldom have
    certificates; browsers do the same. A name needs a dot, and a name such as `robots.txt` is a file. A text
    with a user name is not a site, because it may be an e-mail address or have a password.

    >>> with_scheme("example.com/tea?x=1"), with_scheme("example.com:8443"), with_scheme("[::1]:8000/")
    ('https://example.com/tea?x=1', 'https://example.com:8443', 'http://[::1]:8000/')
    >>> [with_scheme(text) for text in ("/tea", "tea", "robots.txt", "robots.old", "mailto:a@b.com", "ftp://a.example")]
    [None, None, None, None, None, None]
    """
    authority = text[: min((at for sign in "/?#" if (at := text.find(sign)) >= 0), default=len(text))]
    bracketed = authority.startswith("[")
    host, colon, port = authority.rpartition(":") if not authority.endswith("]") else (authority, "", "")
    if not colon:
        host = authority
    elif not (port.isascii() and port.isdigit()):
        return None
    labels = host.removesuffix(".").lower().split(".")
    if bracketed or labels[-1] == "localhost" or host == ipv4_address(host):
        scheme = "http"
    elif len(labels) < 2 or labels[-1] in _FILES or labels[-1].isdigit() or not all(map(_is_label, labels)):
        return None
    else:
        scheme = "https"
    url = f"{scheme}://{text}"
    try:
        Origin.of(url)
    except InvalidURL:
        return None
    return url


def _is_label(text: str) -> bool:
    return text.replace("-", "").replace("_", "").isalnum()


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
