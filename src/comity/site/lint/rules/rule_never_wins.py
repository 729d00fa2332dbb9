"""A rule can never win: others match all that it matches, come before it, and at least one says the opposite.

Why: The longest matching pattern decides, and its own octets count, a star at the end included. A rule that
is always overruled looks as if it did something.

Example:
    User-agent: *
    Allow: /shop/
    Disallow: /shop/*
Instead:
    User-agent: *
    Allow: /shop/open/
    Disallow: /shop/*
Engines: RFC 9309 readers and Google; some libraries drop the star before they count.
Source: RFC 9309 2.2.2; google/robotstxt; differences between parsers.
"""

from collections.abc import Iterator

from ..problem import Problem, at_text
from ..subject import Subject

__all__ = ["CODE", "SEVERITY", "check"]

CODE = "C316"
SEVERITY = "warning"


def check(subject: Subject) -> Iterator[Problem]:
    """Look at the rules that never win, where one that says the opposite is among those that do."""
    for never in subject.unreachable.rules:
        opposite = any(rule.allow != never.rule.allow for rule in never.by)
        same = any(rule.pattern == never.rule.pattern for rule in never.by)
        if opposite and not same:
            others = ", ".join(f"line {rule.line}" for rule in never.by[:5])
            line = subject.lines[never.rule.line - 1]
            yield at_text(line, f"this rule never wins: what it matches, {others} matches better")
