"""Find the URLs that a page embeds, and its links that are not `a` or `area` elements.

Embedded resources are images, style sheets, icons, scripts and sounds, and the images and fonts of styles.
The other links are frames, META refreshes and `link` elements. The tables below list the elements and
attributes of HTML and SVG, obsolete ones included.
"""

import re
from collections.abc import Iterator
from itertools import islice

from scrapy.http import Response

from ..protocol.page.encoding import decoded
from ..protocol.page.links import Anchor, Link, links_of
from ..protocol.page.markup import Element, start_tags
from ..protocol.value import Value
from .stylesheet import MAX_LENGTH, urls_in

#: Maximum number of links, and of embedded resources, read from one page.
_MAX_LINKS = 10_000

#: Element -> attributes with the URL of an embedded resource.
_RESOURCES = {
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
_SRCSETS = {"img": "srcset", "source": "srcset", "link": "imagesrcset"}

#: Element -> attribute with a link, apart from the `href` of `a` and `area`.
_LINKS = {"frame": "src", "iframe": "src", "a": "xlink:href"}

#: Values of `rel` (HTML 4.6.7) that make a `link` an embedded resource.
_RESOURCE_RELS = frozenset(
    (
        *("stylesheet", "icon", "apple-touch-icon", "apple-touch-icon-precomposed", "mask-icon"),
        *("manifest", "modulepreload", "preload"),
    )
)
#: Values of `rel` whose URLs are not fetched.
_IGNORED_RELS = frozenset(("dns-prefetch", "preconnect", "pingback"))

_NAMES = (*_RESOURCES, *_LINKS, "base", "input", "link", "meta", "style")
#: The names to look for in a page without XLink: `a` elements are left out for speed.
_NAMES_WITHOUT_XLINK = tuple(name for name in _NAMES if name != "a")
_ATTRIBUTES = frozenset(
    (
        *(
            "src",
            "href",
            "xlink:href",
            "data",
            "background",
            "poster",
            "lowsrc",
            "srcset",
            "imagesrcset",
            "rel",
        ),
        *("type", "http-equiv", "content", "style"),
    )
)

_DELAY = re.compile(r"[\t\n\f\r ]*+(?:\d++|(?=\.))[\d.]*+(?=[;,\t\n\f\r ])", re.ASCII)
_URL_PREFIX = re.compile(
    "[\t\n\f\r ]*+[;,]?[\t\n\f\r ]*+(?:url[\t\n\f\r ]*+=[\t\n\f\r ]*+)?", re.ASCII | re.IGNORECASE
)
_CANDIDATE = re.compile(r"[\t\n\f\r ,]*+([^\t\n\f\r ]++)")
_DESCRIPTORS = re.compile(r"(?:[^(,]++|\([^)]*+\)?)*+")


class PageLinks(Value):
    """The absolute URLs of a page: links to other pages, and embedded resources."""

    links: tuple[Link, ...]
    resources: tuple[Link, ...]


def page_links(response: Response) -> PageLinks:
    """Return the URLs of an HTML page or a style sheet; of any other response, none.

    >>> page = Response("http://example.com/a/", body=b"<img src=b.png><link rel=next href=c><iframe src=d>")
    >>> found = page_links(page)
    >>> [link.url for link in found.resources], [link.url for link in found.links]
    (['http://example.com/a/b.png'], ['http://example.com/a/c', 'http://example.com/a/d'])
    """
    kind = _kind(response)
    base = None
    links: list[Anchor] = []
    resources: list[Anchor] = []
    if is_style_sheet(response):
        resources = [(url, "", None) for url in islice(urls_in(_text(response)), _MAX_LINKS + 1)]
    elif kind in ("", "text/html", "application/xhtml+xml"):
        base = _read(_text(response), links, resources)
    return PageLinks(_resolved(links, response, base), _resolved(resources, response, base))


def is_style_sheet(response: Response) -> bool:
    """Return whether a response is a style sheet."""
    return _kind(response) == "text/css"


def _kind(response: Response) -> str:
    return _content_type(response).partition(";")[0].strip().lower()


def _content_type(response: Response) -> str:
    return (response.headers.get(b"Content-Type") or b"").decode("latin-1")


def _text(response: Response) -> str:
    return decoded(response.body, _content_type(response))


def _resolved(anchors: list[Anchor], response: Response, base: str | None) -> tuple[Link, ...]:
    """Return the absolute http and https URLs, each once."""
    found: dict[str, Link] = {}
    for link in links_of(anchors, response.url, base, True):
        if link.url is not None and link.url.lower().startswith(("http://", "https://")):
            found.setdefault(link.url, link)
    return tuple(found.values())


def _read(text: str, links: list[Anchor], resources: list[Anchor]) -> str | None:
    """Collect the URLs of a page, and return the URL of its first `base` element."""
    base: str | None = None
    remaining = MAX_LENGTH
    for found, content in start_tags(text, _NAMES if "xlink:" in text else _NAMES_WITHOUT_XLINK, _ATTRIBUTES):
        attributes = found.attributes
        if found.tag == "base" and base is None:
            base = attributes.get("href")
        for css in (content if found.tag == "style" else "", attributes.get("style", "")):
            if css and remaining > 0:
                _collect(resources, found, ((url, "") for url in urls_in(css[:remaining])))
                remaining -= len(css)
        _collect(links, found, _links_in(found))
        _collect(resources, found, ((url, "") for url in _resources_in(found)))
    return base


def _collect(anchors: list[Anchor], found: Element, urls: Iterator[tuple[str, str]]) -> None:
    room = _MAX_LINKS + 1 - len(anchors)  # one more, by which the rest is reported
    if room > 0:
        anchors.extend((url, rel, found.line) for url, rel in islice(urls, room))


def _links_in(found: Element) -> Iterator[tuple[str, str]]:
    """Yield the links of an element, each with its `rel`."""
    attributes = found.attributes
    if found.tag == "meta":
        if attributes.get("http-equiv", "").lower() == "refresh":
            url = _refresh(attributes.get("content", ""))
            if url:
                yield url, ""
    elif found.tag == "link":
        rel = attributes.get("rel", "")
        if attributes.get("href") and (_RESOURCE_RELS | _IGNORED_RELS).isdisjoint(rel.lower().split()):
            yield attributes["href"], rel
    elif attributes.get(_LINKS.get(found.tag, "")):
        yield attributes[_LINKS[found.tag]], attributes.get("rel", "")


def _resources_in(found: Element) -> Iterator[str]:
    tag, attributes = found.tag, found.attributes
    for name in _RESOURCES.get(tag, ()):
        if attributes.get(name, "#").strip()[:1] not in ("", "#"):
            yield attributes[name]
    if tag in _SRCSETS:
        yield from _candidates(attributes.get(_SRCSETS[tag], ""))
    if tag == "input" and attributes.get("type", "").lower() == "image" and attributes.get("src"):
        yield attributes["src"]
    if (
        tag == "link"
        and attributes.get("href")
        and _RESOURCE_RELS.intersection(attributes.get("rel", "").lower().split())
    ):
        yield attributes["href"]


def _refresh(content: str) -> str:
    """Return the URL of a META refresh (HTML 4.2.5.3, shared declarative refresh steps), or "".

    >>> _refresh("0; URL='/a b' now"), _refresh("5, /c"), _refresh("5"), _refresh("soon; url=/d")
    ('/a b', '/c', '', '')
    """
    delay = _DELAY.match(content)
    if delay is None:
        return ""
    after = _URL_PREFIX.match(content, delay.end())
    url = content[after.end() if after else delay.end() :]
    if url[:1] in ("'", '"'):
        url = url[1:].partition(url[0])[0]
    return url.strip()


def _candidates(written: str) -> Iterator[str]:
    """Yield the URLs of a `srcset` (HTML 4.8.4.2.2); a URL may contain commas.

    >>> list(_candidates("a.png, b,c.png 2x , d.png 100w,e.png"))
    ['a.png', 'b,c.png', 'd.png', 'e.png']
    """
    at = 0
    while found := _CANDIDATE.match(written, at):
        url, at = found[1], found.end()
        if url.endswith(","):
            url = url.rstrip(",")
        else:
            descriptors = _DESCRIPTORS.match(written, at)
            at = descriptors.end() if descriptors else at
        if url:
            yield url
