"""The text of a page -> the RSL licences that it links to or contains, each with its line."""

import re

from ..text import to_bytes
from ..value import Value
from .encoding import may_match
from .markup import start_tags

#: The media type of RSL documents.
MEDIA_TYPE = "application/rsl+xml"

#: Maximum number of licences of a page that are kept, one more than are read.
_KEPT = 9

#: Maximum length of an inline document in characters, a little more than is read.
_LONGEST = (1 << 20) + 1

#: Found in a page, in lower case, that may name the media type; `&` may begin the plus sign.
_POSSIBLE = re.compile(rb"rsl[+&]")

#: The attributes that are read.
_READ = frozenset(("rel", "type", "href"))


class LicenseMark(Value):
    """A `<link>` to an RSL document, or a `<script>` that contains one.

    `href` is the reference as written, or `None`; `body` is the inline document, or `None`. `line` is the
    line of the tag. `in_head` is false after the `body` tag, where it is about a part of the page.

    >>> html = '<link rel="license" type="application/rsl+xml" href="/license.xml">'
    >>> license_marks(html)
    (LicenseMark(href='/license.xml', body=None, line=1, in_head=True),)
    """

    href: str | None
    body: str | None
    line: int | None
    in_head: bool


def is_license(rel: str, media_type: str) -> bool:
    """Return whether a link names an RSL document.

    >>> is_license("License nofollow", "application/RSL+xml; charset=utf-8")
    True
    >>> is_license("license", "text/html")
    False
    """
    return "license" in rel.lower().split() and _is_rsl(media_type)


def may_have_licenses(html: bytes | str) -> bool:
    """Return whether a page may have licences. This is much faster than reading it.

    >>> may_have_licenses("<p>universally"), may_have_licenses("<script type=application/RSL+xml>")
    (False, True)
    """
    return may_match(_POSSIBLE, to_bytes(html).lower())


def license_marks(text: str) -> tuple[LicenseMark, ...]:
    """Return the first licences of a page, in order.

    >>> [mark.body for mark in license_marks('<body><script type="application/rsl+xml"><rsl/></script>')]
    ['<rsl/>']
    """
    found: list[LicenseMark] = []
    in_head = True
    for element, content in start_tags(text, ("link", "script", "body"), _READ, attribute="rsl-license"):
        attributes = element.attributes
        media_type = attributes.get("type", "")
        if element.tag == "body":
            in_head = False
        elif element.tag == "script" and _is_rsl(media_type):
            found.append(LicenseMark(None, content[:_LONGEST], element.line, in_head))
        elif element.tag == "link" and is_license(attributes.get("rel", ""), media_type):
            found.append(LicenseMark(attributes.get("href", ""), None, element.line, in_head))
        if len(found) == _KEPT:
            break
    return tuple(found)


def _is_rsl(media_type: str) -> bool:
    return media_type.partition(";")[0].strip().lower() == MEDIA_TYPE
