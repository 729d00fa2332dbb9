"""Read the title, the language and the canonical URL from the head of an HTML page."""

import re
from html import unescape

from ...protocol.page.encoding import decoded
from ...protocol.page.links import resolved
from ...protocol.page.markup import start_tags
from ...protocol.value import Value

#: Maximum number of bytes that are searched; a head is rarely longer than 10,000.
_MAX_HEAD = 65_536

#: Maximum number of characters of a title and of a language.
_MAX_TITLE, _MAX_LANGUAGE = 500, 35

_NOT_ASCII = bytes(range(0x80, 0x100))
_END = re.compile(rb"</head[\s>]|<body[\s>]", re.IGNORECASE)
_TAGS = ("html", "title", "base", "link")
_ATTRIBUTES = frozenset(("lang", "xml:lang", "href", "rel"))


class Head(Value):
    """The facts in the head of a page. Each is None if the page does not state it."""

    title: str | None
    language: str | None
    canonical: str | None


def head_of(body: bytes, content_type: str, url: str) -> Head:
    r"""Return the facts in the head of an HTML page; `url` is its URL.

    >>> page = b"<html lang=en><title> Tea\n &amp; more</title><link rel=canonical href=/tea>"
    >>> head_of(page, "text/html", "https://example.com/tea?x=1")
    Head(title='Tea & more', language='en', canonical='https://example.com/tea')
    """
    end = _END.search(body, 0, _MAX_HEAD)
    # Only the head names the encoding. A part that ends within a character would not be valid UTF-8.
    text = decoded(body[: end.end()] if end else body[:_MAX_HEAD].rstrip(_NOT_ASCII), content_type)
    found: dict[str, str] = {}
    for element, content in start_tags(text, _TAGS, _ATTRIBUTES, attribute="xml:lang"):
        attributes = element.attributes
        if element.tag == "html":
            found.setdefault("language", attributes.get("lang") or attributes.get("xml:lang", ""))
        elif element.tag == "title":
            found.setdefault("title", " ".join(unescape(content).split()))
        elif element.tag == "base":
            found.setdefault("base", attributes.get("href", ""))
        elif "canonical" in attributes.get("rel", "").lower().split():
            found.setdefault("canonical", attributes.get("href", ""))
    base = resolved(url, found.get("base", "")) or url
    canonical = resolved(base, found["canonical"]) if found.get("canonical", "").strip() else None
    return Head(
        found.get("title", "")[:_MAX_TITLE] or None,
        found.get("language", "").strip()[:_MAX_LANGUAGE] or None,
        canonical,
    )
