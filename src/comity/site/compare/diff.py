"""Compare two robots.txt files by meaning: the robots, paths and fields whose answers change.

The rules that both files have for a robot are paired (`rule_pairs`). A walk over the automaton of all of them
(`product_walk`) finds each pair of rules that decide differently, with a shortest path. Robots with the same
rules in both files are compared once. If the walk would take too long, sample paths are compared instead, and
the result says so.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from ...protocol.robotstxt.dialect import Dialect
from ...protocol.robotstxt.matcher import Matcher
from ...protocol.robotstxt.rules import Rules
from ...protocol.robotstxt.selection import names_of
from .audiences import Agents, Audiences, File, FilePair, audiences, read_both
from .automata.alphabet import Alphabet
from .automata.product_walk import STATES, ProductWalk, state_limit
from .automata.rule_pairs import RuleTable, pair_rules, rule_table
from .automata.sample_paths import sample_paths
from .change import Change, Diff
from .description import Differences, key_closes, path_changes
from .field_change import FieldChange
from .fields import FileFields, Terms, field_changes, terms_key, whole_file_terms
from .url_impact import UrlCounts, UrlImpact

#: Maximum number of field changes listed for all robots together; past it each robot gets one.
_FIELDS = 50_000


class _FieldAudience(NamedTuple):
    """Robots of a case with the same terms of other fields; `terms` are (old, new) pairs."""

    agents: list[str]
    terms: tuple[tuple[Terms, Terms], ...]


class _Case(NamedTuple):
    """Robots that have the same rules in the old file, and the same in the new file.

    `audiences` are the robots by the terms of their other fields.
    """

    old_rules: Rules
    new_rules: Rules
    old: RuleTable
    new: RuleTable
    audiences: dict[tuple[int, ...], _FieldAudience]


def diff(
    old: File,
    new: File,
    *,
    agents: Agents | None = None,
    dialect: str | Dialect | None = None,
    urls: str | bytes | Iterable[str | bytes] | None = None,
    states: int | None = STATES,
) -> Diff:
    r"""Return the changes for robots if one robots.txt replaces another.

    `old` and `new` are bodies, as for `comity.parse`, or parsed files. `agents` are the robots to compare
    for; the default is each robot that a file names, and `*` for any other. If `comity.agents` knows that a
    robot falls back to another token, as Googlebot-Image does, the fallback applies.

    `dialect` is the dialect to read both files by. The default is that of the parsed files. For unparsed
    files each robot reads by its own: robots whose operator is Google by "google", all others by "rfc9309".
    `*` stands for either kind, so it is compared by both.

    `urls` are judged by both files, and the changed ones are counted. `states` is the maximum number of
    automaton states for all comparisons in a dialect, None for no limit. If it is reached, the change is not
    `exact` and `doubt` says why. Time is proportional to `states` and to the size of the files.

    >>> import comity
    >>> changes = comity.diff("User-agent: *\nDisallow: /a", "User-agent: *\nDisallow: /a/")
    >>> bool(changes), changes.changes[0].opened[0].witness
    (True, '/a')
    >>> print(changes.explain())
    all robots:
      opens paths matching `/a`, except `/a/`, such as /a: line 2 `Disallow: /a` decided, no rule decides now
    >>> bool(comity.diff("User-agent: *\nDisallow: /a\nDisallow: /a/b", "User-agent: *\nDisallow: /a*"))
    False

    Raises `InvalidArgument` for an unknown dialect, and for files that were parsed in
    different dialects. Invalid URLs do not raise; `Diff.not_urls` is their number.
    """
    limit = state_limit(states)
    files = read_both(old, new, dialect)
    pairs = [FilePair(before.dialect, FileFields(before), FileFields(after)) for before, after in files]
    robots = audiences(files, pairs, agents)
    found: list[tuple[_Case, Change]] = []
    for pair in pairs:
        found += _compare_all(_cases(pair, robots), limit)
    impact = None
    if urls is not None and found:
        impact = _impact(found, urls)
        found = [
            (case, _with_counts(change, counts))
            for (case, change), counts in zip(found, impact.counts, strict=True)
        ]
    order = {label: place for place, label in enumerate(robots.robots)}
    return Diff(
        dialect=pairs[0].dialect.name if len(pairs) == 1 else None,
        changes=tuple(sorted(_merge_equal(_per_audience(found)), key=lambda one: order[one.agents[0]])),
        fields=field_changes(whole_file_terms(files[0][0]), whole_file_terms(files[0][1])),
        named=robots.named,
        doubt=robots.doubt,
        urls=impact.total if impact else None,
        not_urls=impact.invalid if impact else None,
    )


def equivalent(
    old: File,
    new: File,
    *,
    agents: Agents | None = None,
    dialect: str | Dialect | None = None,
    states: int | None = STATES,
) -> bool | None:
    r"""Return whether two files mean the same to all robots, or None if that is not known.

    `old`, `new`, `agents`, `dialect` and `states` are as for `diff`. The comparison stops at the first
    difference. The result is None if no difference was found and `Diff.exact` would be false.

    >>> equivalent("User-agent: *\nDisallow: /a*\nAllow: /", "User-agent: *\nDisallow: /a")
    True
    """
    limit = state_limit(states)
    files = read_both(old, new, dialect)
    if field_changes(whole_file_terms(files[0][0]), whole_file_terms(files[0][1])):
        return False
    pairs = [FilePair(before.dialect, FileFields(before), FileFields(after)) for before, after in files]
    robots = audiences(files, pairs, agents)
    exact = not robots.doubt
    for pair in pairs:
        alphabet = Alphabet(pair.dialect)
        for case in _cases(pair, robots):
            if any(field_changes(*terms, 1) for some in case.audiences.values() for terms in some.terms):
                return False
            rules = list(pair_rules(case.old, case.new, pair.dialect).values())
            walk = ProductWalk(rules, alphabet, limit, first=True)
            if walk.differences:
                return False
            exact = exact and walk.complete
    return True if exact else None


def _cases(pair: FilePair, robots: Audiences) -> list[_Case]:
    """Return the robots that read by the dialect, grouped by their rules and fields."""
    tables: dict[tuple[int, ...], tuple[int, RuleTable, Rules]] = {}
    numbers: dict[object, int] = {}
    terms: dict[int, tuple[Terms, int]] = {}

    def table_of(names: tuple[str, ...], side: FileFields) -> tuple[int, RuleTable, Rules]:
        """Return the rules of a robot, and a number that is equal for equal rules."""
        # Thousands of names may share a group, so tables are created per group and not per name.
        place = (side is pair.new, *side.groups_for(names))
        if place not in tables:
            rules = side.rules_for(names)
            table = rule_table(rules)
            content = frozenset(table) if rules.dialect.precedence == "longest" else tuple(table)
            tables[place] = numbers.setdefault(content, len(numbers)), table, rules
        return tables[place]

    def number_of(fields: Terms) -> int:
        """Return a number that is equal for terms of the same meaning."""
        # The terms are stored because their ids are the keys.
        if id(fields) not in terms:
            terms[id(fields)] = fields, numbers.setdefault(terms_key(fields), len(numbers))
        return terms[id(fields)][1]

    cases: dict[tuple[int, int], _Case] = {}
    for label, (agent, dialects) in robots.robots.items():
        if pair.dialect not in dialects:
            continue
        names = names_of(agent)
        old_number, old_table, old_rules = table_of(names, pair.old)
        new_number, new_table, new_rules = table_of(names, pair.new)
        both = tuple(zip(pair.old.terms_for(names), pair.new.terms_for(names), strict=True))
        key = tuple(number_of(terms) for sides in both for terms in sides)
        case = cases.setdefault(
            (old_number, new_number), _Case(old_rules, new_rules, old_table, new_table, {})
        )
        case.audiences.setdefault(key, _FieldAudience([], both)).agents.append(label)
    return list(cases.values())


def _compare_all(cases: Sequence[_Case], states: int) -> list[tuple[_Case, Change]]:
    """Compare the rules of each case, within a common maximum number of states."""
    left = states
    found: dict[int, Change] = {}
    # The small cases come first, so that a large one cannot use up their share.
    order = sorted(range(len(cases)), key=lambda at: len(cases[at].old) + len(cases[at].new))
    for at in order:
        found[at] = _compare(cases[at], left if at == order[-1] else left // 2)
        left = max(left - found[at].states, 0)
    return [(case, found[at]) for at, case in enumerate(cases)]


def _compare(case: _Case, states: int) -> Change:
    dialect = case.old_rules.dialect
    alphabet = Alphabet(dialect)
    rules = pair_rules(case.old, case.new, dialect)
    keys = [*rules, None]  # -1 is the missing rule
    walk = ProductWalk(list(rules.values()), alphabet, states)
    found: Differences = {(keys[old], keys[new]): path for (old, new), path in walk.differences.items()}
    doubt = ""
    if not walk.complete:
        doubt = (
            f"comparing {len(rules):,} rules takes more than {states:,} states, so only samples were compared"
        )
        _compare_samples(case, alphabet, found)
    changes = path_changes(case.old, case.new, alphabet, found)
    return Change(
        agents=(),
        dialects=(dialect.name,),
        closed=tuple(change for change in changes if change.closes),
        opened=tuple(change for change in changes if not change.closes),
        fields=(),
        exact=walk.complete,
        doubt=doubt,
        states=walk.cost,
        urls_closed=None,
        urls_opened=None,
        examples_closed=(),
        examples_opened=(),
    )


def _compare_samples(case: _Case, alphabet: Alphabet, found: Differences) -> None:
    """Add the differences that sample paths show."""
    old, new = list(case.old), list(case.new)
    judges = [Matcher([key.pattern for key in keys], [key.closes for key in keys]) for keys in (old, new)]
    unshared = [key for key in old if key not in case.new] + [key for key in new if key not in case.old]
    for path in sample_paths([key.pattern for key in unshared or old], alphabet):
        ranks = judges[0].winner(path), judges[1].winner(path)
        pair = (old[ranks[0]] if ranks[0] >= 0 else None, new[ranks[1]] if ranks[1] >= 0 else None)
        if key_closes(pair[0]) is not key_closes(pair[1]) and len(found.get(pair, path)) >= len(path):
            found[pair] = path


def _impact(found: Sequence[tuple[_Case, Change]], urls: str | bytes | Iterable[str | bytes]) -> UrlImpact:
    """Judge the URLs by both files, except for robots whose rules are known to agree."""
    return UrlImpact(
        [
            (case.old_rules, case.new_rules) if change.closed or change.opened or not change.exact else None
            for case, change in found
        ],
        urls,
    )


def _with_counts(change: Change, counts: UrlCounts) -> Change:
    return change.replace(
        urls_closed=counts.closed,
        urls_opened=counts.opened,
        examples_closed=tuple(counts.examples_closed),
        examples_opened=tuple(counts.examples_opened),
    )


def _per_audience(found: Iterable[tuple[_Case, Change]]) -> Iterator[Change]:
    """Yield a change for each audience of each case, with its field changes."""
    left = _FIELDS
    differing: dict[tuple[int, ...], bool] = {}
    for case, change in found:
        for audience in case.audiences.values():
            fields: list[FieldChange] = []
            for pair in audience.terms:
                key = id(pair[0]), id(pair[1])
                if differing.get(key, True):
                    changes = field_changes(*pair, max(left - len(fields), 1))
                    differing[key] = bool(changes)
                    fields += changes
            left = max(left - len(fields), 0)
            yield change.replace(agents=tuple(audience.agents), fields=tuple(fields))


def _merge_equal(changes: Iterable[Change]) -> list[Change]:
    """Merge equal changes for robots of two dialects, and audiences that are unaffected in both."""
    found: dict[object, Change] = {}
    unchanged: dict[str, object] = {}
    for change in changes:
        key: object = change.replace(agents=(), dialects=(), states=0)
        if not change and change.exact:
            key = unchanged.get(change.agents[0], change)
            unchanged |= dict.fromkeys(change.agents, key)
        first = found.setdefault(key, change)
        if first is not change:
            agents = tuple(dict.fromkeys(first.agents + change.agents))
            dialects = tuple(dict.fromkeys(first.dialects + change.dialects))
            states = first.states + change.states
            found[key] = first.replace(agents=agents, dialects=dialects, states=states)
    return list(found.values())
