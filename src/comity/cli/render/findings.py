"""Output of findings: for people, for programs, and for services that annotate changes."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from ...protocol.text import printable, to_text
from ...site.linter.finding import SEVERITIES, Finding
from ...site.linter.positions import Positions
from ..terminal import echo, echo_command, echo_json, without_commands
from .diagnostics import finding_parts

#: Maximum number of characters shown of a line, around the span.
_SHOWN = 100


class Report(NamedTuple):
    """The name of a file, its body and the findings in it, perhaps without known ones."""

    name: str
    body: bytes
    findings: Sequence[Finding]
    without_known: bool = False


def _text(reports: Sequence[Report], _failures: Sequence[str], err: bool) -> None:
    """Print each finding, its line, and a mark under the span; and the numbers of findings."""
    for report in reports:
        positions = Positions(report.body)
        for finding in report.findings:
            echo(*finding_parts(report.name, positions, finding), _fixable(finding), err=err)
            for line in _excerpt(positions, finding):
                echo(line, err=err)
            if finding.more:
                echo(f"{report.name}: and {finding.more:,} more of {finding.code}", err=err)
    echo(_summary(reports), err=err)


def _fixable(finding: Finding) -> str:
    return "" if finding.fix is None else " [fix]" if finding.fix.safe else " [unsafe fix]"


def _excerpt(positions: Positions, finding: Finding) -> Iterator[str]:
    """Yield the part of the line around the span, and a mark that is as wide as the printed span."""
    line, column = positions.line_and_column(finding.start)
    last, end = positions.line_and_column(finding.end)
    text = to_text(positions.text(line)).replace("\t", " ")
    if not text.strip():
        return
    if last > line:  # the span includes the line end
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


def _json(reports: Sequence[Report], _failures: Sequence[str], err: bool) -> None:
    for report in reports:
        for finding in report.findings:
            fix = finding.fix and {
                "safe": finding.fix.safe,
                "edits": [
                    {"start": edit.start, "end": edit.end, "replacement": _escaped(edit.replacement)}
                    for edit in finding.fix.edits
                ],
            }
            echo_json(
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
                    "also": list(finding.also),
                },
                err=err,
            )


def _escaped(body: bytes) -> str:
    """Decode text for JSON; bytes that are not UTF-8 are escaped."""
    return body.decode(errors="backslashreplace")


def _sarif(reports: Sequence[Report], failures: Sequence[str], err: bool) -> None:
    """Print a SARIF 2.1.0 log, which includes the files that could not be read."""
    from ..._version import release
    from ...site.linter.sarif import sarif_of

    echo_json(sarif_of([report[:3] for report in reports], release(), failures), indent=2, err=err)


def _github(reports: Sequence[Report], _failures: Sequence[str], err: bool) -> None:
    """Print workflow commands, which GitHub shows next to the lines of a change."""
    levels = {"error": "error", "warning": "warning", "information": "notice"}
    for report in reports:
        positions = Positions(report.body)
        for finding in report.findings:
            line, column = positions.line_and_column(finding.start)
            _, end = positions.line_and_column(finding.end)
            more = f" (and {finding.more:,} more of this kind)" if finding.more else ""
            properties = {
                "title": f"{finding.code} {finding.name}",
                "file": printable(report.name),
                "line": str(line),
                "col": str(column),
                "endColumn": str(max(end, column)),
            }
            options = ",".join(f"{key}={_property(value)}" for key, value in properties.items())
            message = _data(without_commands(printable(finding.message)) + more)
            echo_command(f"::{levels[finding.severity]} {options}::{message}", err=err)


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def _summary(reports: Sequence[Report]) -> str:
    """Return the number of findings of each severity, in one line."""
    counts = Counter(dict.fromkeys(SEVERITIES, 0))
    for report in reports:
        for finding in report.findings:
            counts[finding.severity] += 1 + finding.more
    texts = [f"{count:,} {_plural(word, count)}" for word, count in counts.items() if count]
    none = "no new findings" if any(report.without_known for report in reports) else "no findings"
    return ", ".join(texts) or (none if reports else "no robots.txt to check")


def _plural(word: str, count: int) -> str:
    return word if count == 1 or word == "information" else f"{word}s"


#: The functions for the values of `--format`: they print the reports, and messages about unreadable files, on
#: standard error if the third argument is true.
FORMATS: dict[str, Callable[[Sequence[Report], Sequence[str], bool], None]] = {
    "text": _text,
    "json": _json,
    "sarif": _sarif,
    "github": _github,
}
