"""The attributes of HTML and SVG that have URLs, and the URLs within `srcset` and META refreshes."""

import re
from collections.abc import Iterator

#: Element -> attributes with the URL of an embedded resource.
RESOURCES = {
    "audio": ("src",),
    "bgsound": ("src",),
    "body": ("background",),
    "embed": ("src",),
    "feimage": ("href", "xlink:href"),
    "image": ("href", "xlink:href"),
    "img": ("src", "lowsrc"),
    "object": ("data",),
    "script": ("src", "href", "xlink:href"),
    "source": ("src",),
    "table": ("background",),
    "tbody": ("background",),
    "td": ("background",),
    "tfoot": ("background",),
    "th": ("background",),
    "thead": ("background",),
    "tr": ("background",),
    "track": ("src",),
    "use": ("href", "xlink:href"),
    "video": ("src", "poster"),
}

#: Element -> attribute with image candidates (HTML 4.8.4.2).
SRCSETS = {"img": "srcset", "source": "srcset", "link": "imagesrcset"}

#: Element -> attribute with a link, apart from the `href` of `a` and `area`.
LINKS = {"frame": "src", "iframe": "src", "a": "xlink:href"}

_DELAY = re.compile(r"[\t\n\f\r ]*+(?:\d++|(?=\.))[\d.]*+(?=[;,\t\n\f\r ])", re.ASCII)
_URL_PREFIX = re.compile(
    "[\t\n\f\r ]*+[;,]?[\t\n\f\r ]*+(?:url[\t\n\f\r ]*+=[\t\n\f\r ]*+)?", re.ASCII | re.IGNORECASE
)
_CANDIDATE = re.compile(r"[\t\n\f\r ,]*+([^\t\n\f\r ]++)")
_DESCRIPTORS = re.compile(r"(?:[^(,]++|\([^)]*+\)?|(?!))*+")


def refresh_span(content: str) -> tuple[int, int]:
    """Return the offsets of the URL of a META refresh (HTML 4.2.5.3, shared declarative refresh steps).

    They are equal if it has no URL.
    """
    delay = _DELAY.match(content)
    if delay is None:
        return 0, 0
    prefix = _URL_PREFIX.match(content, delay.end())
    start, end = prefix.end() if prefix else delay.end(), len(content)
    quote = content[start : start + 1]
    if quote in ("'", '"'):
        start += 1
        closing = content.find(quote, start)
        end = closing if closing >= 0 else end
    start += len(content[start:end]) - len(content[start:end].lstrip())
    return start, start + len(content[start:end].rstrip())


def refresh_url(content: str) -> str:
    """Return the URL of a META refresh, or an empty string.

    >>> refresh_url("0; URL='/a b' now"), refresh_url("5, /c"), refresh_url("5"), refresh_url("soon; url=/d")
    ('/a b', '/c', '', '')
    """
    start, end = refresh_span(content)
    return content[start:end]


def candidate_spans(written: str) -> Iterator[tuple[int, int]]:
    """Yield the offsets of the URLs of a `srcset` (HTML 4.8.4.2.2); a URL may contain commas."""
    at = 0
    while found := _CANDIDATE.match(written, at):
        start, at = found.span(1)
        end = start + len(found[1].rstrip(","))
        if end == at:
            descriptors = _DESCRIPTORS.match(written, at)
            at = descriptors.end() if descriptors else at
        if end > start:
            yield start, end


def candidates(written: str) -> Iterator[str]:
    """Yield the URLs of a `srcset`.

    >>> list(candidates("a.png, b,c.png 2x , d.png 100w,e.png"))
    ['a.png', 'b,c.png', 'd.png', 'e.png']
    """
    return (written[start:end] for start, end in candidate_spans(written))
