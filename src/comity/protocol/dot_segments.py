"""A URL -> the same URL without dot segments, escaped ones included (RFC 3986 6.2.2.2, 6.2.2.3).

Clients and servers remove `..` and `%2e%2e` from a path, some before and some after they compare it. So a URL
is judged and sent without them.
"""

from .origin import is_scheme

#: The start of each escape that may be a dot; a `%` that is escaped itself (`%252e`) is not.
_DOTS = ("%2e", "%2E")


def without_dot_segments(url: str) -> str:
    """Return an absolute URL, or a path that begins with a slash, without the dot segments of its path.

    `%2e` counts as a dot in such a segment, and a backslash as a slash, as in the URL standard of
    WHATWG. Other segments, the query and the fragment are not changed.

    >>> without_dot_segments("http://example.com/a/%2e%2E/private/./x?q=/../#/../")
    'http://example.com/private/x?q=/../#/../'
    >>> without_dot_segments("/a/.%2e/../b/%2e"), without_dot_segments("/a.b/%2ec/...")
    ('/b/', '/a.b/%2ec/...')
    """
    if "/." not in url and "/%2" not in url and "\\" not in url:
        return url
    end = min((at for at in (url.find("?"), url.find("#")) if at >= 0), default=len(url))
    authority = url.find("//", 0, end)
    is_absolute = authority >= 0 and "/" not in url[:authority].lstrip()
    start = url.find("/", authority + 2 if is_absolute else 0, end)
    if start < 0:
        return url
    segments = url[start:end].replace("\\", "/").split("/")[1:]
    plain = [_plain(segment) for segment in segments]
    if "." not in plain and ".." not in plain and "\\" not in url[start:end]:
        return url
    kept: list[str] = []
    for segment, text in zip(segments, plain, strict=True):
        if text == "..":
            del kept[-1:]
        elif text != ".":
            kept.append(segment)
    if plain[-1] in (".", ".."):
        kept.append("")
    path = "/" + "/".join(kept)
    if not is_absolute and path.startswith("//"):  # the empty host keeps its first segment from being one
        path = "//" + path
    return url[:start] + path + url[end:]


def _plain(segment: str) -> str:
    """Return a segment with its escaped dots as dots, if it could be a dot segment."""
    if len(segment) > len("%2e%2e"):
        return segment
    for dot in _DOTS:
        segment = segment.replace(dot, ".")
    return segment


def with_slashes(url: str) -> str:
    r"""Return a URL, or a reference in a redirect, with the backslashes of its path as slashes.

    Browsers read them so (WHATWG URL 4.4), and so do servers that run on Windows. Sent as `%5C`, it would be
    another path to the rules. A backslash before the path stays, so the host is refused.

    >>> with_slashes("https://example.com/a\\..\\b?q=\\"), with_slashes("\\private"), with_slashes("data:\\")
    ('https://example.com/a/../b?q=\\', '/private', 'data:\\')
    """
    if "\\" not in url or _is_opaque(url):
        return url
    end = min((at for at in (url.find("?"), url.find("#")) if at >= 0), default=len(url))
    authority = url.find("://", 0, end)
    start = 0 if authority < 0 else url.find("/", authority + len("://"), end)
    return url if start < 0 else url[:start] + url[start:end].replace("\\", "/") + url[end:]


def _is_opaque(url: str) -> bool:
    """Return whether a URL has a scheme and no host, such as "data:"."""
    scheme, colon, rest = url.partition(":")
    return bool(colon) and is_scheme(scheme.lower()) and not rest.startswith("//")
