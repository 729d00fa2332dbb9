"""A robot's name has a `*` next to other characters.

Why: `*` stands for everybody if it is alone, and for nothing otherwise: there are no patterns of names.
`*bot*` names nobody, and `ExampleBot*` only ExampleBot. Google documents that it drops such an end, so its
own names may have one.

Example:
    User-agent: *bot*
    Disallow: /
Instead:
    User-agent: *
    Disallow: /
Engines: All; Google takes `* bot` for `*`.
Source: RFC 9309 2.2.1; the standard of 1994, on `*`.
"""

from collections.abc import Iterator

from ....agents import find
from ....protocol.text import to_text
from ..problem import Problem
from ..subject import Subject

__all__ = ["check"]


def check(subject: Subject) -> Iterator[Problem]:
    """Repeat the diagnostics, except for the robots of Google, which drops a `*` at the end."""
    for problem, line in subject.diagnosed("agent-with-wildcard"):
        agent = find(to_text(line.value.rstrip(b"*")))
        if agent is None or agent.operator != "Google":
            yield problem
