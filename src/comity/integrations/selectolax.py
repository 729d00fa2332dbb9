"""The elements of a page as selectolax finds them, for `comity.page_directives` (extra `page`).

A real tree is built, as in browsers, where Comity's own scanner only finds tags: what stands in a frameset
does not count, for instance. It is for those who have such a tree anyway. It is no faster, and no choice for
pages of any size that anyone may write: Lexbor, which is in selectolax, takes time with the square of how
deep elements nest and of how many attributes one has (500 KB of `<div>`: half a minute).
"""

import re
from collections.abc import Iterator

from selectolax.lexbor import LexborHTMLParser, LexborNode

from ..protocol.page import markup
from ..protocol.page.markup import Element

__all__ = ["LARGEST", "elements"]

#: Longer pages, in characters, are left to Comity's own scanner: the worst take about half a second.
LARGEST = 65_536

_SELECTED = "meta, base, a, area"

#: Lexbor does not keep where an element stood, so that it is written into its tag, as an attribute before all
#: others: the first of one name counts. Without quotes or brackets it can do no harm where the
#: "tag" is part of a comment, a script or a value; out of a value it is taken again.
_AT = "comity-at"
_TAG = re.compile(rf"<(?:meta|base|area|a)(?=[{markup.WHITE}/>])", re.ASCII | re.IGNORECASE)
_WRITTEN = re.compile(rf" {_AT}=[0-9]++ ")


def elements(page: str | LexborHTMLParser) -> Iterator[Element]:
    r"""Give the elements of a page that say something, from its text or from a tree that was made of it.

    From text, they have their lines, and pages of more than `LARGEST` characters are left to Comity's own
    scanner. From a tree they have none, and it costs next to nothing.

    >>> import comity
    >>> text = "<title>Tea</title>\n<meta name=robots content=noindex>"
    >>> comity.page_directives(html=text, elements=elements(text), agent="ExampleBot").index.source
    'meta robots, line 2'
    >>> tree = LexborHTMLParser(text)
    >>> comity.page_directives(elements=elements(tree), agent="ExampleBot").index.source
    'meta robots'
    """
    if isinstance(page, str):
        return markup.elements(page) if len(page) > LARGEST else _located(page)
    return (Element(str(node.tag), _attributes(node), None) for node in _nodes(page))


def _located(text: str) -> Iterator[Element]:
    """Give the elements in the order of their tags, which foster parents and the like may change."""
    written = _TAG.sub(lambda tag: f"{tag[0]} {_AT}={tag.start()} ", text)
    tree = LexborHTMLParser(written.encode(errors="replace").decode())  # surrogates are no characters to it
    # The adoption agency makes several elements of one tag; the first has all that matters.
    found: dict[int, LexborNode] = {}
    for node in _nodes(tree):
        found.setdefault(int(node.attributes.get(_AT) or 0), node)
    lines = markup.Lines(text)
    for at, node in sorted(found.items(), key=lambda item: item[0]):
        yield Element(str(node.tag), _attributes(node), lines.at(at))


def _nodes(tree: LexborHTMLParser) -> Iterator[LexborNode]:
    """Give the nodes of the tree, then those in templates, which are no part of it."""
    yield from tree.css(_SELECTED)
    fragments = tree.template_fragments()
    while fragments:
        fragment = fragments.pop()
        yield from fragment.css(_SELECTED)
        fragments += fragment.template_fragments()


def _attributes(node: LexborNode) -> dict[str, str]:
    """Give the attributes that are read; one without value has an empty one."""
    return {
        name: _WRITTEN.sub("", value or "") for name, value in node.attributes.items() if name in markup.READ
    }
