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

    meant: dict[str, set[str]] = {}
    for rule in RULES:
        for word in rule.words:
            meant.setdefault(word, set()).add(rule.code)
    default = {rule.code for rule in RULES if rule.default}
    for ignore in subject.ignores:
        end = len(ignore.comment.text)
        where = f"on line {ignore.line}" if ignore.line else "in the file"
        if not ignore.words:
            message = "this names no code to ignore, such as C301"
            yield Remark(ignore.comment.number, ignore.start, end, message, None)
        for word in ignore.words:
            codes = meant.get(word, set())
            if not codes:
                message = f"no rule has the code or the name {shown(word)}"
                yield Remark(ignore.comment.number, ignore.start, end, message, None)
            elif word not in ignore.used and (codes & default or codes) <= subject.asked:
                message = f"there is no {word} {where} to be ignored"
                yield Remark(ignore.comment.number, ignore.start, end, message, None)
