"""A robot has several groups with different rules, or all robots have several groups.

Why: RFC 9309 and Google merge the groups. Older robots read only the first one. The author of one group may
not know about the other. By the standard of 1994, a file has only one group for `*`; a second one is reported
even if its rules are the same.

Example:
    User-agent: ExampleBot
    Disallow: /a/

    User-agent: *
    Disallow: /

    User-agent: ExampleBot
    Disallow: /b/
Instead:
    User-agent: ExampleBot
    Disallow: /a/
    Disallow: /b/

    User-agent: *
    Disallow: /
Engines: Python's urllib up to 3.12 and others read only the first group; one library reads only the last.
Source: RFC 9309 2.2.1; Google, grouping of lines and rules; draft-koster-robots-00 3.2.1; the
standard of 1994: "It is not allowed to have multiple such records".
"""

from collections.abc import Iterator

from ....protocol.text import to_text
from ..problem import Problem, at_value, quoted
from ..subject import Subject
from .managed_block import managed_lines

CODE = "C206"
SEVERITY = "warning"


def check(subject: Subject) -> Iterator[Problem]:
    """Report further groups of a name, unless one is in a managed block; equal ones only for `*`."""
    managed = managed_lines(subject)
    content = {
        block.group.line: hash(tuple((line.field, line.value) for line in (*block.rules, *block.fields)))
        for block in subject.blocks
    }  # hashes, because many names may share a long group
    for mentions in subject.named.values():
        first, line = mentions[0]
        outside = line.number not in managed
        for block, other in mentions[1:]:
            bare = b" " not in other.value and b"/" not in other.value
            same = bare or other.value.lower() == line.value.lower()
            differs = content[block.group.line] != content[first.group.line]
            again = line.value == b"*" and block.group.line != first.group.line
            if same and (differs or again) and (other.number not in managed) == outside:
                name = quoted(to_text(other.value))
                reason = "some robots read only one" if differs else "remove this one, which repeats it"
                yield at_value(other, f"{name} already has a group at line {line.number}; {reason}")
