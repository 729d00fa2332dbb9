"""A rule never wins: other rules match all its URLs, take precedence, and at least one has the other answer.

Why: The longest matching pattern wins, and a `*` at the end counts too. A rule that always loses seems to
have an effect, but has none.

Example:
    User-agent: *
    Allow: /shop/
    Disallow: /shop/*
Instead:
    User-agent: *
    Allow: /shop/open/
    Disallow: /shop/*
Engines: RFC 9309 readers and Google; some libraries drop a `*` at the end before they compare lengths.
Source: RFC 9309 2.2.2; google/robotstxt; differences between parsers.
"""

from collections.abc import Iterator

from ....protocol.robotstxt.diagnostics.diagnostic import listed
from ..problem import Problem, at_text
from ..subject import Subject

CODE = "C316"
SEVERITY = "warning"


def check(subject: Subject) -> Iterator[Problem]:
    """Report rules that never win, if a rule that takes precedence has the other answer."""
    for never in subject.unreachable.rules:
        contrary = any(rule.allow != never.rule.allow for rule in never.by)
        same = any(rule.pattern == never.rule.pattern for rule in never.by)
        if contrary and not same:
            others = listed([f"line {rule.line}" for rule in never.by], 5)
            line = subject.lines[never.rule.line - 1]
            yield at_text(line, f"this rule never wins: {others} takes precedence for all its URLs")
