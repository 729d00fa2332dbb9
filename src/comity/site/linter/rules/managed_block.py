"""A block that another tool writes into the file has a group for the same robots as a group outside it.

Why: Services and plugins insert a block before the rest of the file. Its group and yours become one group, so
its Allow rules and its fields apply to your robots too. Robots that read only the first group never see your
rules.

Example:
    # BEGIN Example Managed content
    User-agent: *
    Content-Signal: ai-train=no
    Allow: /
    # END Example Managed content

    User-agent: *
    Disallow: /private/
Instead:
    # BEGIN Example Managed content
    User-agent: ExampleBot
    Disallow: /
    # END Example Managed content

    User-agent: *
    Disallow: /private/
Engines: RFC 9309 and Google merge the groups; robots that read only the first group, or the first matching
rule, stop at the block.
Source: RFC 9309 2.2.1; Cloudflare, managed robots.txt.
"""

from collections.abc import Iterator

from ....protocol.text import to_text
from ..problem import Problem, at_value, quoted
from ..subject import Subject

CODE = "C207"
SEVERITY = "warning"


def check(subject: Subject) -> Iterator[Problem]:
    """Report names both inside and outside of such a block, at their second place."""
    managed = managed_lines(subject)
    if not managed:
        return
    for mentions in subject.named.values():
        _, line = mentions[0]
        for _, other in mentions[1:]:
            if (other.number in managed) != (line.number in managed):
                name = quoted(to_text(other.value))
                theirs = line if line.number in managed else other
                message = f"the managed block at line {managed[theirs.number]} also has a group for {name}"
                yield at_value(other, message)
                break


def managed_lines(subject: Subject) -> dict[int, int]:
    """Return the lines of the managed blocks, each with the first line of its block."""
    found: dict[int, int] = {}
    begin = 0
    for line in subject.lines:
        if not line.text.lstrip().startswith(b"#"):
            continue
        words = line.text.lower().strip(b"# \t-=*").split()
        if not begin and words and words[0] in (b"begin", b"start") and words[-1] in _LAST:
            begin = line.number
        elif begin and words and words[0] == b"end" and words[-1] in _LAST:
            found.update(dict.fromkeys(range(begin, line.number + 1), begin))
            begin = 0
    return found


_LAST = (b"content", b"block", b"managed", b"section")
