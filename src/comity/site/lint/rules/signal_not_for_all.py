"""A Content-Signal or Content-Usage for `*` does not hold for a robot that has a group of its own.

Why: A group takes the place of the one for `*` as a whole, with rules and fields. What is to hold for the
robot too has to stand in its group.

Example:
    User-agent: *
    Content-Signal: ai-train=no
    Disallow: /private/

    User-agent: Googlebot
    Disallow: /search
Instead:
    User-agent: *
    Content-Signal: ai-train=no
    Disallow: /private/

    User-agent: Googlebot
    Content-Signal: ai-train=no
    Disallow: /search
Engines: All that read the fields.
Source: RFC 9309 2.2.1; draft-ietf-aipref-attach.
"""

from collections.abc import Iterator

from ..remark import Remark, at_value
from ..subject import Subject

__all__ = ["CODE", "SEVERITY", "check"]

CODE = "C609"
SEVERITY = "information"

_FIELDS = ("content-signal", "content-usage")


def check(subject: Subject) -> Iterator[Remark]:
    """Look for groups of open robots that lack what the group for `*` says."""
    said = {line.field for block, _ in subject.named.get("*", ()) for line in block.fields} & set(_FIELDS)
    if not said:
        return
    for name, mentions in subject.named.items():
        own = {line.field for block, _ in mentions for line in block.fields}
        if name != "*" and said - own and not any(block.closes_all for block, _ in mentions):
            block, line = mentions[0]
            if line is block.agents[0]:
                fields = " and ".join(sorted(str(field).title() for field in said - own))
                yield at_value(line, f"the {fields} of the group for * does not hold for this group")
