"""A robots.txt -> the same file without the rules that change no verdict of any robot.

A rule may go if for every robot that it speaks to the rules with it and without it are equivalent, which
the automata say. Unless the caller chooses a dialect, Google's robots are held to read by theirs, all others
by `rfc9309`. Rules are tried one after the other and each is gone before the next is tried, so in the
end none can be taken away. That is not always the fewest rules that could be written: other patterns might
do with less. Where all patterns are plain prefixes and the longest decides, it is, among plain prefixes: a
rule is left just where the verdict of a path is not that of the path without its last character, and there
one must stand.
"""

from collections.abc import Container, Sequence

from ...protocol.robotstxt.dialect import GOOGLE, RFC9309, Dialect, named
from ...protocol.robotstxt.document import RobotsTxt, parse
from ...protocol.robotstxt.engine.reference import Reading
from ...protocol.robotstxt.groups import RawGroup
from ...protocol.robotstxt.matcher import Pattern
from ...protocol.robotstxt.paths import pattern_reader
from ...protocol.robotstxt.precedence import closes, ranked
from ...protocol.robotstxt.selection import Directory
from ...protocol.robotstxt.verdict import Rule, text_of
from ...protocol.value import Value
from .automata.alphabet import Alphabet
from .automata.neighbours import Neighbours
from .automata.product_walk import ABSENT, STATES, Contender, Contest
from .automata.rule_pairs import ITSELF, rule_of

__all__ = ["Minimal", "minimize"]

#: One rule may take so small a part of all places, so that one that is hard leaves enough for the others.
_SHARE = 100

#: To make the automaton of so many rules takes as long as a place that is walked.
_MADE = 16


#: A name that no line can hold, not even an empty one: it has the end of a line.
_NOBODY = b"\n"


class Minimal(Value):
    """A file with no rule too many.

    `body` is the file: each line is one of the given, so comments and all else stay. `removed` are the
    rules that went, `kept` how many are left. `undecided` are rules that were left since it takes more states
    to know: where there are none, no single rule can be taken away. `fewest` says whether no other plain
    prefixes, in whatever groups, would do with less; it is false where that is not known, as with wildcards.
    """

    __slots__ = ("body", "removed", "kept", "undecided", "fewest")
    body: bytes
    removed: tuple[Rule, ...]
    kept: int
    undecided: tuple[Rule, ...]
    fewest: bool


def minimize(
    body: bytes | str | RobotsTxt, *, dialect: str | Dialect | None = None, states: int = 4 * STATES
) -> Minimal:
    r"""Take away the rules of a robots.txt that change no answer to any robot.

    `body` is as for `comity.parse`, or a file that was parsed; `dialect` is that of the parsed file, or else
    both that robots are known to read by: "rfc9309", and "google" for those of Google. `states` bounds the
    places of automata that are walked, of all comparisons together, and so the time to seconds. A group
    keeps one rule at the least, even if it says nothing: without any it would become one with the next group.
    Rules in groups that speak to several robots go only if they mean nothing to each of them.

    >>> import comity
    >>> small = comity.minimize("User-agent: *\nDisallow: /a\nDisallow: /a/b # mine\nAllow: /\n")
    >>> small.body, [rule.line for rule in small.removed], small.fewest
    (b'User-agent: *\nDisallow: /a\n', [3, 4], True)

    Raises `UnknownDialect` for a dialect that does not exist.
    """
    file, dialects = _read(body, dialect)
    readings = [Reading(file.body, chosen).groups for chosen in dialects]
    removed = _doubles(readings)
    robots = [
        _Robot([groups[at] for at in together], chosen, removed)
        for chosen, groups in zip(dialects, readings, strict=True)
        for together in _selections(groups, chosen)
    ]
    places, most = states, states // _SHARE
    # Where names are parts of names and groups merge, robots are too many to ask for.
    known = all(chosen.agents.endswith("token") or not chosen.merges_named for chosen in dialects)
    undecided: dict[int, Rule] = {}
    hearing: dict[int, list[_Robot]] = {}
    for robot in robots:
        for line in robot.lines:
            hearing.setdefault(line, []).append(robot)
    left = _Left(readings)
    for line in removed:
        left.drop(line)
    changed = True
    while changed and known:  # what one rule needs may go with the next, so once more until nothing goes
        changed = False
        undecided.clear()
        for group in reversed(readings[0]):
            # The longest first: what a shorter rule says as well, it says of more.
            for record in sorted(group.rules, key=lambda record: (-len(record[2]), -record[0])):
                if record[0] in removed or left.is_last(record[0]):
                    continue
                if places == 0:
                    undecided[record[0]] = rule_of(record)
                    continue
                needed, cost = _needed(hearing.get(record[0], ()), record[0], most, places)
                places = max(places - cost, 0)
                if needed:
                    continue
                if needed is False:
                    for robot in hearing.get(record[0], ()):
                        robot.drop(record[0])
                    removed[record[0]] = rule_of(record)
                    left.drop(record[0])
                    changed = True
                else:
                    undecided[record[0]] = rule_of(record)
    rules = [record for group in readings[0] for record in group.rules]
    if not known:
        undecided = {record[0]: rule_of(record) for record in rules}
    alike = all(len({pattern_reader(chosen)(value) for chosen in dialects}) == 1 for _, _, value in rules)
    longest = all(chosen.precedence == "longest" for chosen in dialects)
    return Minimal(
        body=_without(file, removed),
        removed=tuple(removed[line] for line in sorted(removed)),
        kept=len(rules) - len(removed),
        undecided=tuple(undecided[line] for line in sorted(undecided)),
        fewest=not undecided
        and longest
        and alike
        and all(robot.plain for robot in robots)
        and _each_counts(readings, removed, hearing, most),
    )


