"""A rule decides about some paths, but without it the answers would be the same.

The rules are reported once for each group, in both readings of the file: that of RFC 9309 and that of Google.
`Allow: /` is not reported, because it shows an intention. C216 reports a group that closes nothing, C314 a
rule that occurs twice, and C316 and C323 rules that never decide.

Why: The rule is not needed. A shorter rule with the same answer covers it, or it allows paths that no rule
closes. It makes the file longer, and suggests an exception where there is none.

Example:
    User-agent: *
    Disallow: /shop/
    Disallow: /shop/cart/
    Allow: /blog/
Instead:
    User-agent: *
    Disallow: /shop/
Engines: None; robots that apply the first matching rule may need the order.
Source: RFC 9309 2.2.2; `comity minimize` removes these rules.
"""

from collections.abc import Iterator

from ....protocol.robotstxt.diagnostics.diagnostic import listed
from ..facts.needless_rules import needless_rules
from ..problem import Problem, at_text, quoted
from ..subject import Block, Subject, name_in

CODE = "C324"
SEVERITY = "information"

#: Maximum number of rules of a robot, and of all robots together, that are compared.
_OF_ROBOT = 500
_IN_ALL = 5000


def check(subject: Subject) -> Iterator[Problem]:
    """Report the needless rules of each group that all its robots read alone."""
    left = _IN_ALL
    for block in subject.blocks:
        left -= len(block.rules)
        if left < 0:
            return
        if len(block.rules) > 1 and len(block.rules) <= _OF_ROBOT and _is_alone(subject, block):
            yield from _problems(subject, block)


def _is_alone(subject: Subject, block: Block) -> bool:
    """Return whether the robots of a group have no other group."""
    closes = any(line.field == "disallow" and line.value for line in block.rules)
    return closes and all(len(subject.named.get(name_in(line), ())) == 1 for line in block.agents)


def _problems(subject: Subject, block: Block) -> Iterator[Problem]:
    rules = subject.robots.rules_for(name_in(block.agents[0]))
    found = needless_rules(rules.raw_groups)
    lines = [
        line
        for line in block.rules
        if line.number in found and not (line.field == "allow" and line.value in subject.everything)
    ]
    elsewhere = {never.rule.line for never in subject.unreachable.rules} if lines else set()
    lines = [line for line in lines if line.number not in elsewhere]
    if lines:
        by = found[lines[0].number]
        while by in found:  # a rule that changes nothing either; each has a lower precedence
            by = found[by]
        reason = "without it, its paths are open as well"
        if by:
            other = subject.lines[by - 1]
            shorter = quoted(other.text[: other.comment_start].strip())
            reason = f"line {by} {shorter} has the same answer for its paths"
        more = ""
        if len(lines) > 1:
            more = f"; neither {'do lines' if len(lines) > 2 else 'does line'} "
            more += listed([str(line.number) for line in lines[1:]], 5)
        problem = at_text(lines[0], f"this rule changes nothing: {reason}{more}")
        yield problem.replace(also=tuple(line.number for line in lines[1:]))
