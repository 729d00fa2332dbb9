"""A User-agent line has a whole User-Agent header.

Why: Robots look for their product token, and compare it with the beginning of the value. A value that begins
with `Mozilla` names only a robot called `Mozilla`.

Example:
    User-agent: Mozilla/5.0 (compatible; ExampleBot/2.1; +https://example.com/bot)
    Disallow: /
Instead:
    User-agent: ExampleBot
    Disallow: /
Engines: All.
Fix: not safe, because the group then applies to another robot: the product token of the header replaces the
header.
Source: RFC 9309 2.2.1: the product token is only a part of the header.
"""

from collections.abc import Iterator

from ....protocol.robotstxt.diagnostics.agents import header_token
from ..problem import Problem, replacement
from ..subject import Subject


def check(subject: Subject) -> Iterator[Problem]:
    """Repeat the diagnostics, with a fix if the header has a product token."""
    for problem, line in subject.diagnosed("agent-is-header"):
        token = header_token(line.value)
        fix = replacement(line, line.value_start, line.value_end, token.encode()) if token else None
        yield problem.replace(fix=fix)
