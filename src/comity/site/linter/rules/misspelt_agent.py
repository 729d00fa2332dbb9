"""A User-agent line has an unknown name that differs by one letter from a known robot.

Why: Names are compared as a whole, so a group for `Gogglebot` does not apply to Googlebot, which obeys the
group for `*` instead.

Example:
    User-agent: Gogglebot
    Disallow: /search
Instead:
    User-agent: Googlebot
    Disallow: /search
Engines: All.
Fix: not safe, because the group then applies to another robot: the known name replaces the unknown one.
Source: RFC 9309 2.2.1; the robots that Comity knows, each with its own source (`comity agents`).
"""

from collections.abc import Iterator
from functools import cache

from ....agents import ALL, find
from ....protocol.robotstxt.diagnostics.fields import one_slip
from ....protocol.text import to_text
from ..problem import Problem, at_value, quoted, replacement
from ..subject import Subject, name_in

CODE = "C215"
SEVERITY = "warning"

#: Shortest name that is checked: one letter makes another name of a shorter one.
_SHORTEST = 6

#: Longest name that is not checked for a wrong letter, as it often belongs to another robot.
_LETTER_MATTERS = 8


def check(subject: Subject) -> Iterator[Problem]:
    """Report unknown names that differ from a known one by one slip."""
    for line in subject.agents:
        name = name_in(line)
        if not _SHORTEST <= len(name) < 40 or name in subject.known or find(to_text(line.value)):
            continue
        nearest = _nearest(name)
        if nearest:
            fix = replacement(line, line.value_start, line.value_start + len(name), nearest.encode())
            whole = line.value.lower() == name.encode(errors="surrogateescape")
            yield at_value(
                line,
                f"the robot {quoted(line.value)} is unknown; did you mean {nearest}?",
                fix if whole else None,
            )


def _nearest(name: str) -> str:
    found = {token for key in _with_gaps(name) for token in _slips().get(key, ())}
    return min((token for token in found if _one_slip(name, token.lower())), default="")


def _one_slip(name: str, other: str) -> bool:
    """Return whether two names differ by one slip, except where robots often have similar names."""
    start = 0
    while start < min(len(name), len(other)) and name[start] == other[start]:
        start += 1
    left, right = name[start:], other[start:]
    if not (left[:1] + right[:1]).replace("-", "").isalpha():
        return False  # robots of one operator often differ by a number
    if other.startswith(name):
        return False  # older robots find such a prefix in their name
    if name.startswith(other):
        # A longer name often belongs to another robot, unless it adds an s or doubles the last letter.
        return left in ("s", other[-1])
    if "-" in name[:start] and max(len(left), len(right)) < 3:
        return False  # robots of one operator often differ after a hyphen
    return one_slip(name, other) and (left[1:] != right[1:] or len(name) > _LETTER_MATTERS)


@cache
def _slips() -> dict[str, list[str]]:
    """Return the known names by the texts that remain if one of their letters is removed."""
    found: dict[str, list[str]] = {}
    for agent in ALL:
        if len(agent.token) >= _SHORTEST and " " not in agent.token:
            for key in _with_gaps(agent.token.lower()):
                found.setdefault(key, []).append(agent.token)
    return found


def _with_gaps(name: str) -> set[str]:
    return {name, *(name[:at] + name[at + 1 :] for at in range(len(name)))}
