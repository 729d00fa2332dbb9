"""A comment tells the linter to leave something out that is not there.

Why: What it was for is mended, or the code is wrong. Left in place, it hides the next finding of its kind.

Example:
    User-agent: *
    Disallow: /private/  # comity: ignore C301
Instead:
    User-agent: *
    Disallow: private  # comity: ignore C301
Engines: None: this is about the linter.
Source: Comity.
"""

from collections.abc import Iterator

from ..remark import Remark, shown
from ..subject import Subject

__all__ = ["CODE", "SEVERITY", "check"]

CODE = "C901"
SEVERITY = "warning"


def check(subject: Subject) -> Iterator[Remark]:
    """Look at the comments after all other rules: those that were asked have left their mark on them."""
    from . import RULES  # which has this rule in it

    codes = {rule.code for rule in RULES}
    for ignore in subject.ignores:
        end = len(ignore.comment.text)
        if not ignore.codes:
            message = "this names no code to ignore, such as C301"
            yield Remark(ignore.comment.number, ignore.start, end, message, None)
        for code in ignore.codes:
            if code in subject.asked and code not in ignore.used:
                message = f"there is no {code} on line {ignore.line} to be ignored"
                yield Remark(ignore.comment.number, ignore.start, end, message, None)
            elif code not in codes:
                yield Remark(
                    ignore.comment.number, ignore.start, end, f"no rule has the code {shown(code)}", None
                )
