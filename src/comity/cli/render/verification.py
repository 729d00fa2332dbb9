"""Output of `comity agents --verify` and `--refresh`."""

from collections.abc import Iterable

from ...agents import Answer, ClaimReport, Refreshed, Verification, VerificationProblem
from ...protocol.text import counted
from ...protocol.timestamps import rfc3339
from ..terminal import Styled, echo, echo_json
from .table import show_table

_COLOURS = {
    Answer.VERIFIED: "green",
    Answer.IMPOSTOR: "red",
    Answer.UNVERIFIABLE: "yellow",
    Answer.UNKNOWN: "",
}


def show_verification(found: Verification) -> None:
    """Print an answer and its evidence, one fact per line."""
    echo(Styled(found.answer.code, _COLOURS[found.answer] or None, bold=True))
    facts = [
        ("address", found.address),
        ("robot", found.agent or ""),
        ("operator", found.operator or ""),
        ("reason", found.reason.sentence),
    ]
    if found.proves == "operator":
        facts.append(
            ("proves", f"a robot of {found.operator or 'this operator'}; others pass this check too")
        )
    facts += [("check", check.explain()) for check in found.checks]
    for title, text in facts:
        if text:
            echo(f"  {title:<9} {text}")


def show_report(report: ClaimReport, *, as_json: bool) -> None:
    """Print the answers about many requests, their totals, and the problems."""
    if as_json:
        for found, count in report.pairs:
            echo_json({"requests": count, **found.record()})
        echo_json({answer.code: count for answer, count in report.totals.items()})
    else:
        _show_pairs(report.pairs)
        # The four are never added up.
        echo(", ".join(f"{report.totals[answer]:,} {answer.code}" for answer in Answer))
    show_problems(report.problems)


def _show_pairs(pairs: Iterable[tuple[Verification, int]]) -> None:
    """Print a table of pairs of an address and a robot, with the number of requests of each."""
    rows = [
        [
            (str(count), ""),
            (found.address, "bold"),
            (found.agent or "", ""),
            (found.answer.code, _COLOURS[found.answer]),
            (found.method.code if found.method else "", ""),
            (_evidence(found), ""),
        ]
        for found, count in pairs
    ]
    if rows:
        show_table(["requests", "address", "robot", "answer", "method", "evidence"], rows)


def _evidence(found: Verification) -> str:
    check = found.decisive
    if check is not None and check.passed:
        return check.host or check.prefix or ""
    return found.reason.code


def show_refreshed(found: Refreshed) -> None:
    """Print the result for one list."""
    copy = found.stored.state.copy
    if copy is None:
        content = "no copy"
    else:
        prefixes = counted(len(copy.feed), "prefix", "prefixes")
        content = f"{prefixes}, fetched {rfc3339(copy.fetched)}"
    echo(f"{found.result:<10}{found.url}: {content}")
    show_problems(found.findings)


def show_problems(problems: Iterable[VerificationProblem]) -> None:
    """Print problems on standard error."""
    for problem in problems:
        echo(f"{problem.level.capitalize()}: {problem.code}: {problem.message}", err=True)
