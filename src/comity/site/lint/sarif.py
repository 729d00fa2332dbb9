"""Findings -> SARIF 2.1.0, as plain data: what code scanning services read."""

from collections import Counter
from collections.abc import Iterable, Sequence
from hashlib import sha256
from urllib.parse import quote

from ...protocol.text import printable, to_text
from .finding import Edit, Finding
from .positions import Positions
from .rules import RULES

__all__ = ["sarif_of"]

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"

#: A word for each family of rules, by the first digit of their codes.
_TAGS = {
    "1": "file",
    "2": "groups",
    "3": "paths",
    "4": "fields",
    "5": "sitemaps",
    "6": "ai",
    "7": "interoperability",
    "8": "security",
    "9": "linter",
}

#: What SARIF calls the severities (3.27.10).
_LEVELS = {"error": "error", "warning": "warning", "information": "note"}


def sarif_of(
    reports: Iterable[tuple[str, bytes, Sequence[Finding]]], version: str, failures: Sequence[str] = ()
) -> dict[str, object]:
    r"""Make one log of the findings in some files, each with its name and its octets.

    Columns count code points, octets that are not UTF-8 as one each; the octets themselves are told by
    `byteOffset` and `byteLength`. All rules are described, from their own documentation. A finding has a
    fingerprint that stays while its line does, wherever that moves. `failures` say what could not be read.

    >>> import comity
    >>> body = b"User-agent: *\nDisallow: private"
    >>> log = sarif_of([("robots.txt", body, comity.lint(body))], "0.1.0")
    >>> log["runs"][0]["results"][0]["ruleId"]
    'C301'
    """
    places = {rule.code: at for at, rule in enumerate(RULES)}
    results = []
    for name, body, findings in reports:
        where = Positions(body)
        prints = _Fingerprints(where)
        results += [
            _result(finding, places[finding.code], _uri(name), where, prints.of(finding))
            for finding in findings
        ]
    driver = {
        "name": "Comity",
        "semanticVersion": version,
        "rules": [_rule(at) for at in range(len(RULES))],
    }
    told = [{"level": "error", "message": {"text": failure}} for failure in failures]
    invocation = {"executionSuccessful": not failures, "toolExecutionNotifications": told}
    run = {
        "tool": {"driver": driver},
        "invocations": [invocation],
        "columnKind": "unicodeCodePoints",
        "results": results,
    }
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
        "properties": {"tags": [_TAGS[rule.code[1]]]},
    }


class _Fingerprints:
    """Names for the findings of one file that stay the same in its next version (3.27.17)."""

    def __init__(self, where: Positions) -> None:
        self._where = where
        self._seen: Counter[tuple[str, bytes]] = Counter()

    def of(self, finding: Finding) -> str:
        """Take the code, what the line says, and how many such findings came before."""
        line, _ = self._where.line_and_column(finding.start)
        found = finding.code, b" ".join(self._where.text(line).split())
        self._seen[found] += 1
        code, text = found
        return f"{sha256(code.encode() + b' ' + text).hexdigest()[:32]}:{self._seen[found]}"


def _indented(text: str) -> str:
    return "\n".join(f"    {line}".rstrip() for line in text.splitlines())


def _result(finding: Finding, at: int, uri: str, where: Positions, fingerprint: str) -> dict[str, object]:
    more = f" (and {finding.more:,} more of this kind)" if finding.more else ""
    location = {"artifactLocation": {"uri": uri}, "region": _region(where, finding.start, finding.end)}
    result: dict[str, object] = {
        "ruleId": finding.code,
        "ruleIndex": at,
        "level": _LEVELS[finding.severity],
        "message": {"text": printable(finding.message) + more},
        "locations": [{"physicalLocation": location}],
        "partialFingerprints": {"codeAndLine/v1": fingerprint},
    }
    # A replacement in SARIF is text, so one that is not cannot be told.
    if finding.fix and all(_is_text(edit) for edit in finding.fix.edits):
        changes = [
            {
                "deletedRegion": _region(where, edit.start, edit.end),
                "insertedContent": {"text": to_text(edit.replacement)},
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


def _region(where: Positions, start: int, end: int) -> dict[str, object]:
    first, column = where.line_and_column(start)
    last, end_column = where.line_and_column(end)
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