def _read(body: bytes | str | RobotsTxt, dialect: str | Dialect | None) -> tuple[RobotsTxt, list[Dialect]]:
    """Give the file, and the dialects that robots are held to read it by."""
    if dialect is not None:
        dialects = [named(dialect)]
    else:
        dialects = [body.dialect] if isinstance(body, RobotsTxt) else [RFC9309, GOOGLE]
    return parse(body.body if isinstance(body, RobotsTxt) else body, dialects[0]), dialects


def _needed(robots: Sequence["_Robot"], line: int, most: int, left: int) -> tuple[bool | None, int]:
    """Say whether a robot would miss a rule, `None` if that is not known, and what it took to say so."""
    cost = 0
    needed: bool | None = False
    for robot in robots:
        if cost >= left:
            return None, cost
        contest, took = robot.without(line, min(most, left - cost))
        cost += took
        if contest.differences:
            return True, cost
        if not contest.complete:
            needed = None
    return needed, cost


def _doubles(readings: Sequence[Sequence[RawGroup]]) -> dict[int, Rule]:
    """Give the rules that a group has already, letter by letter and in each dialect."""
    said: dict[int, list[tuple[int, str, bytes]]] = {}
    rules: dict[int, Rule] = {}
    for groups in readings:
        for number, group in enumerate(groups):
            for record in group.rules:
                rules.setdefault(record[0], rule_of(record))
                said.setdefault(record[0], []).append((number, *record[1:]))
    seen: set[tuple[tuple[int, str, bytes], ...]] = set()
    found: dict[int, Rule] = {}
    for line, rule in rules.items():
        key = tuple(said[line])
        if len(key) == len(readings) and key in seen:
            found[line] = rule
        seen.add(key)
    return found


def _each_counts(
    readings: Sequence[Sequence[RawGroup]],
    removed: Container[int],
    hearing: dict[int, list["_Robot"]],
    most: int,
) -> bool:
    """Say whether each rule that is left means something, and no two groups could share one."""
    for groups in readings:
        left = [[record for record in group.rules if record[0] not in removed] for group in groups]
        shared = [record[1:] for records in left for record in records]
        if len(set(shared)) < len(shared):
            return False
        # What is alone in its group was never tried.
        for record in (records[0] for records in left if len(records) == 1):
            tried = [robot.without(record[0], most)[0] for robot in hearing.get(record[0], ())]
            if not any(contest.differences for contest in tried):
                return False
    return True


