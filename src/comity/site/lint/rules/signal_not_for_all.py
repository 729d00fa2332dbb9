"""A Content-Signal or Content-Usage for `*` does not hold for a robot that has a group of its own.

Groups for Google's robots alone are left out, since Google does not read the fields (C405).

Why: A group takes the place of the one for `*` as a whole, with rules and fields. What is to hold for the
robot too has to stand in its group.

Example:
    User-agent: *
    Content-Signal: ai-train=no
    Disallow: /private/

    User-agent: bingbot
    Disallow: /search
Instead:
    User-agent: *
    Content-Signal: ai-train=no
    Disallow: /private/

    User-agent: bingbot
    Content-Signal: ai-train=no
    Disallow: /search
Engines: All that read the fields.
Source: RFC 9309 2.2.1; draft-ietf-aipref-attach.
"""

from collections.abc import Iterator

from ..problem import Problem, at_value
from ..subject import Block, Subject, name_in

__all__ = ["CODE", "SEVERITY", "check"]

CODE = "C609"
SEVERITY = "information"

_FIELDS = ("content-signal", "content-usage")


def check(subject: Subject) -> Iterator[Problem]:
    """Look for groups of open robots that lack what the group for `*` says."""
    said = {line.field for block, _ in subject.named.get("*", ()) for line in block.fields} & set(_FIELDS)
    if not said:
        return
    for name, mentions in subject.named.items():
        own = {line.field for block, _ in mentions for line in block.fields}
        if name != "*" and said - own and not any(block.closes_all for block, _ in mentions):
            block, line = mentions[0]
            if line is block.agents[0] and not _is_for_google(subject, block):
                fields = " and ".join(sorted(str(field).title() for field in said - own))
                yield at_value(line, f"the {fields} of the group for * does not hold for this group")


def _is_for_google(subject: Subject, block: Block) -> bool:
    agents = [subject.known.get(name_in(line)) for line in block.agents]
    return all(agent and agent.operator == "Google" for agent in agents)
