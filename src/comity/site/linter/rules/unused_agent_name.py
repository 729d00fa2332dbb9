"""A User-agent line has a name that its robot does not use, next to the name that it uses.

The line is reported by C221 instead if the file has no line with the right name.

Why: The line has no effect, and its group may look as if it had one. The robot obeys the group with its right
name.

Example:
    User-agent: Claude
    User-agent: ClaudeBot
    Disallow: /
Instead:
    User-agent: ClaudeBot
    Disallow: /
Engines: All but robots that search for a part of their name, as the standard of 1994 recommends.
Source: RFC 9309 2.2.1; `agents.toml` has the source of each name.
"""

from collections.abc import Iterator

from ....protocol.robotstxt.diagnostics.agents import current_tokens
from ....protocol.robotstxt.diagnostics.diagnostic import listed
from ....protocol.text import to_text
from ..problem import Problem, at_value, quoted
from ..subject import Subject

CODE = "C225"
SEVERITY = "information"


def check(subject: Subject) -> Iterator[Problem]:
    """Report the first line of each misnomer, except those that C221 reports."""
    reported = {line.number for _, line in subject.diagnosed("misnamed-agent")}
    seen: set[bytes] = set()
    for line in subject.agents:
        tokens = current_tokens(to_text(line.value))
        if not tokens or line.number in reported or line.value.lower() in seen:
            continue
        seen.add(line.value.lower())
        used = next((token for token in tokens if token.lower() in subject.named), tokens[0])
        place = subject.named.get(used.lower())
        number = place[0][1].number if place else 0
        if len(tokens) > 1:
            robots = f"the robots are called {listed(tokens, 4)}"
            where = f"; line {number} names {used}" if number else ""
        else:
            robots = f"the robot is called {used}"
            where = f", which line {number} names" if number else ""
        yield at_value(line, f"no robot uses the name {quoted(line.value)}; {robots}{where}")
