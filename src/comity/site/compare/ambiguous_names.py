"""Find robots that several groups match, for dialects that search for names within names.

In `1994` a group matches a robot whose name contains one of the group's names. In `draft1996` it matches a
robot whose name is contained in one of them. The first matching group applies. Thus the order of groups can
matter to a robot that neither file names.
"""

from itertools import combinations

from ...protocol.robotstxt.engine.dialect import Dialect
from ...protocol.robotstxt.engine.selection import names_of
from ...protocol.text import to_text
from .fields import FileFields

#: Maximum number of names to combine in pairs, and maximum number of robots that this may find.
_NAMES = 300
_ROBOTS = 1000

_DOUBT = "robots that match several groups, and obey the first, were not compared"

#: The groups that apply to a robot, in the old file and in the new one.
_Groups = tuple[tuple[int, ...], tuple[int, ...]]


def ambiguous_names(dialect: Dialect, old: FileFields, new: FileFields) -> tuple[list[str], str]:
    """Return robot names that contain two of the files' names, and a doubt if there may be more.

    Pairs are enough. One name selects the group in the old file, and one in the new file. A robot whose name
    contains just these two has the same groups. A pair is left out if a single name, or another pair, selects
    the same groups.
    """
    if dialect.agent_match.endswith("token") or old.group_names == new.group_names:
        return [], ""
    if dialect.agent_match != "value-in-name":
        return [], _DOUBT
    values = sorted({value for side in (old, new) for group in side.group_names for value in group})
    names = [name for name in (to_text(value.partition(b"/")[0].rstrip()) for value in values) if name]
    if len(names) > _NAMES:
        return [], _DOUBT
    groups_of = {name: _groups(name, old, new) for name in names}
    named = [(old.choice((name,)).named, new.choice((name,)).named) for name in names]
    rank = {
        name: tuple(
            groups[0] if is_named else 1 << 60 for groups, is_named in zip(groups_of[name], by, strict=True)
        )
        for name, by in zip(names, named, strict=True)
    }
    seen = set(groups_of.values())
    found: list[str] = []
    for one, other in combinations(names, 2):
        in_old, in_new = (one if rank[one][file] <= rank[other][file] else other for file in (0, 1))
        groups = groups_of[in_old][0], groups_of[in_new][1]
        if groups in seen:
            continue
        for name in (one + other, other + one, f"{one}-{other}", f"{other}-{one}"):
            # The name of a third group may appear where the two names meet.
            if names_of(name) == (name,) and _groups(name, old, new) == groups:
                break
        else:
            return found, _DOUBT
        if len(found) == _ROBOTS:
            return found, _DOUBT
        seen.add(groups)
        found.append(name)
    return found, ""


def _groups(name: str, old: FileFields, new: FileFields) -> _Groups:
    return old.choice((name,)).groups, new.choice((name,)).groups
