r"""The text of a page -> the few tags and comments that matter, each with its line.

This is the tokenizer of the WHATWG (HTML 13.2.5) as far as it finds where tags, attributes, comments and raw
text begin and end, and no more: no tree is built. The standard library has `html.parser`, which is no
choice for hostile pages: 240 KB of `<!--` take it 23 seconds with Python 3.11, and four times that for twice
as much. Here every octet is read a bounded number of times: a page is walked from front to back, all patterns
are constants without backtracking, and what has no end (a tag, a comment, a script) ends the page, as it
does in browsers. What is of no interest is skipped within one match, so that Python sees few tags.

It is on the side of reading more where browsers differ among themselves: `<noscript>` and `<template>` are
read as markup, and so is what follows `<script/>` and its like, which are complete in XHTML and SVG.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from html import unescape
from html.entities import html5

from ..value import Value

__all__ = [
    "READ",
    "WHITE",
    "Element",
    "Lines",
    "Mark",
    "attributes_of",
    "elements",
    "scan",
    "start_tags",
    "tags_of",
]

#: What separates attributes; CR, which the standard turns into LF beforehand, is one too.
WHITE = r"\t\n\f\r "

#: The elements that say something themselves.
_SPEAKING = ("meta", "base", "a", "area")
#: The elements whose content is text until their end tag, whatever it looks like (HTML 13.2.6.4).
_RAW = ("script", "style", "textarea", "title", "xmp", "iframe", "noembed", "noframes", "plaintext")
#: The elements in which these are elements like others (HTML 13.2.6.5).
_FOREIGN = ("svg", "math")
#: The elements that may bear `data-nosnippet` (Google).
_BEARERS = ("div", "span", "section")

#: The attributes that are read; no other is kept.
READ = frozenset(("name", "content", "href", "rel", "charset", "http-equiv", "data-nosnippet"))

#: What is between the name of a tag and its end: an attribute, or what separates them.
_ONE = (
    rf"[{WHITE}/]++|[^{WHITE}/>][^{WHITE}/>=]*+(?:"
    rf"[{WHITE}]*+=[{WHITE}]*+(?:\"[^\"]*+\"|'[^']*+'|[^{WHITE}\"'>][^{WHITE}>]*+|(?=>))"
    rf"|(?![{WHITE}]*+=))"
)
#: Attributes and the end of a tag. A quote without an end makes it fail, and the tag has no end either.
_REST = rf"(?:{_ONE})*+>"
_ATTRIBUTE = re.compile(
    rf"([^{WHITE}/>][^{WHITE}/>=]*+)(?:[{WHITE}]*+=[{WHITE}]*+"
    rf"(?:\"([^\"]*+)\"|'([^']*+)'|([^{WHITE}\"'>][^{WHITE}>]*+))?)?"
)
_COMMENT_REST = r"(?:[^-]++|-(?!-!?>))*+--!?>"
_MARK = rf"[{WHITE}]*+(?:/?noindex|googleo(?:ff|n))"


class _Patterns:
    """The patterns that find the next of some start tags, end tags and comments."""

    __slots__ = ("skip", "tag")

    def __init__(self, starts: tuple[str, ...], ends: tuple[str, ...], comments: str) -> None:
        start, end = "|".join(starts), "|".join(ends) or "(?!)"
        after = rf"(?=[{WHITE}/>])"
        name = rf"[a-z][^{WHITE}/>]*+"
        self.skip = re.compile(
            rf"(?:[^<]++|<(?![a-z/!?])|<(?!(?:{start}){after}){name}{_REST}|</(?!(?:{end}){after}){name}{_REST}"
            rf"|<!---?>|<!--(?!-?>|{comments}){_COMMENT_REST}|<(?:!(?!--)|\?|/(?![a-z]))[^>]*+>)*+",
            re.ASCII | re.IGNORECASE,
        )
        self.tag = re.compile(rf"<((?:{start}|/(?:{end}))){after}{_REST}", re.ASCII | re.IGNORECASE)


@lru_cache
def _patterns(marked: bool, foreign: bool) -> _Patterns:
    """Give the patterns for a page: those with the attribute, or with SVG or MathML, need more of them."""
    regions = ("noindex", *(_BEARERS if marked else ()), *(_FOREIGN if foreign else ()))
    return _Patterns(_SPEAKING + _RAW + regions, regions, _MARK)


_METAS = _Patterns(("meta",), (), "(?!)")

_NOSNIPPET = re.compile("data-nosnippet", re.ASCII | re.IGNORECASE)
_FOREIGN_TAG = re.compile("<(?:svg|math)", re.ASCII | re.IGNORECASE)
_COMMENT = re.compile(r"<!--((?:[^-]++|-(?!-!?>))*+)--!?>")
_RAW_END = {
    name: re.compile(rf"</{name}(?=[{WHITE}/>])", re.ASCII | re.IGNORECASE)
    for name in _RAW
    if name not in ("script", "plaintext")
}
_SCRIPT = re.compile(rf"<!--|-->|</?script(?=[{WHITE}/>])", re.ASCII | re.IGNORECASE)
_REFERENCE = re.compile(r"&(?:#(?:[0-9]++|[xX][0-9a-fA-F]++);?|[0-9a-zA-Z]++(?:;|(?!=)))")


class Element(Value):
    r"""A start tag: its name in lower case, the attributes that matter, and its line.

    `attributes` are those that the page rules read, by name in lower case, character references decoded;
    of two with one name, the first. `line` is `None` where a parser knows no lines. This is all that the
    judging knows of a page, whatever parser it came from.

    >>> list(elements('<p>Tea\n<META name="robots" content=noindex lang=en>'))
    [Element(tag='meta', attributes={'name': 'robots', 'content': 'noindex'}, line=2)]
    """

    __slots__ = ("tag", "attributes", "line")
    tag: str
    attributes: dict[str, str]
    line: int | None


class Mark(Value):
    """A tag or comment that may begin or end a region of the text.

    `name` is that of the tag in lower case, with its slash if it is an end tag, or `!--` and the text of
    the comment. `bears` says whether it has the attribute `data-nosnippet`. `start` and `end` are its first
    character and the one behind it, `line` is where it starts.
    """

    __slots__ = ("name", "bears", "start", "end", "line")
    name: str
    bears: bool
    start: int
    end: int
    line: int


class Lines:
    r"""Tells lines of a text by offsets that only grow; CR, LF and CRLF end a line.

    >>> lines = Lines("a\r\nb\rc")
    >>> lines.at(1), lines.at(3), lines.at(5)
    (1, 2, 3)
    """

    __slots__ = ("_carriage", "_line", "_offset", "_text")

    def __init__(self, text: str) -> None:
        """Begin at the first line."""
        self._text, self._offset, self._line = text, 0, 1
        self._carriage = "\r" in text

    def at(self, offset: int) -> int:
        """Give the line of a character that is no line end."""
        text, last = self._text, self._offset
        self._line += text.count("\n", last, offset)
        if self._carriage:
            self._line += text.count("\r", last, offset) - text.count("\r\n", last, offset)
        self._offset = offset
        return self._line


def elements(text: str) -> Iterator[Element]:
    """Give the elements of a page that say something: `meta`, `base`, `a` and `area`, in order."""
    return (found for found in scan(text) if isinstance(found, Element))


def scan(text: str) -> Iterator[Element | Mark]:
    """Give all that matters in a page, in order and in one pass: elements that speak, and marks."""
    lines = Lines(text)
    patterns = _patterns(bool(_NOSNIPPET.search(text)), bool(_FOREIGN_TAG.search(text)))
    skip, find_tag = patterns.skip.match, patterns.tag.match
    at = 0
    foreign = 0  # how many elements of other languages are open
    while True:
        skipped = skip(text, at)
        at = skipped.end() if skipped else at
        tag = find_tag(text, at)
        if tag is None:
            comment = _COMMENT.match(text, at)
            if comment is None:
                return  # the end, or something without an end
            yield Mark("!--" + comment[1].strip().lower(), False, at, comment.end(), lines.at(at))
            at = comment.end()
            continue
        name, start, at = tag[1].lower(), at, tag.end()
        if name in _SPEAKING:
            yield Element(name, attributes_of(text, tag.end(1), at), lines.at(start))
        elif name.removeprefix("/") in _FOREIGN:
            foreign = max(foreign + (-1 if name[0] == "/" else 1), 0)
        elif name not in _RAW:
            bears = name in _BEARERS and "data-nosnippet" in attributes_of(text, tag.end(1), at)
            yield Mark(name, bears, start, at, lines.at(start))
        elif not text.endswith("/>", start, at):
            inside, at = at, _after_raw(text, name, at)
            if foreign:  # it may be markup, or not: META tags in it count, and it ends where text would
                for begin, end in tags_of(text, inside, at):
                    yield Element("meta", attributes_of(text, begin, end), lines.at(begin))


def tags_of(text: str, at: int = 0, end: int | None = None) -> Iterator[tuple[int, int]]:
    """Give where the attributes of each META tag are, reading scripts as markup.

    That is how the first octets of a page are searched for its encoding.
    """
    end = len(text) if end is None else end
    while True:
        skipped = _METAS.skip.match(text, at, end)
        tag = _METAS.tag.match(text, skipped.end() if skipped else at, end)
        if tag is None:
            return
        at = tag.end()
        yield tag.end(1), at


def start_tags(text: str, names: tuple[str, ...], read: frozenset[str]) -> Iterator[tuple[Element, str]]:
    """Give the start tags of some names, and all that have a `style`, in order, each with the text within.

    Only what is raw text, as in the element `style`, has text; of attributes, those of `read` are given.

    >>> [(found, text)] = start_tags("<b><style media=all>b {}</style>", ("style",), frozenset(("media",)))
    >>> found.attributes, text
    ({'media': 'all'}, 'b {}')
    """
    lines = Lines(text)
    patterns = _start_patterns(names, bool(_STYLE.search(text)))
    at = 0
    while True:
        skipped = patterns.skip.match(text, at)
        at = skipped.end() if skipped else at
        tag = patterns.tag.match(text, at)
        if tag is None:
            return  # the end, or something without an end
        name, start, at = tag[1].lower(), at, tag.end()
        inside = at
        if name in _RAW and not text.endswith("/>", start, at):
            at = _after_raw(text, name, at)
        attributes = attributes_of(text, tag.end(1), inside, read)
        if name in names or "style" in attributes:
            yield Element(name, attributes, lines.at(start)), text[inside:at]


_STYLE = re.compile(rf"style[{WHITE}]*+=", re.ASCII | re.IGNORECASE)


@lru_cache
def _start_patterns(names: tuple[str, ...], styled: bool) -> _Patterns:
    """Give the patterns for start tags; those of pages without styles are quicker."""
    style = rf"style[{WHITE}]*+="
    styles = (rf"[a-z][^{WHITE}/>]*+(?=(?:(?!{style})(?:{_ONE}))*+{style})",) if styled else ()
    return _Patterns((*names, *_RAW, *styles), (), "(?!)")


def attributes_of(text: str, start: int, end: int, read: frozenset[str] = READ) -> dict[str, str]:
    """Read the attributes that matter, of a tag whose name ends at `start` and which ends at `end`."""
    found: dict[str, str] = {}
    for attribute in _ATTRIBUTE.finditer(text, start, end):
        name = attribute[1].lower()
        if name in read and name not in found:
            value = attribute[2] or attribute[3] or attribute[4] or ""
            found[name] = _REFERENCE.sub(_character, value) if "&" in value else value
    return found


def _after_raw(text: str, name: str, at: int) -> int:
    """Find the end tag of an element whose content is text."""
    if name == "script":
        return _after_script(text, at)
    found = None if name == "plaintext" else _RAW_END[name].search(text, at)
    return found.start() if found else len(text)


def _after_script(text: str, at: int) -> int:
    """Find the end tag of a script; within `<!--`, a `<script` hides the next one (HTML 13.2.5.20-31)."""
    escaped = hiding = False
    while found := _SCRIPT.search(text, at):
        at = found.end()
        match found[0].lower():
            case "<!--":
                escaped, at = True, at - 2  # `<!-->` is both
            case "-->":
                escaped = hiding = False
            case "<script":
                hiding = escaped
            case _ if hiding:
                hiding = False
            case _:
                return found.start()
    return len(text)


def _character(reference: "re.Match[str]") -> str:
    """Decode a character reference as in an attribute (HTML 13.2.5.73): `&copy=2` is not one."""
    written = reference[0]
    if written[1] != "#":
        return html5.get(written[1:], written)
    # `int`, which `unescape` uses, refuses numbers of more than 4300 digits
    digits = written[2:].rstrip(";").lstrip("xX0")
    return unescape(written) if len(digits) <= 7 else "\ufffd"
