"""Fields -> groups, by the dialect (RFC 9309 2.1 and 2.2.1).

A group begins with a run of `User-agent` lines, which only a rule ends; any other field does not (RFC 9309
2.2.4). So `User-agent: a`, `Crawl-delay: 5`, `User-agent: b`, `Disallow: /x` is one group, whose rule
applies to a and b. The delay applies to a alone: a field of a group applies to the `User-agent` lines since
the previous field or rule, and not to later ones. `License` applies to all `User-agent` lines of its group,
and one before the first group to the whole file (RSL 1.0).
"""

from bisect import bisect_left
from collections.abc import Iterable, Sequence

from ...text import to_text
from .dialect import Dialect
from .grammar import BOM, GROUP_FIELDS, LICENSE
from .lexer import BLANK, usual_spellings
from .verdict import Field, Group, Rule

#: (line number, field in lower case, value), from the lexer. A plain tuple: there is one for each line of
#: a file, and creating a class instance takes several times as long.
Record = tuple[int, str, bytes]

#: The beginnings of most lines that begin a group.
_USUAL_AGENTS = tuple(spelling.encode() + b":" for spelling in usual_spellings("user-agent"))


class RawGroup:
    """A group of records from the lexer, not yet decoded."""

    __slots__ = ("_value", "agents", "fields", "rules")

    def __init__(self) -> None:
        self.agents: list[Record] = []
        self.rules: list[Record] = []
        #: Each field with the range of `User-agent` lines that it applies to: first, end.
        self.fields: list[tuple[Record, int, int]] = []
        self._value: Group | None = None

    def __reduce__(self) -> tuple[object, ...]:
        return _restored, (self.agents, self.rules, self.fields)

    @property
    def value(self) -> Group:
        """The group as the public value, created on first use."""
        if self._value is None:
            records = [*self.agents, *self.rules, *(field for field, _, _ in self.fields)]
            self._value = Group(
                agents=tuple(to_text(value) for _, _, value in self.agents),
                rules=tuple(Rule(name == "allow", to_text(value), line) for line, name, value in self.rules),
                fields=tuple(Field(name, to_text(value), line) for (line, name, value), _, _ in self.fields),
                line=self.agents[0][0],
                end_line=max(line for line, _, _ in records),
            )
        return self._value

    @property
    def names(self) -> list[bytes]:
        """The values of the `User-agent` lines."""
        return [value for _, _, value in self.agents]

    def fields_for(self, places: Sequence[int]) -> list[Record]:
        """Return the fields that apply to one of the `User-agent` lines at these indexes, in order.

        `License` applies to all `User-agent` lines, as rules do.
        """
        found: list[Record] = []
        for record, first, end in self.fields:
            _, name, _ = record
            at = bisect_left(places, first)
            if (at < len(places) and places[at] < end) or name == LICENSE:
                found.append(record)
        return found


def _restored(agents: list[Record], rules: list[Record], fields: list[tuple[Record, int, int]]) -> RawGroup:
    group = RawGroup()
    group.agents, group.rules, group.fields = agents, rules, fields
    return group


def grouped(records: Iterable[Record]) -> tuple[list[RawGroup], list[Record], list[Record]]:
    """Return the groups, the fields of the whole file, and the strays.

    Strays are the rules and fields outside of any group, which apply to no robot.
    """
    groups: list[RawGroup] = []
    whole_file: list[Record] = []
    strays: list[Record] = []
    group: RawGroup | None = None
    rules = strays  # the list that the next rule joins
    header_open = False  # whether a User-agent line still joins the group
    first = 0  # the first User-agent line that the next field applies to
    run_open = False  # whether no field or rule came since the last User-agent line
    for record in records:
        name = record[1]
        if name == "disallow" or name == "allow":
            rules.append(record)
            header_open = run_open = False
        elif name == "user-agent":
            if group is None or not header_open:
                group = RawGroup()
                groups.append(group)
                rules = group.rules
                header_open, first = True, 0
            elif not run_open:
                first = len(group.agents)
            run_open = True
            group.agents.append(record)
        elif name == LICENSE:  # it is for all robots of its group, so it divides no run
            if group is None:
                whole_file.append(record)
            else:
                group.fields.append((record, 0, len(group.agents)))
        elif name in GROUP_FIELDS:
            if group is None:
                strays.append(record)
            else:
                group.fields.append((record, first, len(group.agents)))
                run_open = False
        elif name == BLANK:
            group, rules = None, strays
        else:
            whole_file.append(record)
    return groups, whole_file, strays


def may_have_licenses(body: bytes, dialect: Dialect) -> bool:
    r"""Return whether a file may have a License line outside of its groups; false is certain.

    Only the lines before the first group are read, because files may be large.

    >>> from .dialect import RFC9309
    >>> may_have_licenses(b"License: https://example.com/l.xml\nUser-agent: *\nDisallow: /", RFC9309)
    True
    >>> may_have_licenses(b"User-agent: *\nDisallow: /\nLicense: https://example.com/l.xml", RFC9309)
    False
    """
    body = body.removeprefix(BOM)
    if dialect.blank_line_ends_group:
        return LICENSE.encode() in body.lower()
    end = len(body)
    for spelling in _USUAL_AGENTS:
        if body.startswith(spelling):
            return False
        at = body.find(b"\n" + spelling, 0, end)
        end = end if at < 0 else at
    return LICENSE.encode() in body[:end].lower()
