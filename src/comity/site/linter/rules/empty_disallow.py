"""A Disallow without a path is followed by rules that disallow something.

Why: The line allows everything, and the rules below it do not. RFC 9309 and Google ignore the line; robots
that apply the first rule stop there, and fetch everything.

Example:
    User-agent: *
    Disallow:
    Disallow: /private/
Instead:
    User-agent: *
    Disallow: /private/
Engines: Readers of the standards of 1994 and 1996, and libraries that take the first rule that matches.
Source: The standard of 1994: an empty value allows all URLs; RFC 9309 2.2 (empty-pattern).
"""

from collections.abc import Iterator

from ..problem import Problem, at_name
from ..subject import Subject

CODE = "C318"
SEVERITY = "warning"


def check(subject: Subject) -> Iterator[Problem]:
    """Report the first empty Disallow of each group before one with a path."""
    for block in subject.blocks:
        last = max(
            (line.number for line in block.rules if line.field == "disallow" and line.value), default=0
        )
        for line in block.rules:
            if line.field == "disallow" and not line.value and line.number < last:
                message = f"some robots stop here and allow everything, although line {last} closes a path"
                yield at_name(line, message)
                break
