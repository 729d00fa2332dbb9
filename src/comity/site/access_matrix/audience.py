"""Choose the robots of a matrix, and find the rules of each; equal rules are one list."""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from ...agents import ALL, PURPOSES, question
from ...errors import InvalidArgument
from ...protocol import (
    DEFAULT_AGENT,
    Directory,
    KnownRobot,
    RawGroup,
    Selection,
    as_items,
    checked_robot,
    names_of,
    robot_label,
    several_robots,
    to_text,
)
from ...protocol.robotstxt import Dialect, RobotsTxt, Rules, parse
from ...protocol.robotstxt.engine import Reading
from ..compare.automata import ROBOTS_TXT_KEY, RuleTable, rule_table
from .values import ANY_OTHER, UNKNOWN, MatrixRobot

#: What callers pass for a robot that no group names.
_NAMELESS = ("", (), ("",), (DEFAULT_AGENT,))

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...protocol import DialectName

#: Maximum number of robots that the file names, and of different lists of rules.
MAX_ROBOTS = 5_000
MAX_LISTS = 300

#: Maximum number of rules that are read again, because several robots or dialects have them.
MAX_RULES = 100_000


class Applied(NamedTuple):
    """The groups that apply to some robots: their rules, and the number of the list with the same content."""

    rules: Rules
    number: int


class Asked(NamedTuple):
    """A robot of the matrix, its purposes, and what applies to it."""

    robot: MatrixRobot
    purposes: tuple[str, ...]
    applied: Applied


