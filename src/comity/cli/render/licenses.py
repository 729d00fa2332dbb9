"""RSL documents as text and as JSON: their terms, and the mistakes in them."""

from collections.abc import Iterable, Sequence

from ...desk import NamedLicense
from ...protocol import counted, printable, shortened, without_password
from ...protocol.usage import Rsl, RslContent, RslFinding, RslLicense
from ..terminal import Styled, echo

#: Maximum number of contents of a document that are printed as text.
_SHOWN = 20

#: The codes of findings that need no correction.
_NOTES = frozenset(("rsl-prefix", "rsl-unreachable", "rsl-needs-token"))

_STYLES = {"error": "red", "warning": "yellow", "information": None}


def severity(finding: RslFinding) -> str:
    """Return "error", "warning" or "information", as for the other problems of pages."""
    return "error" if finding.is_error else "information" if finding.code in _NOTES else "warning"


def show_licenses(licenses: Sequence[NamedLicense], contradictions: Iterable[str]) -> None:
    """Print the licences that a page and its site name, each with its terms and mistakes."""
    if not licenses:
        echo("Licences: none is named")
        return
    echo("Licences:")
    for one in licenses:
        where = one.link.source if one.link.place is None else f"{one.link.source} line {one.link.place}"
        name = "an inline document" if one.link.body is not None else "a further licence"
        if one.link.url is not None:
            name = without_password(one.link.url)
        part = "" if one.link.is_whole else "; about a part of the page, so it is not read"
        echo(f"  {printable(name)} ({where}{part})")
        if one.document.parsed is not None:
            show_document(one.document.parsed, one.document.size, indent="    ")
        show_findings(one.findings, indent="    ")
    for sentence in contradictions:
        echo("  ", Styled("warning", _STYLES["warning"]), f" rsl-contradiction: {sentence}")


def show_document(document: Rsl, size: int, *, indent: str = "") -> None:
    """Print the terms of a document."""
    if document.fault is not None:
        return
    kind = "RSS feed" if document.is_feed else "RSL document"
    echo(
        f"{indent}{kind}, {counted(size, 'byte')}; to be read again after {counted(document.max_age, 'day')}"
    )
    for content in document.contents[:_SHOWN]:
        echo(f"{indent}line {content.line}: {printable(shortened(content.url, 200)) or 'the page itself'}")
        if content.server is not None:
            echo(f"{indent}  licence server: {printable(shortened(content.server, 200))}")
        for one in content.licenses:
            echo(f"{indent}  {_terms(one)}")
    if len(document.contents) > _SHOWN:
        echo(f"{indent}and {counted(len(document.contents) - _SHOWN, 'more content')}")


def show_findings(findings: Iterable[RslFinding], *, indent: str = "", file: str = "") -> None:
    """Print the mistakes in a document."""
    for one in findings:
        level = severity(one)
        place = f"{file}:{one.line}: " if file else ""
        line = "" if file or one.code == "rsl-unavailable" else f" (line {one.line})"
        echo(f"{indent}{place}", Styled(level, _STYLES[level]), f" {one.code}: {one.message}{line}")


def license_record(one: NamedLicense) -> dict[str, object]:
    """Return a licence as JSON. Its `document` is null if it is not available."""
    return {
        "url": None if one.link.url is None else printable(without_password(one.link.url)),
        "source": one.link.source,
        "line": one.link.place,
        "text": printable(shortened(one.link.text, 500)),
        "whole_page": one.link.is_whole,
        **document_record(one.document.parsed, one.document.size, one.findings),
    }


def document_record(document: Rsl | None, size: int, findings: Iterable[RslFinding]) -> dict[str, object]:
    """Return a document as JSON."""
    parsed: dict[str, object] | None = None
    if document is not None:
        parsed = {
            "bytes": size,
            "is_feed": document.is_feed,
            "max_age": document.max_age,
            "fault": document.fault,
            "contents": [_content(one) for one in document.contents],
        }
    return {
        "document": parsed,
        "findings": [{**one.record(), "severity": severity(one)} for one in findings],
    }


def _content(content: RslContent) -> dict[str, object]:
    return {**content.record(), "needs_token": content.needs_token}


def _terms(one: RslLicense) -> str:
    parts = [
        f"{verb} {kind} {' '.join(tokens)}"
        for verb, lists in (("permits", one.permits), ("prohibits", one.prohibits))
        for kind, tokens in lists
    ]
    payment = f"payment: {one.payment}" if one.payment else "no payment"
    return printable("; ".join([*(parts or ["any use"]), payment]))
