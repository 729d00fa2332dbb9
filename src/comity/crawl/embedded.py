"""What a page leads to besides its links: what it needs to be seen, and what it leads to by other means.

The first are images, style sheets, icons, scripts, sounds and the like, also those that its styles name. The
others are frames, META refreshes and `link` elements, which are links like any other. What is here is a
table of the elements and attributes of HTML and SVG, those of former standards too.
"""

import re
from collections.abc import Iterator
from itertools import islice

from scrapy.http import Response

from ..protocol.page.encoding import decoded
from ..protocol.page.links import Anchor, Link, links_of
from ..protocol.page.markup import Element, start_tags
from ..protocol.value import Value
from .stylesheet import LONGEST, addresses_in

__all__ = ["Leads", "embedded", "is_style_sheet"]

#: So many of a kind are looked at in one page.
_MOST = 10_000

#: The attributes by which elements embed what is needed to see them.
_PARTS = {
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

#: The attributes that name images with their widths or densities (HTML 4.8.4.2).
_SETS = {"img": "srcset", "source": "srcset", "link": "imagesrcset"}

#: The attributes that are links though they are no `href` of `a` or `area`.
_LINKS = {"frame": "src", "iframe": "src", "a": "xlink:href"}

#: What the `rel` of a `link` may say (HTML 4.6.7) that makes it part of the page...
_NEEDED = frozenset(
    (
        *("stylesheet", "icon", "apple-touch-icon", "apple-touch-icon-precomposed", "mask-icon"),
        *("manifest", "modulepreload", "preload"),
    )
)
#: ... and that makes it nothing to be fetched: a server to be greeted, or one that takes messages.
_GREETED = frozenset(("dns-prefetch", "preconnect", "pingback"))

_NAMES = (*_PARTS, *_LINKS, "base", "input", "link", "meta", "style")
#: Those of a page without XLink, most of whose tags are of `a`.
_PLAIN = tuple(name for name in _NAMES if name != "a")
_READ = frozenset(
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
_AFTER = re.compile(
    "[\t\n\f\r ]*+[;,]?[\t\n\f\r ]*+(?:url[\t\n\f\r ]*+=[\t\n\f\r ]*+)?", re.ASCII | re.IGNORECASE
)
_CANDIDATE = re.compile(r"[\t\n\f\r ,]*+([^\t\n\f\r ]++)")
_DESCRIPTORS = re.compile(r"(?:[^(,]++|\([^)]*+\)?)*+")


class Leads(Value):
    """What a page leads to: `links` lead to other pages, `parts` belong to it. Both are absolute."""

    __slots__ = ("links", "parts")
    links: tuple[Link, ...]
    parts: tuple[Link, ...]


def embedded(response: Response) -> Leads:
    """Give what a page, or a style sheet, leads to; what is neither leads nowhere.

    >>> page = Response("http://example.com/a/", body=b"<img src=b.png><link rel=next href=c><iframe src=d>")
    >>> leads = embedded(page)
    >>> [part.url for part in leads.parts], [link.url for link in leads.links]
    (['http://example.com/a/b.png'], ['http://example.com/a/c', 'http://example.com/a/d'])
    """
    kind = _kind(response)
    base = None
    links: list[Anchor] = []
    parts: list[Anchor] = []
    if is_style_sheet(response):
        parts = [(address, "", None) for address in islice(addresses_in(_text(response)), _MOST)]
    elif kind in ("", "text/html", "application/xhtml+xml"):
        base = _read(_text(response), links, parts)
    return Leads(_resolved(links, response, base), _resolved(parts, response, base))


def is_style_sheet(response: Response) -> bool:
    """Say whether a response is a style sheet."""
    return _kind(response) == "text/css"


def _kind(response: Response) -> str:
    return _content_type(response).partition(";")[0].strip().lower()


def _content_type(response: Response) -> str:
    return (response.headers.get(b"Content-Type") or b"").decode("latin-1")


def _text(response: Response) -> str:
    return decoded(response.body, _content_type(response))


def _resolved(anchors: list[Anchor], response: Response, base: str | None) -> tuple[Link, ...]:
    """Give the absolute ones, each once."""
    found: dict[str, Link] = {}
    for link in links_of(anchors, response.url, base, True):
        if link.url is not None and link.url.lower().startswith(("http://", "https://")):
            found.setdefault(link.url, link)
    return tuple(found.values())


def _read(text: str, links: list[Anchor], parts: list[Anchor]) -> str | None:
    """Collect what a page has, and give its base as it is written."""
    base: str | None = None
    styles = LONGEST  # so many characters of styles are read yet
    for found, within in start_tags(text, _NAMES if "xlink:" in text else _PLAIN, _READ):
        attributes = found.attributes
        if found.tag == "base" and base is None:
            base = attributes.get("href")
        for css in (within if found.tag == "style" else "", attributes.get("style", "")):
            if css and styles > 0:
                _collect(parts, found, ((address, "") for address in addresses_in(css[:styles])))
                styles -= len(css)
        _collect(links, found, _links_in(found))
        _collect(parts, found, ((address, "") for address in _parts_in(found)))
    return base


def _collect(anchors: list[Anchor], found: Element, told: Iterator[tuple[str, str]]) -> None:
    room = _MOST - len(anchors)
    if room > 0:
        anchors.extend((address, rel, found.line) for address, rel in islice(told, room))


def _links_in(found: Element) -> Iterator[tuple[str, str]]:
    """Give the links of an element, with what they say of themselves."""
    attributes = found.attributes
    if found.tag == "meta":
        if attributes.get("http-equiv", "").lower() == "refresh":
            address = _refresh(attributes.get("content", ""))
            if address:
                yield address, ""
    elif found.tag == "link":
        rel = attributes.get("rel", "")
        if attributes.get("href") and (_NEEDED | _GREETED).isdisjoint(rel.lower().split()):
            yield attributes["href"], rel
    elif attributes.get(_LINKS.get(found.tag, "")):
        yield attributes[_LINKS[found.tag]], attributes.get("rel", "")


def _parts_in(found: Element) -> Iterator[str]:
    tag, attributes = found.tag, found.attributes
    for name in _PARTS.get(tag, ()):
        if attributes.get(name, "#").strip()[:1] not in ("", "#"):
            yield attributes[name]
    if tag in _SETS:
        yield from _candidates(attributes.get(_SETS[tag], ""))
    if tag == "input" and attributes.get("type", "").lower() == "image" and attributes.get("src"):
        yield attributes["src"]
    if (
        tag == "link"
        and attributes.get("href")
        and _NEEDED.intersection(attributes.get("rel", "").lower().split())
    ):
        yield attributes["href"]


def _refresh(content: str) -> str:
    """Give where a META refresh leads (HTML 4.2.5.3, shared declarative refresh steps), or nothing.

    >>> _refresh("0; URL='/a b' now"), _refresh("5, /c"), _refresh("5"), _refresh("soon; url=/d")
    ('/a b', '/c', '', '')
    """
    delay = _DELAY.match(content)
    if delay is None:
        return ""
    after = _AFTER.match(content, delay.end())
    address = content[after.end() if after else delay.end() :]
    if address[:1] in ("'", '"'):
        address = address[1:].partition(address[0])[0]
    return address.strip()


def _candidates(written: str) -> Iterator[str]:
    """Give the addresses of a `srcset` (HTML 4.8.4.2.2), of which one that has commas is one.

    >>> list(_candidates("a.png, b,c.png 2x , d.png 100w,e.png"))
    ['a.png', 'b,c.png', 'd.png', 'e.png']
    """
    at = 0
    while found := _CANDIDATE.match(written, at):
        address, at = found[1], found.end()
        if address.endswith(","):
            address = address.rstrip(",")
        else:
            descriptors = _DESCRIPTORS.match(written, at)
            at = descriptors.end() if descriptors else at
        if address:
            yield address
