"""A Content-Signal or Content-Usage for `*` does not apply to a robot that has its own group.

Groups that name only robots of Google are not reported, because Google does not read these fields (C405).

Why: A robot with its own group ignores the whole group for `*`, rules and fields. Repeat the field in the
group of the robot.

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
Engines: Robots that read the fields.
Source: RFC 9309 2.2.1; draft-ietf-aipref-attach.
"""

from collections.abc import Iterator

from ..problem import Problem, at_value
from ..subject import Block, Subject, name_in

CODE = "C609"
SEVERITY = "information"

_FIELDS = ("content-signal", "content-usage")


def check(subject: Subject) -> Iterator[Problem]:
    """Report groups that lack a field of the group for `*`, unless they close the whole site."""
    # Once for each group, because many names, or one name many times, may share a group with many fields.
    fields_of = {block.group.line: _fields(block) for block in subject.blocks}
    common = {field for block, _ in subject.named.get("*", ()) for field in fields_of[block.group.line]}
    if not common:
        return
    for name, mentions in subject.named.items():
        own = set().union(*(fields_of[block.group.line] for block, _ in mentions))
        if name != "*" and common - own and not any(block.closes_all for block, _ in mentions):
            block, line = mentions[0]
            if line is block.agents[0] and not _is_for_google(subject, block):
                fields = " and ".join(sorted(field.title() for field in common - own))
                yield at_value(
                    line, f"the {fields} of the group for `*` does not apply here; repeat it in this group"
                )


def _fields(block: Block) -> set[str]:
    """Return the names of the fields with preferences that a group has."""
    return {line.field for line in block.fields if line.field in _FIELDS}


def _is_for_google(subject: Subject, block: Block) -> bool:
    agents = [subject.known.get(name_in(line)) for line in block.agents]
    return all(agent and agent.operator == "Google" for agent in agents)
