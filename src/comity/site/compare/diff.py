"""Two robots.txt files -> what changes in meaning: for which robots, on which paths, and in which fields.

The text does not matter: for each robot the rules of both files are put together (`ballot`), and the walk
over their automaton (`contest`) finds each pair of rules that decide differently, with a shortest path. What
robots share is compared once. If a walk would take too long, paths made of the patterns are tried instead,
and the answer says so.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from ...protocol.robotstxt.dialect import Dialect
from ...protocol.robotstxt.matcher import Matcher
from ...protocol.robotstxt.rules import Rules
from ...protocol.robotstxt.selection import names_of
from .audiences import Agent, Asked, File, Sides, asked_of, readings_of
from .automata.alphabet import Alphabet
from .automata.product_walk import STATES, Contest
from .automata.rule_pairs import Ballot, ballot, contenders
from .automata.sample_paths import samples
from .change import Change, Diff
from .description import Found, described, key_closes
from .field_change import FieldChange
from .fields import FieldsOf, Terms, changed, of_file, same
from .url_impact import Count, Tally

__all__ = ["diff", "equivalent"]


#: So many changes of fields are told of all robots together, and then of each robot one.
_FIELDS = 50_000


class _Hearing:
    """Robots to whom other fields say the same too: by terms of their own, and of their groups."""

    __slots__ = ("agents", "terms")

    def __init__(self, terms: tuple[tuple[Terms, Terms], ...]) -> None:
        """Begin with no robot; `terms` are pairs of the old and the new file."""
        self.agents: list[str] = []
        self.terms = terms


class _Case:
    """Robots for whom both files have the same rules, and what they are."""

    __slots__ = ("hearing", "new", "new_rules", "old", "old_rules")

    def __init__(self, old_rules: Rules, new_rules: Rules, old: Ballot, new: Ballot) -> None:
        """Begin with no robot."""
        #: the robots by what the other fields say to them
        self.hearing: dict[tuple[int, ...], _Hearing] = {}
        self.old_rules, self.new_rules = old_rules, new_rules
        self.old, self.new = old, new


def diff(
    old: File,
    new: File,
    *,
    agents: Iterable[Agent] | None = None,
    dialect: str | Dialect | None = None,
    urls: Iterable[str | bytes] | None = None,
    states: int = STATES,
) -> Diff:
    r"""Say what changes for robots when one robots.txt takes the place of another.

    `old` and `new` are bodies, as for `comity.parse`, or files that were parsed. `agents` are the robots to
    ask for; by default all that either file names, and `*` for any other robot. One that `comity.agents`
    knows to follow the rules of another token where it has none, as Googlebot-Image, is asked for so.
    `dialect` is that of files that were parsed; else each robot is read by its own: those whose operator is
    Google, in `comity.agents`, by "google", all others by "rfc9309", and `*`, which is any of them, by both.
    `urls` are judged by both files and counted. `states` bounds the places of automata that are walked, of
    all comparisons in a dialect; past it a change is not `exact`, and its `doubt` says so. Time is in
    proportion to `states` and to the size of the files.

    >>> import comity
    >>> changes = comity.diff("User-agent: *\nDisallow: /a", "User-agent: *\nDisallow: /a/")
    >>> bool(changes), changes.changes[0].opened[0].witness
    (True, '/a')
    >>> print(changes.explain())
    all robots:
      opens what matches `/a`, except `/a/`, such as /a: line 2 `Disallow: /a` decided, no rule decides now
    >>> bool(comity.diff("User-agent: *\nDisallow: /a\nDisallow: /a/b", "User-agent: *\nDisallow: /a*"))
    False

    Raises `UnknownDialect` for a dialect that does not exist, `InvalidDialect` for two files that were parsed
    in two dialects. URLs that are none are counted in `Diff.not_urls`.
    """
    readings = readings_of(old, new, dialect)
    sides = [(FieldsOf(before), FieldsOf(after)) for before, after in readings]
    asked, named, doubt = asked_of(readings, sides, agents)
    found: list[tuple[_Case, Change]] = []
    for reading, pair in zip(readings, sides, strict=True):
        found += _compared(_cases(reading[0].dialect, pair, asked), states)
    fields = changed(of_file(readings[0][0]), of_file(readings[0][1]))
    total = wrong = None
    if urls is not None and found:
        pairs = [
            (case.old_rules, case.new_rules) if change.closed or change.opened or not change.exact else None
            for case, change in found
        ]
        tally = Tally(pairs, urls)
        total, wrong = tally.total, tally.wrong
        found = [
            (case, _counted(change, count)) for (case, change), count in zip(found, tally.counts, strict=True)
        ]
    order = {label: place for place, label in enumerate(asked)}
    changes = sorted(_together(_heard(found)), key=lambda one: order[one.agents[0]])
    return Diff(
        dialect=readings[0][0].dialect.name if len(readings) == 1 else None,
        changes=tuple(changes),
        fields=fields,
        named=named,
        doubt=doubt,
        urls=total,
        not_urls=wrong,
    )


def equivalent(
    old: File,
    new: File,
    *,
    agents: Iterable[Agent] | None = None,
    dialect: str | Dialect | None = None,
    states: int = STATES,
) -> bool | None:
    r"""Say whether two files mean the same to all robots; `None` if that is not known.

    The arguments are those of `diff`. This ends with the first difference. It is not known where `Diff.exact`
    would be false and no difference was found.

    >>> equivalent("User-agent: *\nDisallow: /a*\nAllow: /", "User-agent: *\nDisallow: /a")
    True
    """
    readings = readings_of(old, new, dialect)
    if changed(of_file(readings[0][0]), of_file(readings[0][1])):
        return False
    sides = [(FieldsOf(before), FieldsOf(after)) for before, after in readings]
    asked, _, doubt = asked_of(readings, sides, agents)
    sure = not doubt
    for (before, _), pair in zip(readings, sides, strict=True):
        alphabet = Alphabet(before.dialect)
        for case in _cases(before.dialect, pair, asked):
            if any(changed(*terms, 1) for heard in case.hearing.values() for terms in heard.terms):
                return False
            rules = list(contenders(case.old, case.new, before.dialect).values())
            contest = Contest(rules, alphabet, states, first=True)
            if contest.differences:
                return False
            sure = sure and contest.complete
    return True if sure else None


def _compared(cases: Sequence[_Case], states: int) -> list[tuple[_Case, Change]]:
    """Compare what the files say to each robot, all within so many states."""
    left = states
    found: dict[int, Change] = {}
    # The small ones first, so that a large one cannot take what they need.
    order = sorted(range(len(cases)), key=lambda at: len(cases[at].old) + len(cases[at].new))
    for at in order:
        alphabet = Alphabet(cases[at].old_rules.dialect)
        change = _change(cases[at], alphabet, left if at == order[-1] else left // 2)
        found[at] = change
        left = max(left - change.states, 0)
    return [(case, found[at]) for at, case in enumerate(cases)]


def _heard(found: Iterable[tuple[_Case, Change]]) -> Iterator[Change]:
    """Give each change to those robots to whom the other fields change in the same way."""
    left = _FIELDS
    differing: dict[tuple[int, ...], bool] = {}
    for case, change in found:
        for heard in case.hearing.values():
            fields: list[FieldChange] = []
            for pair in heard.terms:
                numbers = id(pair[0]), id(pair[1])
                if differing.get(numbers, True):
                    told = changed(*pair, max(left - len(fields), 1))
                    differing[numbers] = bool(told)
                    fields += told
            left = max(left - len(fields), 0)
            yield change.replace(agents=tuple(heard.agents), fields=tuple(fields))


def _together(changes: Iterable[Change]) -> list[Change]:
    """Give as one what is the same change to robots of two dialects, or none in either to the same robots."""
    found: dict[object, Change] = {}
    unchanged: dict[str, object] = {}
    for change in changes:
        said: object = change.replace(agents=(), dialects=(), states=0)
        if not change and change.exact:
            said = unchanged.get(change.agents[0], change)
            unchanged |= dict.fromkeys(change.agents, said)
        first = found.setdefault(said, change)
        if first is not change:
            agents = tuple(dict.fromkeys(first.agents + change.agents))
            dialects = tuple(dict.fromkeys(first.dialects + change.dialects))
            states = first.states + change.states
            found[said] = first.replace(agents=agents, dialects=dialects, states=states)
    return list(found.values())


def _counted(change: Change, count: Count) -> Change:
    return change.replace(
        urls_closed=count.closed,
        urls_opened=count.opened,
        examples_closed=tuple(count.examples_closed),
        examples_opened=tuple(count.examples_opened),
    )


def _cases(dialect: Dialect, sides: Sides, asked: Mapping[str, Asked]) -> list[_Case]:
    """Give robots together for whom the files say the same, of those that read by the dialect."""
    ballots: dict[tuple[int, ...], tuple[int, Ballot, Rules]] = {}
    numbers: dict[object, int] = {}
    terms: dict[int, tuple[Terms, int]] = {}

    def ballot_of(names: tuple[str, ...], file: int) -> tuple[int, Ballot, Rules]:
        """Give the ballot of a robot with its rules, and a number that all have who have the same."""
        # Thousands of names may share a group, so rules are made for groups and not for names.
        place = (file, *sides[file].groups_for(names))
        if place not in ballots:
            rules = sides[file].rules_for(names)
            found = ballot(rules)
            content = frozenset(found) if rules.dialect.precedence == "longest" else tuple(found)
            ballots[place] = numbers.setdefault(content, len(numbers)), found, rules
        return ballots[place]

    def number_of(fields: Terms) -> int:
        """Give a number that all fields have that mean the same."""
        # They are known by their ids, so they are kept.
        if id(fields) not in terms:
            terms[id(fields)] = fields, numbers.setdefault(same(fields), len(numbers))
        return terms[id(fields)][1]

    cases: dict[tuple[int, int], _Case] = {}
    for label, (agent, dialects) in asked.items():
        if dialect not in dialects:
            continue
        names = names_of(agent)
        old_number, old_ballot, old_rules = ballot_of(names, 0)
        new_number, new_ballot, new_rules = ballot_of(names, 1)
        pairs = tuple(zip(sides[0].to(names), sides[1].to(names), strict=True))
        key = tuple(number_of(terms) for pair in pairs for terms in pair)
        case = cases.setdefault((old_number, new_number), _Case(old_rules, new_rules, old_ballot, new_ballot))
        case.hearing.setdefault(key, _Hearing(pairs)).agents.append(label)
    return list(cases.values())


def _change(case: _Case, alphabet: Alphabet, states: int) -> Change:
    """Compare what the files say to some robots."""
    rules = contenders(case.old, case.new, case.old_rules.dialect)
    keys = list(rules)
    contest = Contest(list(rules.values()), alphabet, states)
    found = {
        (keys[old] if old >= 0 else None, keys[new] if new >= 0 else None): path
        for (old, new), path in contest.differences.items()
    }
    doubt = ""
    if not contest.complete:
        doubt = f"comparing {len(rules):,} rules takes more than {states:,} states, so paths were tried"
        _try(case, alphabet, found)
    shifts = described(case.old, case.new, alphabet, found)
    return Change(
        agents=(),
        dialects=(case.old_rules.dialect.name,),
        closed=tuple(shift for shift in shifts if shift.closes),
        opened=tuple(shift for shift in shifts if not shift.closes),
        fields=(),
        exact=contest.complete,
        doubt=doubt,
        states=contest.cost,
        urls_closed=None,
        urls_opened=None,
        examples_closed=(),
        examples_opened=(),
    )


def _try(case: _Case, alphabet: Alphabet, found: Found) -> None:
    """Look for more differences by judging paths."""
    old, new = list(case.old), list(case.new)
    judges = [Matcher([key[0] for key in keys], [key[2] for key in keys]) for keys in (old, new)]
    mixed = [*(key[0] for key in old if key not in case.new), *(key[0] for key in new if key not in case.old)]
    for path in samples(mixed or [key[0] for key in old], alphabet):
        ranks = judges[0].winner(path), judges[1].winner(path)
        pair = (old[ranks[0]] if ranks[0] >= 0 else None, new[ranks[1]] if ranks[1] >= 0 else None)
        if key_closes(pair[0]) is not key_closes(pair[1]) and len(found.get(pair, path)) >= len(path):
            found[pair] = path
