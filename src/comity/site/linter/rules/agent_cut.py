"""A robot's name is read only in part.

Only the names of known robots are reported. Other names may belong to robots that use such characters.

Why: A product token has only letters, `-` and `_`. Some robots read the name up to another character, and
obey the group. Others compare the whole name, and obey the group for `*` instead.

Example:
    User-agent: GPTBot;
    Disallow: /
Instead:
    User-agent: GPTBot
    Disallow: /
Engines: RFC 9309 readers and Google read up to the character; several libraries compare the whole value and
find no match.
Fix: not safe, because more robots then find their name in the line: the other characters are removed.
Source: RFC 9309 2.2.1 (product-token); google/robotstxt, `ExtractUserAgent`.
"""

from collections.abc import Iterator

from ..problem import Problem, replacement
from ..subject import Subject, name_in


def check(subject: Subject) -> Iterator[Problem]:
    """Repeat the diagnostics of known robots, with a fix."""
    for problem, line in subject.diagnosed("agent-cut"):
        if name_in(line) in subject.known:
            yield problem.replace(fix=replacement(line, problem.start, problem.end, b""))
