"""A group has only a Crawl-delay, so its robots need not obey the rules for `*`.

Groups are not reported if `*` closes nothing, or the whole site. A group in the middle of a file shares the
rules of the next group instead, which C204 reports.

Why: A robot obeys one group, its own or that for `*`, and never both. A group with only a Crawl-delay
therefore opens all paths that `*` closes.

Example:
    User-agent: *
    Disallow: /private/

    User-agent: bingbot
    Crawl-delay: 10
Instead:
    User-agent: *
    Disallow: /private/

    User-agent: bingbot
    Crawl-delay: 10
    Disallow: /private/
Engines: All.
Source: RFC 9309 2.2.1; Google, order of precedence for user agents; Bing, on Crawl-delay.
"""

from collections.abc import Iterator

from ....protocol.robotstxt.diagnostics.diagnostic import listed
from ..facts.common_rules import paths_closed_to_all
from ..problem import Problem, at_text, quoted
from ..subject import Block, Subject, name_in, written_name

CODE = "C222"
SEVERITY = "warning"

_RATES = ("crawl-delay", "request-rate", "visit-time")


def check(subject: Subject) -> Iterator[Problem]:
    """Report groups with rates and without rules, if the group for `*` closes paths."""
    found = [(block, names) for block in subject.blocks if (names := list(exempt_names(subject, block)))]
    closed = paths_closed_to_all(subject) if found else {}
    if not closed:
        return
    for block, names in found:
        fields = " and ".join(sorted({(line.field or "").capitalize() for line in block.fields}))
        robots = listed([quoted(name) for name in names], 3)
        first = next(iter(closed.values()))
        message = (
            f"a group with only {fields} frees {robots} from all rules of `*`, such as "
            f"{quoted(first.value)} in line {first.number}; repeat them here"
        )
        yield at_text(block.agents[0], message)


def exempt_names(subject: Subject, block: Block) -> Iterator[str]:
    """Yield the names of a group with only rates whose robots have no rules in other groups either.

    The names are as the file writes them.
    """
    if block.rules or not block.fields or any(line.field not in _RATES for line in block.fields):
        return
    names = {name_in(line): written_name(line) for line in reversed(block.agents)}
    for name, written in reversed(names.items()):
        if name not in ("", "*") and not any(other.rules for other, _ in subject.named[name]):
            yield written
