"""A comment ignores a finding that does not exist.

Why: The problem has been fixed, or the code is wrong. The comment would hide the next finding of that kind.

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

from ..problem import Problem, quoted
from ..subject import Subject

CODE = "C901"
SEVERITY = "warning"


def check(subject: Subject) -> Iterator[Problem]:
    """Check each comment after all other rules have run, which record the comments that they obey."""
    default = subject.codes_by_word["DEFAULT"]
    for ignore in subject.ignores:
        end = len(ignore.comment.text)
        place = f"on line {ignore.line}" if ignore.line else "in the file"
        if not ignore.words:
            message = "this comment has no code; write the codes to ignore, such as C301"
            yield Problem(ignore.comment.number, ignore.start, end, message, None)
        for word in ignore.words:
            codes = subject.codes_by_word.get(word, frozenset())
            if not codes:
                message = f"no rule has the code or the name {quoted(word)}"
                yield Problem(ignore.comment.number, ignore.start, end, message, None)
            elif word not in ignore.used and (codes & default or codes) <= subject.selected:
                message = f"there is no finding of {word} {place}; remove the comment"
                yield Problem(ignore.comment.number, ignore.start, end, message, None)
