"""A body -> the body with its fixes: edits that do not overlap, again until nothing is left to fix."""

from collections.abc import Sequence

from .finding import Edit, Finding
from .linting import findings
from .settings import Settings
from .subject import Subject

__all__ = ["applied", "fixed"]

#: So often at most is the file looked at: each pass leaves less to fix, and a few are enough.
_PASSES = 10


def fixed(
    body: bytes, *, settings: Settings | None = None, url: str | None = None, unsafe: bool = False
) -> bytes:
    r"""Give a robots.txt with its safe fixes applied, and on request with the others.

    A safe fix changes no answer to any robot, in any dialect. Another does what was probably meant.

    >>> fixed(b"User-agent: *\nDisallow: /a\nDisallow: /a\nDisallow: b\n")
    b'User-agent: *\nDisallow: /a\nDisallow: b\n'
    >>> fixed(b"User-agent: *\nDisallow: /a\nDisallow: /a\nDisallow: b\n", unsafe=True)
    b'User-agent: *\nDisallow: /a\nDisallow: /b\n'
    """
    rules = (settings or Settings()).rules
    for _ in range(_PASSES):
        changed = applied(body, findings(Subject(body, url), rules, listed=None), unsafe=unsafe)
        if changed == body:
            break
        body = changed
    return body


def applied(body: bytes, found: Sequence[Finding], *, unsafe: bool) -> bytes:
    """Apply the fixes of some findings once; of those that overlap, the first."""
    edits: list[Edit] = []
    end = -1
    for finding in sorted(found, key=lambda finding: finding.start):
        fix = finding.fix
        if fix is None or not (fix.safe or unsafe) or any(edit.start <= end for edit in fix.edits):
            continue
        edits += fix.edits
        end = max(edit.end for edit in fix.edits)
    pieces: list[bytes] = []
    at = 0
    for edit in sorted(edits, key=lambda edit: edit.start):
        pieces += [body[at : edit.start], edit.replacement]
        at = edit.end
    return b"".join([*pieces, body[at:]])
