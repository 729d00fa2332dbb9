"""A robot's name is followed by a version or a comment.

Why: A product token has no version. Robots that compare the whole value do not find themselves in it, and
whatever version was meant, the others take the group for all versions.

Example:
    User-agent: ExampleBot/2.1
    Disallow: /
Instead:
    User-agent: ExampleBot
    Disallow: /
Engines: RFC 9309 readers and Google cut the value; several libraries compare it whole, and miss.
Fix: not safe, since more robots then find themselves in the line: the version goes away.
Source: RFC 9309 2.2.1; Google, user-agent; the standard of 1994: the name without version information.
"""

from collections.abc import Iterator

from ..problem import Problem, replacement
from ..subject import Subject

__all__ = ["check"]


def check(subject: Subject) -> Iterator[Problem]:
    """Repeat the diagnostics, with a fix."""
    for problem, line in subject.diagnosed("agent-with-version"):
        yield problem.replace(fix=replacement(line, problem.start, problem.end, b""))
