"""A robot's name has several words.

Known robots with such names are not reported.

Why: A product token has no space. `Example Bot` is read as `Example`, which is another robot, or none. If a
line break is missing, as in `GPTBot Disallow: /`, the rule is lost.

Example:
    User-agent: Example Bot
    Disallow: /
Instead:
    User-agent: ExampleBot
    Disallow: /
Engines: RFC 9309 readers and Google read up to the space; others compare the whole value.
Source: RFC 9309 2.2.1 (product-token), 2.2 (identifier); google/robotstxt, `ExtractUserAgent`.
"""

from collections.abc import Iterator

from ....agents import find
from ....protocol.robotstxt.diagnostics.fields import second_field
from ....protocol.text import to_text
from ..problem import Problem
from ..subject import Subject


def check(subject: Subject) -> Iterator[Problem]:
    """Repeat the diagnostics, except for known robots whose names have several words."""
    for problem, line in subject.diagnosed("agent-with-space"):
        known = find(to_text(line.value))
        if second_field(line.value) is not None or known is None or " " not in known.token:
            yield problem
