"""The elements of a page from a selectolax tree, for `comity.page_directives` (extra `page`).

selectolax builds a tree as browsers do, while Comity's own scanner only finds tags. For example, META tags in
a frameset do not count. Use it if your crawler builds such a tree anyway. It is not faster, and not safe for
large hostile pages: Lexbor, the parser in selectolax, takes quadratic time for deeply nested elements and for
many attributes (half a minute for 500 KB of `<div>`).
"""

import re
from collections.abc import Iterator

from . import named_package

with named_package(__name__):
    from selectolax.lexbor import LexborHTMLParser, LexborNode

from ..protocol import READ, WHITE, LineCounter
from ..protocol import elements as markup_elements
from ..protocol.page import Element

__all__ = ["LARGEST", "elements"]

#: Maximum length in characters of a text that is parsed here, in half a second at worst; see `elements`.
LARGEST = 65_536

_SELECTED = "meta, base, a, area"

#: Lexbor does not keep the offset of an element, so it is inserted into the tag as the first attribute (the
#: first of one name counts). It has no quotes or brackets, so it is harmless if the "tag" is part of a
#: comment, a script or a value. It is removed from values again.
_AT = "comity-at"
_TAG = re.compile(rf"<(?:meta|base|area|a)(?=[{WHITE}/>])", re.ASCII | re.IGNORECASE)
_WRITTEN = re.compile(rf" {_AT}=[0-9]++ ")


def elements(page: str | LexborHTMLParser) -> Iterator[Element]:
    r"""Yield the relevant elements of a page, from its text or from a tree.

    Elements from text have lines, and Comity's own scanner reads texts of more than `LARGEST` characters.
    Elements from a tree have no lines.

    >>> import comity
    >>> text = "<title>Tea</title>\n<meta name=robots content=noindex>"
    >>> comity.page_directives(html=text, elements=elements(text), agent="ExampleBot").index.source
    'meta robots, line 2'
    >>> tree = LexborHTMLParser(text)
    >>> comity.page_directives(elements=elements(tree), agent="ExampleBot").index.source
    'meta robots'
    """
    if isinstance(page, str):
        return markup_elements(page) if len(page) > LARGEST else _located(page)
    return (Element(str(node.tag), _attributes(node), None) for node in _nodes(page))


def _located(text: str) -> Iterator[Element]:
    """Yield the elements in the order of their tags, which the tree may change (foster parents)."""
    written = _TAG.sub(lambda tag: f"{tag[0]} {_AT}={tag.start()} ", text)
    tree = LexborHTMLParser(written.encode(errors="replace").decode())  # Lexbor does not accept surrogates
    # The adoption agency algorithm makes several elements of one tag; the first is complete.
    found: dict[int, LexborNode] = {}
    for node in _nodes(tree):
        found.setdefault(int(node.attributes.get(_AT) or 0), node)
    lines = LineCounter(text)
    for at, node in sorted(found.items(), key=lambda item: item[0]):
        yield Element(str(node.tag), _attributes(node), lines.at(at))


def _nodes(tree: LexborHTMLParser) -> Iterator[LexborNode]:
    """Yield the nodes of the tree, then the META tags in templates, which are separate trees."""
    yield from tree.css(_SELECTED)
    fragments = tree.template_fragments()
    while fragments:
        fragment = fragments.pop()
        yield from fragment.css("meta")
        fragments += fragment.template_fragments()


def _attributes(node: LexborNode) -> dict[str, str]:
    """Return the attributes that are read; an attribute without a value has an empty one."""
    return {name: _WRITTEN.sub("", value or "") for name, value in node.attributes.items() if name in READ}
