"""A response and its page -> the licences that they name: `Link` header fields, links and inline documents.

`Link: <URL>; rel="license"; type="application/rsl+xml"` is about the response that carries it. A `<link>` or
a `<script>` of this type is about the document, if it is in the head; elsewhere it is about a part of the
page, and does not decide here. A `rel="license"` without the type is another kind of licence, not read here.
"""

import re
from collections.abc import Iterator, Sequence

from ..page.license_tags import MEDIA_TYPE, LicenseMark, is_license
from ..robotstxt.fields.license import MOST, license_fault
from ..text import shortened
from ..url_reference import resolved
from ..value import Value

#: Maximum length of a `Link` field in characters, and maximum number of its lines.
_LENGTH, _LINES = 8192, 32

#: One link of a `Link` field (RFC 8288 3): the target, and its parameters, up to a comma outside quotes.
_LINK = re.compile(r"<([^<>]*+)>((?:[^,\"]++|\"(?:[^\"\\]++|\\.|(?!))*+\"?+|(?!))*+)")
_PARAMETER = re.compile(r";\s*+([^\s=;,\"]++)\s*+=\s*+(?:\"((?:[^\"\\]++|\\.|(?!))*+)\"?+|([^\s;,\"]*+))")
_ESCAPED = re.compile(r"\\(.)")


class LicenseLink(Value):
    """A licence that a response or a page names.

    `source` is "header" or "html", `place` the line in the page, or `None`, and `text` the text there. `url`
    is the URL of the document, and `body` an inline document; one of them is `None`. `fault` is the reason
    why the document cannot be read, or `None`. `is_whole` is false if it is about a part of the page only.
    """

    source: str
    place: int | None
    text: str
    url: str | None
    body: str | None
    fault: str | None
    is_whole: bool


def from_header(values: Sequence[str], page_url: str) -> Iterator[LicenseLink]:
    """Yield the licences of the `Link` fields of the response for a URL.

    >>> value = '</license.xml>; rel="license"; type="application/rsl+xml", </next>; rel=next'
    >>> [link.url for link in from_header([value], "https://example.com/tea")]
    ['https://example.com/license.xml']
    """
    for value in values[:_LINES]:
        for target, parameters, text in header_links(value):
            if is_license(parameters.get("rel", ""), parameters.get("type", "")):
                yield _link("header", None, f"Link: {text}", page_url, target)


def header_links(value: str) -> Iterator[tuple[str, dict[str, str], str]]:
    """Yield the links of a `Link` field that are about the response: target, parameters, and the whole text.

    >>> [(target, named) for target, named, _ in header_links("</a>; rel=next, </b>; rel=x; anchor=#y")]
    [('/a', {'rel': 'next'})]
    """
    for link in _LINK.finditer(value[:_LENGTH]):
        parameters: dict[str, str] = {}
        for name, quoted, plain in _PARAMETER.findall(link[2]):
            parameters.setdefault(name.lower(), _ESCAPED.sub(r"\1", quoted) or plain)
        if "anchor" not in parameters:
            yield link[1], parameters, link[0].strip(", ")


def from_page(marks: Sequence[LicenseMark], page_url: str, base: str | None) -> Iterator[LicenseLink]:
    """Yield the licences of a page."""
    for mark in marks:
        if mark.body is not None:
            text = f'<script type="{MEDIA_TYPE}">'
            yield LicenseLink("html", mark.line, text, None, mark.body, None, mark.in_head)
        else:
            href = mark.href or ""
            text = f'<link rel="license" href="{href}">'
            found = _link("html", mark.line, text, _base(page_url, base), href)
            yield found.replace(is_whole=mark.in_head)


def limited(links: Sequence[LicenseLink]) -> Sequence[LicenseLink]:
    """Return the first links; if there are more, the next one says that they are not read."""
    if len(links) <= MOST:
        return links
    fault = f"only the first {MOST} licences are read"
    return [*links[:MOST], links[MOST].replace(url=None, body=None, fault=fault)]


def _base(page_url: str, base: str | None) -> str:
    return resolved(page_url, base) or page_url if base is not None else page_url


def _link(source: str, place: int | None, text: str, base: str, target: str) -> LicenseLink:
    """Resolve a target; a relative one is read too, because a licence only restricts."""
    url = resolved(base, shortened(target, 4096))
    url = None if url is None else url.partition("#")[0]
    fault = "its URL cannot be resolved" if url is None else license_fault(url)
    return LicenseLink(source, place, text, url, None, fault, True)
