"""A User-agent line names a robot that nobody knows, and is a letter away from one that is known.

Why: Names are compared whole, so a group for `Gogglebot` does not bind Googlebot, and the rules for `*` do.

Example:
    User-agent: Gogglebot
    Disallow: /search
Instead:
    User-agent: Googlebot
    Disallow: /search
Engines: All.
Fix: not safe, since the group then binds another robot: the known name takes its place.
Source: RFC 9309 2.2.1; the names that Comity knows, each with its own source (`comity agents`).
"""

from collections.abc import Iterator
from functools import cache

from ....agents import ALL, find
from ....protocol.robotstxt.diagnostics.fields import one_slip
from ....protocol.text import to_text
from ..problem import Problem, at_value, quoted, replacement
from ..subject import Subject, name_in

__all__ = ["CODE", "SEVERITY", "check"]

CODE = "C215"
SEVERITY = "warning"

#: In shorter names, a letter more or less is another name.
_SHORT = 6

#: Up to so many letters, a name with another letter in it is often somebody else's.
_OFTEN = 8


def check(subject: Subject) -> Iterator[Problem]:
    """Look for unknown names that one slip makes of a known one."""
    for line in subject.agents:
        name = name_in(line)
        if not _SHORT <= len(name) < 40 or find(name) or find(to_text(line.value)):
            continue
        nearest = _nearest(name)
        if nearest:
            fix = replacement(line, line.value_start, line.value_start + len(name), nearest.encode())
            whole = line.value.lower() == name.encode(errors="surrogateescape")
            yield at_value(
                line,
                f"no robot called {quoted(line.value)} is known; was {nearest} meant?",
                fix if whole else None,
            )


def _nearest(name: str) -> str:
    found = {token for key in _with_gaps(name) for token in _slips().get(key, ())}
    return min((token for token in found if _one_slip(name, token.lower())), default="")


def _one_slip(name: str, other: str) -> bool:
    """Say whether one slip makes one name of the other, and is no way to tell two robots apart."""
    start = 0
    while start < min(len(name), len(other)) and name[start] == other[start]:
        start += 1
    left, right = name[start:], other[start:]
    if not (left[:1] + right[:1]).replace("-", "").isalpha():
        return False  # numbers tell names apart
    if other.startswith(name):
        return False  # the beginning of a name, which older robots find in their own
    if name.startswith(other):
        # A longer name is often one of its own, unless it is the plural, or its last letter came twice.
        return left in ("s", other[-1])
    if "-" in name[:start] and max(len(left), len(right)) < 3:
        return False  # what follows a hyphen tells the robots of one operator apart
    return one_slip(name, other) and (left[1:] != right[1:] or len(name) > _OFTEN)


@cache
def _slips() -> dict[str, list[str]]:
    """Give the known names by what is left of them without one of their letters."""
    found: dict[str, list[str]] = {}
    for agent in ALL:
        if len(agent.token) >= _SHORT and " " not in agent.token:
            for key in _with_gaps(agent.token.lower()):
                found.setdefault(key, []).append(agent.token)
    return found


def _with_gaps(name: str) -> set[str]:
    return {name, *(name[:at] + name[at + 1 :] for at in range(len(name)))}
