"""Findings -> SARIF 2.1.0, as plain data: what code scanning services read."""

from collections.abc import Iterable, Sequence
from urllib.parse import quote

from ...protocol.robotstxt.verdict import printable, text_of
from .finding import Edit, Finding
from .places import Places
from .rules import RULES

__all__ = ["sarif_of"]

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"

#: What SARIF calls the severities (3.27.10).
_LEVELS = {"error": "error", "warning": "warning", "information": "note"}


def sarif_of(reports: Iterable[tuple[str, bytes, Sequence[Finding]]], version: str) -> dict[str, object]:
    r"""Make one log of the findings in some files, each with its name and its octets.

    Columns count code points, octets that are not UTF-8 as one each; the octets themselves are told by
    `byteOffset` and `byteLength`. All rules are described, from their own documentation.

    >>> import comity
    >>> body = b"User-agent: *\nDisallow: private"
    >>> log = sarif_of([("robots.txt", body, comity.lint(body))], "0.1.0")
    >>> log["runs"][0]["results"][0]["ruleId"]
    'C301'
    """
    places = {rule.code: at for at, rule in enumerate(RULES)}
    results = []
    for name, body, findings in reports:
        where = Places(body)
        results += [_result(finding, places[finding.code], _uri(name), where) for finding in findings]
    driver = {
        "name": "Comity",
        "semanticVersion": version,
        "rules": [_rule(at) for at in range(len(RULES))],
    }
    run = {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": results}
    return {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}


def _rule(at: int) -> dict[str, object]:
    rule = RULES[at]
    parts = rule.explanation
    said = f"{parts.why}\n\nInstead:\n\n{_indented(parts.instead)}\n\nSource: {parts.source}"
    return {
        "id": rule.code,
        "name": "".join(word.capitalize() for word in rule.name.split("-")),
        "shortDescription": {"text": parts.summary or rule.name},
        "fullDescription": {"text": parts.what or rule.name},
        "help": {"text": said},
        "defaultConfiguration": {"level": _LEVELS[rule.severity], "enabled": rule.default},
    }


def _indented(text: str) -> str:
    return "\n".join(f"    {line}".rstrip() for line in text.splitlines())


def _result(finding: Finding, at: int, uri: str, where: Places) -> dict[str, object]:
    more = f" (and {finding.more:,} more of this kind)" if finding.more else ""
    location = {"artifactLocation": {"uri": uri}, "region": _region(where, finding.start, finding.end)}
    result: dict[str, object] = {
        "ruleId": finding.code,
        "ruleIndex": at,
        "level": _LEVELS[finding.severity],
        "message": {"text": printable(finding.message) + more},
        "locations": [{"physicalLocation": location}],
    }
    # A replacement in SARIF is text, so one that is not cannot be told.
    if finding.fix and all(_is_text(edit) for edit in finding.fix.edits):
        changes = [
            {
                "deletedRegion": _region(where, edit.start, edit.end),
                "insertedContent": {"text": text_of(edit.replacement)},
            }
            for edit in finding.fix.edits
        ]
        change = {"artifactLocation": {"uri": uri}, "replacements": changes}
        safe = "safe" if finding.fix.safe else "not safe: it may change what robots are answered"
        result["fixes"] = [{"description": {"text": f"A fix that is {safe}."}, "artifactChanges": [change]}]
    return result


def _is_text(edit: Edit) -> bool:
    try:
        edit.replacement.decode()
    except UnicodeDecodeError:
        return False
    return True


def _region(where: Places, start: int, end: int) -> dict[str, object]:
    first, column = where.of(start)
    last, end_column = where.of(end)
    return {
        "startLine": first,
        "startColumn": column,
        "endLine": last,
        "endColumn": end_column,
        "byteOffset": start,
        "byteLength": end - start,
    }


def _uri(name: str) -> str:
    """Make a relative reference of a file's name; a URL stays as it is."""
    if "://" in name:
        return name
    octets = name.replace("\\", "/").encode(errors="surrogateescape")
    return quote(octets, safe="/").removeprefix("./") or "."