class Audience:
    """The robots of a matrix, and the lists of rules that they have.

    `lists` has the rules of each list by their effect, and `rules` the rules of a robot that has it. `more`
    is the number of robots that were left out, because there are too many.
    """

    def __init__(
        self,
        file: bytes | str | RobotsTxt,
        agents: str | KnownRobot | Iterable[str | Sequence[str] | KnownRobot] | None,
        purposes: str | Iterable[str] | None,
        dialect: Dialect | None,
        *,
        exact: bool,
        fetched: bool = True,
    ) -> None:
        """Ask for `agents`, by default for all robots that the file or the catalogue names.

        `fetched` is false if the file stands for one that could not be fetched, which is the same for all.
        """
        self._file = file
        self._dialect = dialect
        self._exact = exact
        self._fetched = fetched
        self._wanted = _checked_purposes(purposes)
        self._readings: dict[Dialect | DialectName | None, _FileReading] = {}
        #: what applies, by the dialect and the groups
        self._applied: dict[tuple[Dialect, tuple[int, ...]], Applied | None] = {}
        #: the number of each list, by its content
        self._numbers: dict[object, int] = {}
        groups = self._reading(dialect).groups
        self._left = MAX_RULES + 2 * sum(1 + len(group.rules) for group in groups)
        self.lists: list[RuleTable] = []
        self.rules: list[Rules] = []
        self.more = 0
        self.robots: list[Asked] = []
        for agent in self._named_and_known() if agents is None else several_robots(agents):
            self._add(agent)

    def _named_and_known(self) -> Iterator[str | Sequence[str]]:
        """Yield `*`, the robots that the file names, those that Comity knows first, and the other known ones.

        `*` is the first, so that it is never left out.
        """
        yield DEFAULT_AGENT
        known = {agent.token.lower(): agent for agent in ALL}
        # Robots read only the first word of "Kangaroo Bot", and some files write only that.
        first_words = {names_of(agent.token)[0].lower(): agent.token for agent in ALL if " " in agent.token}
        names: dict[str, str] = {}
        for group in self._reading(self._dialect).groups:
            for _, _, value in group.agents:
                whole = known.get(to_text(value).lower())
                for name in names_of(to_text(value)):
                    if name.lower() not in known:
                        name = whole.token if whole else first_words.get(name.lower(), name)
                    names.setdefault(name.lower(), name)
        names = {key: name for key, name in names.items() if key not in ("", DEFAULT_AGENT)}
        first = sorted(names, key=lambda key: key not in known)
        self.more += max(len(first) - MAX_ROBOTS, 0)
        yield from (names[key] for key in first[:MAX_ROBOTS])
        yield from (agent.token for key, agent in known.items() if key not in names and not agent.obsolete)

    def _add(self, agent: str | Sequence[str] | KnownRobot) -> None:
        """Add a robot, or count it if its rules are too many."""
        given = checked_robot(agent)
        if given in _NAMELESS:
            given = DEFAULT_AGENT
        label = robot_label(given)
        purposes = self._purposes(given)
        if not purposes:
            return
        star = given == DEFAULT_AGENT
        asked = question(() if star else given, dialect=self._dialect, exact=self._exact or star)
        reading = self._reading(asked.dialect)
        names = names_of(asked.agent)
        selection = reading.directory.select(names)
        own = selection.name not in (DEFAULT_AGENT, None)
        ignored = asked.ignores_star and not own and self._fetched
        applied = self._apply(reading, names, selection, ignored=ignored)
        if applied is None:
            self.more += 1
            return
        robot = MatrixRobot(
            agent=label,
            line=reading.line(selection) if own else None,
            named=own and selection.name == names[0],
            group=None if ignored else selection.name,
            dialect=reading.dialect.name,
            obeys=asked.obeys,
            assumptions=asked.assumptions_for(selection.name),
        )
        self.robots.append(Asked(robot, purposes, applied))

    def _purposes(self, agent: str | Sequence[str] | KnownRobot) -> tuple[str, ...]:
        """Return the purposes of a robot, without those that the caller does not want."""
        if agent == DEFAULT_AGENT:
            purposes: tuple[str, ...] = (ANY_OTHER,)
        else:
            known = question(agent).known
            purposes = (UNKNOWN,) if known is None else known.purposes
        return purposes if self._wanted is None else tuple(one for one in purposes if one in self._wanted)

    def _apply(
        self, reading: "_FileReading", names: tuple[str, ...], selection: Selection, *, ignored: bool
    ) -> Applied | None:
        """Return what applies to a robot, or `None` if there are too many different rules.

        `ignored` is true if the robot ignores the groups for `*`, and no other group applies.
        """
        groups = tuple(dict.fromkeys(group for group, _ in selection.mentions))
        key = reading.dialect, (*groups, -1) if ignored else groups
        if key not in self._applied:
            raw = [reading.groups[group] for group in groups]
            rules = Rules(reading.dialect, raw, names, selection.name, bool(reading.groups))
            self._applied[key] = self._numbered(rules.without_default() if ignored else rules)
        return self._applied[key]

    def _numbered(self, rules: Rules) -> Applied | None:
        dialect = rules.dialect
        self._left -= 1 + sum(len(group.rules) for group in rules.raw_groups)
        if self._left < 0:
            return None
        table = rule_table(rules.raw_groups, dialect)
        table.pop(ROBOTS_TXT_KEY, None)  # it is the same for all robots
        content = dialect.escapes, frozenset(table) if dialect.precedence == "longest" else tuple(table)
        number = self._numbers.get(content)
        if number is None:
            if len(self.lists) == MAX_LISTS:
                return None
            number = self._numbers[content] = len(self.lists)
            self.lists.append(table)
            self.rules.append(rules)
        return Applied(rules, number)

    def _reading(self, dialect: "Dialect | DialectName | None") -> "_FileReading":
        """Return the groups of the file, read once by each dialect."""
        if dialect not in self._readings:
            self._readings[dialect] = _FileReading(parse(self._file, dialect=dialect))
        return self._readings[dialect]


class _FileReading:
    """The groups of a file in a dialect, indexed by name."""

    __slots__ = ("dialect", "directory", "groups")

    def __init__(self, file: RobotsTxt) -> None:
        self.dialect = file.dialect
        self.groups: Sequence[RawGroup] = Reading(file.body, file.dialect).groups
        self.directory = Directory([group.names for group in self.groups], file.dialect)

    def line(self, selection: Selection) -> int:
        """Return the line of the first `User-agent` field that selected groups."""
        group, place = selection.mentions[0]
        return self.groups[group].agents[place][0]


def _checked_purposes(purposes: str | Iterable[str] | None) -> frozenset[str] | None:
    """Return the purposes; raise `InvalidArgument` if one is unknown."""
    if purposes is None:
        return None
    wanted = frozenset(as_items(purposes, "purposes"))
    known = (*PURPOSES, UNKNOWN, ANY_OTHER)
    for purpose in wanted:
        if purpose not in known:
            raise InvalidArgument.unknown("purpose", purpose, known)
    return wanted
