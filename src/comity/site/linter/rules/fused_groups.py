"""Two groups are read as one, because their User-agent lines have no rule between them.

Why: Only an Allow or Disallow ends a run of User-agent lines. A blank line, a Crawl-delay or a rule in a
comment does not, so the rules below apply to the robots above as well.

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
Engines: RFC 9309 and Google; some libraries end the group at any field, and older robots at a blank line.
Source: RFC 9309 2.1 and 2.2.4; google/robotstxt, where fields other than rules do not end a group.
"""

import re
from collections.abc import Iterator

from ..problem import Problem, at_value, quoted
from ..subject import Block, Subject, name_in

_RULE_IN_COMMENT = re.compile(rb"[ \t]*#+[ \t]*(?:dis)?allow[ \t]*:", re.IGNORECASE)

CODE = "C204"
SEVERITY = "warning"
ONCE = "rule"


def check(subject: Subject) -> Iterator[Problem]:
    """Report User-agent lines after a field, a blank line, or a comment with a rule in it."""
    for block in subject.blocks:
        if _has_same_fields(block):
            continue
        for before, line in zip(block.agents, block.agents[1:], strict=False):
            between = subject.lines[before.number : line.number - 1]
            fields = [other for other in between if other.field in _GROUP_FIELDS]
            blank = any(not other.text.strip() for other in between)
            blank = blank and not _blank_line_follows(subject, block)
            comment = any(_RULE_IN_COMMENT.match(other.text) for other in between)
            if not (fields or blank or comment) or name_in(before) == name_in(line):
                continue
            separator = f"the {quoted(fields[0].name)} above" if fields else "the blank line above"
            separator = separator if fields or blank else "the rule in the comment above"
            names = f"{quoted(before.value)} and {quoted(line.value)}"
            message = f"{separator} does not end the group, so {names} share its rules"
            yield at_value(line, message)


def _has_same_fields(block: Block) -> bool:
    """Return whether a group has no rules, and repeats the same fields for each robot."""
    fields_after: dict[int, set[tuple[str | None, bytes]]] = {}
    numbers = [line.number for line in block.agents]
    at = 0
    for line in block.fields:
        while at < len(numbers) and numbers[at] < line.number:
            at += 1
        fields_after.setdefault(at, set()).add((line.field, line.value))
    last = fields_after.get(len(numbers))
    return not block.rules and last is not None and all(fields == last for fields in fields_after.values())


def _blank_line_follows(subject: Subject, block: Block) -> bool:
    """Return whether a blank line also follows the last User-agent line of a group."""
    last = block.agents[-1].number
    return not (subject.lines[last].text.strip() if last < len(subject.lines) else b"")


#: Fields that can look like the content of a group.
_GROUP_FIELDS = ("crawl-delay", "request-rate", "visit-time", "content-signal", "noindex", "comment")
