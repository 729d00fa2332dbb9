"""A body -> the body with its fixes: edits that do not overlap, again until nothing is left to fix.

What is safe is not believed but proven: before safe edits are applied, what decides the answers of all four
dialects is compared with what it will be (`meaning_without_repeats`), and edits that change it are dropped.
So a rule that errs may propose too much, and no robot is answered otherwise. What cannot be applied stays a
finding.
"""

from collections.abc import Iterable, Sequence

from ...protocol.robotstxt.diagnostics.file import is_utf16
from ..compare.meaning import meaning_without_repeats
from ..formatting.layout import LIMIT
from .finding import Edit, Finding, Fix
from .linting import findings
from .settings import Settings
from .subject import Subject

__all__ = ["applied", "fixed"]

#: The file is looked at so often at most, and once more for each line. Each pass leaves less to fix: safe
#: fixes are gone after two, and of others each line has few that wait for one another.
_PASSES = 100

#: So many proofs a pass may take where the first fails: each reads the whole file in each dialect.
_PROOFS = 64


def fixed(
    body: bytes, *, settings: Settings | None = None, url: str | None = None, unsafe: bool = False
) -> bytes:
    r"""Give a robots.txt with its safe fixes applied, and on request with the others.

    A safe fix changes no answer to any robot, in any dialect. Another does what was probably meant. A file
    of more than 500 KiB stays as it is, since some robots cut there, and so does UTF-16; none is made
    larger than that. A fix that cannot be applied is left, and its finding with it.

    >>> fixed(b"User-agent: *\nDisallow: /a\nDisallow: /a\nDisallow: b\n")
    b'User-agent: *\nDisallow: /a\nDisallow: b\n'
    >>> fixed(b"User-agent: *\nDisallow: /a\nDisallow: /a\nDisallow: b\n", unsafe=True)
    b'User-agent: *\nDisallow: /a\nDisallow: /b\n'
    """
    rules = (settings or Settings()).rules
    for _ in range(_PASSES + len(body.splitlines())):
        changed = applied(body, findings(Subject(body, url), rules, limit=None), unsafe=unsafe)
        if changed == body:
            break
        body = changed
    return body


def applied(body: bytes, found: Sequence[Finding], *, unsafe: bool) -> bytes:
    """Apply the fixes of some findings once; of those that overlap, the first.

    Safe fixes come first, and others where no safe one is left: they change what a proof is held to.
    """
    if len(body) > LIMIT or is_utf16(body):
        return body
    fixes = [finding.fix for finding in found if finding.fix is not None]
    changed = _edited(body, _proven(body, _fitting(body, _apart(fix for fix in fixes if fix.safe))))
    if unsafe and changed == body:
        changed = _edited(body, _fitting(body, _apart(fix for fix in fixes if not fix.safe)))
    return changed if len(changed) <= LIMIT else body


def _apart(fixes: Iterable[Fix]) -> list[Fix]:
    """Leave out what overlaps; edits may touch, but where one only inserts it is not known which is first."""
    chosen: list[Fix] = []
    end = -1
    inserts = False
    for fix in sorted(fixes, key=_span):
        first, last = _span(fix)
        inserts_here = any(edit.start == edit.end for edit in fix.edits)
        if first > end or (first == end and not (inserts or inserts_here)):
            chosen.append(fix)
            end, inserts = last, inserts_here
    return chosen


def _span(fix: Fix) -> tuple[int, int]:
    return min(edit.start for edit in fix.edits), max(edit.end for edit in fix.edits)


def _fitting(body: bytes, fixes: Iterable[Fix]) -> list[Fix]:
    """Leave out what would make the file larger than robots must read."""
    chosen: list[Fix] = []
    size = len(body)
    for fix in fixes:
        growth = sum(len(edit.replacement) - (edit.end - edit.start) for edit in fix.edits)
        if growth <= 0 or size + growth <= LIMIT:
            chosen.append(fix)
            size += growth
    return chosen


def _proven(body: bytes, fixes: list[Fix]) -> list[Fix]:
    """Leave out what changes an answer: where all together do, halves are tried, and halves of these."""
    if not fixes:
        return fixes
    before = meaning_without_repeats(body)
    proven: list[Fix] = []
    parts = [fixes]
    for _ in range(_PROOFS):
        if not parts:
            break
        part = parts.pop()
        if meaning_without_repeats(_edited(body, proven + part)) == before:
            proven += part
        elif len(part) > 1:
            half = len(part) // 2
            parts += [part[half:], part[:half]]
    return proven


def _edited(body: bytes, fixes: Sequence[Fix]) -> bytes:
    """Apply edits that do not overlap; ends of lines that come together stay two."""
    edits: list[Edit] = sorted((edit for fix in fixes for edit in fix.edits), key=lambda edit: edit.start)
    pieces: list[bytes] = []
    at = 0
    last = b""
    for edit in (*edits, Edit(len(body), len(body), b"")):
        for piece in (body[at : edit.start], edit.replacement):
            if piece:
                if last == b"\r" and piece.startswith(b"\n"):
                    pieces.append(b"\n")  # else CR and LF would be one end
                pieces.append(piece)
                last = piece[-1:]
        at = edit.end
    return b"".join(pieces)
