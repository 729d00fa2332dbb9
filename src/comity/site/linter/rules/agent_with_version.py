"""A robot's name is followed by a version or a comment.

Why: A product token has no version, so the group applies to all versions of the robot. Robots that compare
the whole value do not find their name in it.

Example:
    User-agent: ExampleBot/2.1
    Disallow: /
Instead:
    User-agent: ExampleBot
    Disallow: /
Engines: RFC 9309 readers and Google read up to the version; several libraries compare the whole value and
find no match.
Fix: not safe, because more robots then find their name in the line: the version is removed.
Source: RFC 9309 2.2.1; Google, user-agent; the standard of 1994: the name without version information.
"""

from collections.abc import Iterator

from ....protocol.robotstxt.diagnostics.agents import is_name
from ....protocol.text import to_text
from ..problem import Problem, replacement
from ..subject import Subject


def check(subject: Subject) -> Iterator[Problem]:
    """Repeat the diagnostics, with a fix unless a general word would be left."""
    for problem, line in subject.diagnosed("agent-with-version"):
        name = to_text(line.text[line.value_start : problem.start])
        fix = replacement(line, problem.start, problem.end, b"") if is_name(name) else None
        yield problem.replace(fix=fix)
