"""Two files whose dialect looks for names within names -> the robots to whom several groups could speak.

In the older dialects the first group counts of those whose names are found in the robot's (1994), or in whose
names the robot's is found (draft1996). So a robot that no file names may notice in which order groups stand.
"""

from itertools import combinations

from ...protocol.robotstxt.dialect import Dialect
from ...protocol.robotstxt.selection import names_of
from ...protocol.robotstxt.verdict import text_of
from .fields import FieldsOf

__all__ = ["joined"]

#: So many names are joined, each with each other, and so many of the robots that this makes are asked for.
_NAMES = 300
_ROBOTS = 1000

_DOUBT = "robots were not compared to whom several groups could speak, and the first would"

#: The groups that speak to a robot: in the old file, and in the new one.
_Groups = tuple[tuple[int, ...], tuple[int, ...]]


def joined(dialect: Dialect, old: FieldsOf, new: FieldsOf) -> tuple[list[str], str]:
    """Give robots whose names hold two names that files have, and a doubt if these cannot be all.

    If the first group for a robot is found by one name in the old file, and by another in the new one, a
    robot whose name holds just these two has the same groups; so two names are enough. Robots are given for
    groups that come together for none of the names alone.
    """
    if dialect.agents.endswith("token") or old.values == new.values:
        return [], ""
    if dialect.agents != "value-in-name":
        return [], _DOUBT
    values = sorted({value for side in (old, new) for group in side.values for value in group})
    names = [name for name in (text_of(value.partition(b"/")[0].rstrip()) for value in values) if name]
    if len(names) > _NAMES:
        return [], _DOUBT
    alone: dict[str, _Groups] = {name: (old.groups_for([name]), new.groups_for([name])) for name in names}
    named = [(old.names([name]), new.names([name])) for name in names]
    rank = {
        name: tuple(
            groups[0] if is_named else 1 << 60 for groups, is_named in zip(alone[name], by, strict=True)
        )
        for name, by in zip(names, named, strict=True)
    }
    seen = set(alone.values())
    found: list[str] = []
    for one, other in combinations(names, 2):
        first, then = (one if rank[one][file] <= rank[other][file] else other for file in (0, 1))
        groups = alone[first][0], alone[then][1]
        if groups in seen:
            continue
        for name in (one + other, other + one, f"{one}-{other}", f"{other}-{one}"):
            # Where the two meet, the name of another group may appear.
            if names_of(name) == (name,) and (old.groups_for([name]), new.groups_for([name])) == groups:
                break
        else:
            return found, _DOUBT
        if len(found) == _ROBOTS:
            return found, _DOUBT
        seen.add(groups)
        found.append(name)
    return found, ""
