"""Two groups become one, since no rule stands between their User-agent lines.

Why: A run of User-agent lines ends at the first Allow or Disallow. Neither a blank line nor a Crawl-delay
ends it, so the rules below are for the agents above as well.

Example:
    User-agent: *
    Crawl-delay: 10

    User-agent: BadBot
    Disallow: /
Instead:
    User-agent: *
    Crawl-delay: 10
    Disallow:

    User-agent: BadBot
    Disallow: /
Engines: RFC 9309 and Google; some libraries end the group at any field, and older ones at the blank line.
Source: RFC 9309 2.1 and 2.2.4; google/robotstxt, where fields other than rules leave groups alone.
"""

from collections.abc import Iterator

from ..problem import Problem, at_value, quoted
from ..subject import Block, Subject, name_in

__all__ = ["CODE", "SEVERITY", "check"]

CODE = "C204"
SEVERITY = "warning"


def check(subject: Subject) -> Iterator[Problem]:
    """Look for what separates the User-agent lines of one group."""
    for block in subject.blocks:
        if _says_the_same(block):
            continue
        for before, line in zip(block.agents, block.agents[1:], strict=False):
            between = subject.lines[before.number : line.number - 1]
            fields = [other for other in between if other.field in _SPEAKING]
            blank = any(not other.text.strip() for other in between) and not _spaced(subject, block)
            if (not fields and not blank) or name_in(before) == name_in(line):
                continue
            what = f"the {quoted(fields[0].name)} above" if fields else "the blank line above"
            message = (
                f"{what} ends no group, so {quoted(before.value)} and {quoted(line.value)} share the rules"
            )
            yield at_value(line, message)


def _says_the_same(block: Block) -> bool:
    """Say whether nothing is shared that was not said to each robot: the same fields, and no rules."""
    said: dict[int, set[tuple[str | None, bytes]]] = {}
    numbers = [line.number for line in block.agents]
    at = 0
    for line in block.fields:
        while at < len(numbers) and numbers[at] < line.number:
            at += 1
        said.setdefault(at, set()).add((line.field, line.value))
    last = said.get(len(numbers))
    return not block.rules and last is not None and all(fields == last for fields in said.values())


def _spaced(subject: Subject, block: Block) -> bool:
    """Say whether a blank line stands after the last User-agent line too, as all over some files."""
    last = block.agents[-1].number
    return not (subject.lines[last].text.strip() if last < len(subject.lines) else b"")


#: Fields that an author may think a group of.
_SPEAKING = ("crawl-delay", "request-rate", "visit-time", "content-signal", "noindex", "comment")
