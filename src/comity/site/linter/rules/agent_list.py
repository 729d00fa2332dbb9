"""A User-agent line names several robots.

Why: Robots read only the first name, because a comma ends the product token. A list that begins with `*`
applies to no robot, because only `*` alone stands for all robots. Each robot needs its own line.

Example:
    User-agent: ExampleBot, OtherBot
    Disallow: /
Instead:
    User-agent: ExampleBot
    User-agent: OtherBot
    Disallow: /
Engines: All. A reported erratum proposes such lists, but no robot reads them.
Fix: not safe, because the group then applies to the other robots too: each robot gets a line, if each part
looks like a name.
Source: RFC 9309 2.2.1; google/robotstxt, `ExtractUserAgent`.
"""

from collections.abc import Iterator

from ....protocol.robotstxt.diagnostics.agents import names_in_list
from ....protocol.robotstxt.engine.grammar import BOM
from ..problem import Problem, replacement
from ..subject import Subject

#: Longest list that is taken apart: the User-agent lines of a longer one would need much more space.
_LONGEST = 100


def check(subject: Subject) -> Iterator[Problem]:
    """Repeat the diagnostics, with a fix if each part of the list is a name."""
    for problem, line in subject.diagnosed("agent-list"):
        names = names_in_list(line.value)
        separator = (line.end_of_line or b"\n") + line.text[: line.value_start]
        if names and len(names) <= _LONGEST and BOM not in separator:
            fix = replacement(line, line.value_start, line.value_end, separator.join(names))
            problem = problem.replace(fix=fix)
        yield problem