class _Left:
    """How many rules each group has left, in each dialect: without any it would join the next."""

    __slots__ = ("_counts", "_groups")

    def __init__(self, readings: Sequence[Sequence[RawGroup]]) -> None:
        """Count the rules of all groups."""
        self._counts: dict[tuple[int, int], int] = {}
        self._groups: dict[int, list[tuple[int, int]]] = {}
        for reading, groups in enumerate(readings):
            for number, group in enumerate(groups):
                self._counts[reading, number] = len(group.rules)
                for line, _, _ in group.rules:
                    self._groups.setdefault(line, []).append((reading, number))

    def is_last(self, line: int) -> bool:
        """Say whether a rule is the last of its group."""
        return any(self._counts[group] == 1 for group in self._groups[line])

    def drop(self, line: int) -> None:
        """Take a rule away."""
        for group in self._groups[line]:
            self._counts[group] -= 1


def _without(file: RobotsTxt, removed: Container[int]) -> bytes:
    """Give the body of a file without some of its lines."""
    text = bytearray()
    for line in file.lines:
        if line.number not in removed:
            if text.endswith(b"\r") and line.raw.startswith(b"\n"):
                text += b"\n"  # else these two ends of lines would be one
            text += line.raw
    return bytes(text)


def _selections(groups: Sequence[RawGroup], dialect: Dialect) -> set[tuple[int, ...]]:
    """Give the groups that speak to a robot, for each robot there may be, and some for none.

    Where names are parts of names a robot has one group, so each is taken alone.
    """
    directory = Directory([group.names for group in groups], dialect)
    alone = [] if dialect.agents.endswith("token") else [(at,) for at in range(len(groups))]
    found: set[tuple[int, ...]] = set(alone)
    for name in [*directory.names, _NOBODY]:
        mentions = directory.select([text_of(name)]).mentions
        found.add(tuple(dict.fromkeys(group for group, _ in mentions)))
    return found


class _Robot:
    """The rules that speak to a robot, fewer and fewer."""

    __slots__ = ("_alphabet", "_gone", "lines", "_neighbours", "_order", "_patterns", "plain")

    def __init__(self, groups: Sequence[RawGroup], dialect: Dialect, removed: Container[int]) -> None:
        """Take the groups that speak to it, without what is removed already."""
        self._alphabet = Alphabet(dialect)
        self._order: list[tuple[int, bool]] = [(0, False)] if dialect.opens_robots_txt else []
        self._patterns: list[Pattern] = [ITSELF[0]] if dialect.opens_robots_txt else []
        rules = [rule for rule in ranked(groups, dialect) if rule[2][0] not in removed]
        self._order += [(record[0], closes(record)) for _, _, record, *_ in rules]
        self._patterns += [self._alphabet.pattern(rule[0]) for rule in rules]
        self._neighbours = Neighbours([head for head, _, _ in self._patterns])
        self._gone: set[int] = set()
        #: the ranks of each line: a rule may have several spellings
        self.lines: dict[int, list[int]] = {
            record[0]: [] for group in groups for record in group.rules if record[0] not in removed
        }
        for rank, (line, _) in enumerate(self._order):
            if line:
                self.lines[line].append(rank)
        #: whether what was said above of the fewest rules holds here
        self.plain = len(groups) <= 1 and all(
            len(ranks) == 1 and self._patterns[ranks[0]][1] is None for ranks in self.lines.values()
        )

    def drop(self, line: int) -> None:
        """Take a rule away."""
        self._gone.update(self.lines.get(line, ()))

    def without(self, line: int, states: int) -> tuple[Contest, int]:
        """Compare the rules that are left with the same without the rule of that line; say what it took."""
        ranks = self.lines[line]
        near = {other for rank in ranks for other in self._neighbours.of(self._patterns[rank][0])}
        rules = [
            Contender(
                self._patterns[rank],
                self._order[rank][1],
                rank,
                ABSENT if rank in ranks else rank,
                rank not in ranks,
            )
            for rank in sorted(near - self._gone)
        ]
        contest = Contest(rules, self._alphabet, states, first=True)
        return contest, contest.cost + len(near) // _MADE
