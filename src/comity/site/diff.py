"""Two robots.txt files -> what changes in meaning: for which robots, and on which paths.

The text does not matter: for each robot the rules of both files are put together (`ballot`), and the walk
over their automaton (`contest`) finds each pair of rules that decide differently, with a shortest path. What
robots share is compared once. If a walk would take too long, paths made of the patterns are tried instead,
and the answer says so.
"""

from collections.abc import Iterable, Sequence
from itertools import islice

from ..errors import InvalidDialect, InvalidURL
from ..protocol.robotstxt.dialect import Dialect, named
from ..protocol.robotstxt.document import RobotsTxt, parse
from ..protocol.robotstxt.matcher import Matcher
from ..protocol.robotstxt.rules import Rules
from ..protocol.robotstxt.selection import names_of
from .alphabet import Alphabet
from .ballot import Ballot, Key, ballot, contenders
from .change import Change, Diff
from .contest import STATES, Contest
from .description import Found, described, key_closes
from .samples import samples

__all__ = ["diff", "equivalent"]

#: A robots.txt as the caller has it.
File = bytes | str | RobotsTxt

#: A robot as the caller names it: see `RobotsTxt`.
Agent = str | Sequence[str]

#: So many URLs are judged together.
_BATCH = 1000


class _Case:
    """Robots for whom both files say the same, and what they say."""

    __slots__ = ("agents", "new", "new_rules", "old", "old_rules")

    def __init__(self, old_rules: Rules, new_rules: Rules, old: Ballot, new: Ballot) -> None:
        """Begin with no robot."""
        self.agents: list[str] = []
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
    ask for; by default all that either file names, and `*` for any other robot. `dialect` is that of files
    that were parsed, or "rfc9309". `urls` are judged by both files and counted. `states` bounds the places of
    automata that are walked, of all comparisons together; past it a change is not `exact`, and its `doubt`
    says so. Time is in proportion to `states` and to the size of the files.

    >>> import comity
    >>> changes = comity.diff("User-agent: *\nDisallow: /a", "User-agent: *\nDisallow: /a/")
    >>> bool(changes), changes.changes[0].opened[0].witness
    (True, '/a')
    >>> print(changes.explain())
    any other robot:
      opens what matches `/a`, except `/a/`, such as /a: line 2 `Disallow: /a` decided, no rule decides now
    >>> bool(comity.diff("User-agent: *\nDisallow: /a\nDisallow: /a/b", "User-agent: *\nDisallow: /%61*"))
    False

    Raises `UnknownDialect` for a dialect that does not exist, `InvalidDialect` for two files that were parsed
    in two dialects. URLs that are none are counted in `Diff.not_urls`.
    """
    before, after = _files(old, new, dialect)
    cases = _cases(before, after, agents)
    alphabet = Alphabet(before.dialect)
    left = states
    found: dict[int, Change] = {}
    # The small ones first, so that a large one cannot take what they need.
    order = sorted(range(len(cases)), key=lambda at: len(cases[at].old) + len(cases[at].new))
    for at in order:
        change = _change(cases[at], alphabet, left if at == order[-1] else left // 2)
        found[at] = change
        left = max(left - change.states, 0)
    changes = [found[at] for at in range(len(cases))]
    counts = None if urls is None or not cases else _count(cases, changes, urls)
    return Diff(
        dialect=before.dialect.name,
        changes=tuple(changes if counts is None else counts[0]),
        urls=None if counts is None else counts[1],
        not_urls=None if counts is None else counts[2],
    )


def equivalent(
    old: File,
    new: File,
    *,
    agents: Iterable[Agent] | None = None,
    dialect: str | Dialect | None = None,
    states: int = STATES,
) -> bool | None:
    r"""Say whether two files mean the same to all robots; `None` if that takes more than `states` to know.

    The arguments are those of `diff`. This ends with the first difference.

    >>> equivalent("User-agent: *\nDisallow: /a*\nAllow: /", "User-agent: *\nDisallow: /a")
    True
    """
    before, after = _files(old, new, dialect)
    alphabet = Alphabet(before.dialect)
    sure = True
    for case in _cases(before, after, agents):
        rules = list(contenders(case.old, case.new, before.dialect).values())
        contest = Contest(rules, alphabet, states, first=True)
        if contest.differences:
            return False
        sure = sure and contest.complete
    return True if sure else None


def _files(old: File, new: File, dialect: str | Dialect | None) -> tuple[RobotsTxt, RobotsTxt]:
    """Read both files in one dialect."""
    parsed = {file.dialect for file in (old, new) if isinstance(file, RobotsTxt)}
    if dialect is None and len(parsed) > 1:
        names = " and in ".join(sorted(found.name for found in parsed))
        raise InvalidDialect(f"the files were parsed in {names}; say by which dialect to compare them")
    chosen = named(dialect if dialect is not None else parsed.pop() if parsed else "rfc9309")
    before, after = (
        file if isinstance(file, RobotsTxt) and file.dialect == chosen
        else parse(file.body if isinstance(file, RobotsTxt) else file, chosen)
        for file in (old, new)
    )  # fmt: skip
    return before, after


def _cases(before: RobotsTxt, after: RobotsTxt, agents: Iterable[Agent] | None) -> list[_Case]:
    """Give robots together for whom the files say the same."""
    asked: dict[str, Agent]
    if agents is None:
        asked = {"*": "*"} | _named(before, after)
    else:
        asked = {agent if isinstance(agent, str) else ", ".join(agent): agent for agent in agents}
    ballots: dict[tuple[int, ...], tuple[int, Ballot]] = {}
    numbers: dict[frozenset[Key] | tuple[Key, ...], int] = {}

    def ballot_of(rules: Rules, file: int) -> tuple[int, Ballot]:
        """Give the ballot of a robot, and a number that all have who have the same."""
        place = (file, *(group.agents[0][0] for group in rules.raw_groups))
        if place not in ballots:
            found = ballot(rules)
            content = frozenset(found) if rules.dialect.precedence == "longest" else tuple(found)
            ballots[place] = numbers.setdefault(content, len(numbers)), found
        return ballots[place]

    cases: dict[tuple[int, int], _Case] = {}
    for label, agent in asked.items():
        rules = before.rules_for(agent), after.rules_for(agent)
        if agents is None and agent != "*" and all(side.matched in ("*", None) for side in rules):
            continue  # what names this robot is not read as a name, so it is one of the others
        old_number, old_ballot = ballot_of(rules[0], 0)
        new_number, new_ballot = ballot_of(rules[1], 1)
        case = cases.setdefault((old_number, new_number), _Case(*rules, old_ballot, new_ballot))
        case.agents.append(label)
    return list(cases.values())


def _named(*files: RobotsTxt) -> dict[str, Agent]:
    """Give the robots that files name, each once, whatever the case."""
    found: dict[str, str] = {}
    for file in files:
        for group in file.groups:
            for value in group.agents:
                for name in names_of(value):
                    if name and name != "*":
                        found.setdefault(name.lower(), name)
    return {name: name for name in found.values()}


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
        agents=tuple(case.agents),
        closed=tuple(shift for shift in shifts if shift.closes),
        opened=tuple(shift for shift in shifts if not shift.closes),
        exact=contest.complete,
        doubt=doubt,
        states=contest.cost,
        urls_closed=None,
        urls_opened=None,
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


def _count(
    cases: Sequence[_Case], changes: Sequence[Change], urls: Iterable[str | bytes]
) -> tuple[list[Change], int, int]:
    """Count the URLs whose verdict changes, all URLs, and what is no URL; reads each once, as it comes."""
    asked = [at for at, change in enumerate(changes) if change or not change.exact]
    closed, opened = [0] * len(cases), [0] * len(cases)
    total = wrong = 0
    rest = iter(urls)
    while batch := list(islice(rest, _BATCH)):
        good = [url for url in batch if _is_url(url, cases[0].old_rules)]
        total += len(good)
        wrong += len(batch) - len(good)
        for at in asked:
            before, after = cases[at].old_rules.allowed_many(good), cases[at].new_rules.allowed_many(good)
            for was, is_now in zip(before, after, strict=True):
                closed[at] += was and not is_now
                opened[at] += is_now and not was
    counted = [
        change.replace(urls_closed=closed[at], urls_opened=opened[at]) for at, change in enumerate(changes)
    ]
    return counted, total, wrong


def _is_url(url: str | bytes, rules: Rules) -> bool:
    try:
        rules.allowed(url)
    except InvalidURL:
        return False
    return True
