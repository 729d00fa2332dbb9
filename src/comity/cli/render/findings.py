"""How `comity lint` prints findings: for people, for programs, and for services that annotate changes."""

import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from importlib.metadata import version
from typing import NamedTuple

import click

from ...protocol.robotstxt.verdict import printable, text_of
from ...site.lint.finding import SEVERITIES, Finding
from ...site.lint.places import Places

__all__ = ["FORMATS", "Report", "summary"]

#: A line is shown up to so many characters around the span.
_SHOWN = 100

_COLOURS = {"error": "red", "warning": "yellow", "information": "blue"}


class Report(NamedTuple):
    """A file's name, its octets and what was found in it."""

    name: str
    body: bytes
    findings: Sequence[Finding]


def _text(reports: Sequence[Report], _failures: Sequence[str]) -> Iterator[str]:
    """Show each finding with the line that it is about and a mark under the span."""
    for report in reports:
        where = Places(report.body)
        for finding in report.findings:
            line, column = where.of(finding.start)
            word = click.style(finding.severity, fg=_COLOURS[finding.severity])
            place = f"{printable(report.name)}:{line}:{column}"
            said = printable(finding.message)
            yield f"{place}: {word} {finding.code} {finding.name}: {said}{_fixable(finding)}"
            yield from _excerpt(where, finding)
            if finding.more:
                yield f"{printable(report.name)}: and {finding.more:,} more of {finding.code}"


def _fixable(finding: Finding) -> str:
    return "" if finding.fix is None else " [fix]" if finding.fix.safe else " [unsafe fix]"


def _excerpt(where: Places, finding: Finding) -> Iterator[str]:
    """Show a part of the line that has the span; what is escaped there is escaped under the mark too."""
    line, column = where.of(finding.start)
    last, end = where.of(finding.end)
    text = text_of(where.text(line)).replace("\t", " ")
    if not text.strip():
        return
    if last > line:  # the span has the end of the line in it
        end = len(text) + 1
    begin = max(min(column - 1 - _SHOWN // 4, len(text) - _SHOWN), 0)
    stop = begin + _SHOWN
    before, marked = printable(text[begin : column - 1]), printable(text[column - 1 : min(end - 1, stop)])
    lead, tail = "..." * (begin > 0), "..." * (stop < len(text))
    after = printable(text[min(end - 1, stop) : stop])
    gutter = " " * len(str(line))
    yield f"  {line} | {lead}{before}{marked}{after}{tail}"
    yield f"  {gutter} | {' ' * _width(lead + before)}{'^' * max(_width(marked), 1)}"


def _width(text: str) -> int:
    from rich.cells import cell_len

    return cell_len(text)


def _json(reports: Sequence[Report], _failures: Sequence[str]) -> Iterator[str]:
    """Give one JSON object a line, for programs."""
    for report in reports:
        for finding in report.findings:
            fix = finding.fix and {
                "safe": finding.fix.safe,
                "edits": [
                    {"start": edit.start, "end": edit.end, "replacement": _escaped(edit.replacement)}
                    for edit in finding.fix.edits
                ],
            }
            yield json.dumps(
                {
                    "file": printable(report.name),
                    "line": finding.line,
                    "column": finding.column,
                    "end_column": finding.end_column,
                    "start": finding.start,
                    "end": finding.end,
                    "code": finding.code,
                    "name": finding.name,
                    "severity": finding.severity,
                    "message": printable(finding.message),
                    "fix": fix,
                    "more": finding.more,
                }
            )


def _escaped(octets: bytes) -> str:
    """Give text that JSON can hold; what is not UTF-8 comes out escaped."""
    return octets.decode(errors="backslashreplace")


def _sarif(reports: Sequence[Report], failures: Sequence[str]) -> Iterator[str]:
    """Give a SARIF 2.1.0 log, which says too what could not be read: findings there are not gone."""
    from ...site.lint.sarif import sarif_of

    yield json.dumps(sarif_of(reports, version("comity"), failures), indent=2)


def _github(reports: Sequence[Report], _failures: Sequence[str]) -> Iterator[str]:
    """Give workflow commands, which GitHub shows beside the lines of a change."""
    levels = {"error": "error", "warning": "warning", "information": "notice"}
    for report in reports:
        where = Places(report.body)
        for finding in report.findings:
            line, column = where.of(finding.start)
            _, end = where.of(finding.end)
            more = f" (and {finding.more:,} more of this kind)" if finding.more else ""
            properties = {
                "title": f"{finding.code} {finding.name}",
                "file": printable(report.name),
                "line": str(line),
                "col": str(column),
                "endColumn": str(max(end, column)),
            }
            told = ",".join(f"{key}={_property(value)}" for key, value in properties.items())
            yield f"::{levels[finding.severity]} {told}::{_data(printable(finding.message) + more)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def summary(reports: Sequence[Report]) -> str:
    """Count the findings by severity, in a line."""
    counts = Counter(dict.fromkeys(SEVERITIES, 0))
    for report in reports:
        for finding in report.findings:
            counts[finding.severity] += 1 + finding.more
    told = [f"{count:,} {_plural(word, count)}" for word, count in counts.items() if count]
    return ", ".join(told) or "no findings"


def _plural(word: str, count: int) -> str:
    return word if count == 1 or word == "information" else f"{word}s"


#: What `--format` may be: takes reports, and what became of the files that have none.
FORMATS: dict[str, Callable[[Sequence[Report], Sequence[str]], Iterator[str]]] = {
    "text": _text,
    "json": _json,
    "sarif": _sarif,
    "github": _github,
}
