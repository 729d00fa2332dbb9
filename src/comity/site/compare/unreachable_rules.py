"""Find rules that can never win: others outrank them on every path, or they match no path.

Each such rule is returned with the rules that together outrank it. The search asks the automaton for a path
that the rule matches and none of those rules does. The rule that wins this path is added to them. The search
ends if no path is left, or if the rule itself wins one. So the automata stay as small as the result.
"""

from collections.abc import Callable, Mapping, Sequence

from ...protocol.robotstxt.document import RobotsTxt, parse
from ...protocol.robotstxt.engine.dialect import Dialect
from ...protocol.robotstxt.engine.grammar import UNRESERVED
from ...protocol.robotstxt.engine.groups import RawGroup
from ...protocol.robotstxt.engine.known_robot import KnownRobot
from ...protocol.robotstxt.engine.matcher import Matcher, Pattern
from ...protocol.robotstxt.engine.precedence import ranked_rules
from ...protocol.robotstxt.engine.reference import Reading
from ...protocol.robotstxt.engine.selection import names_of
from ...protocol.robotstxt.engine.verdict import Rule
from ...protocol.robotstxt.rules import Rules
from ...protocol.text import printable
from ...protocol.value import Value
from .automata.alphabet import Alphabet
from .automata.pending_rules import ABSENT
from .automata.product_walk import STATES, PairedRule, ProductWalk, state_limit
from .automata.rule_pairs import ROBOTS_TXT_KEY, rule_of
from .description import contains

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...protocol.option_names import DialectName


__all__ = [
    "UnreachableRule",
    "rules_matching_everything",
    "rules_matching_nothing",
    "shortest_match",
    "unreachable_rules",
]

#: Maximum number of rules that together outrank a rule.
_OUTRANKING = 100

#: The share of all states that one rule may use, so that a hard one leaves enough for the others.
_SHARE = 100

#: The bytes of a path that no dialect reads or compares as others.
_PLAIN = bytes(UNRESERVED) + b"/"

#: Number of states whose visit takes as long as the preparation of any search.
_STATES_PER_WALK = 5

#: Maximum number of pattern pieces to search for, over all paths, to find which rule wins.
_PIECES = 20_000_000


class UnreachableRule(Value):
    """A rule that never decides, because `by` outrank it on every path that it matches.

    `by` are the rules that together match each path that `rule` matches, most often one rule. It is empty if
    no path matches. Examples are a pattern that does not begin with a slash, and `/robots.txt`, which is
    always allowed.
    """

    rule: Rule
    by: tuple[Rule, ...]

    def explain(self) -> str:
        r"""Return a sentence on why the rule never wins.

        >>> import comity
        >>> rules = comity.parse("User-agent: *\nDisallow: /a\nAllow: /a").rules_for("ExampleBot")
        >>> print(unreachable_rules(rules)[0].explain())
        line 2 `Disallow: /a` never wins: line 3 `Allow: /a` outranks it on every path that it matches
        """
        others = ", ".join(f"line {rule.line} `{rule}`" for rule in self.by)
        if not others:
            why = "it matches no path that rules decide on"
        elif len(self.by) == 1:
            why = f"{others} outranks it on every path that it matches"
        else:
            why = f"on every path that it matches, one of these outranks it: {others}"
        return printable(f"line {self.rule.line} `{self.rule}` never wins: {why}")


def unreachable_rules(
    robots: bytes | str | RobotsTxt | Rules,
    *,
    agent: str | Sequence[str] | KnownRobot = "*",
    dialect: "DialectName | Dialect | None" = None,
    states: int | None = 4 * STATES,
) -> tuple[UnreachableRule, ...]:
    r"""Return the rules of one robot that can never win, in file order, with the rules that outrank them.

    `robots` is a robots.txt, parsed or not, or the `Rules` of a robot. `agent` is the robot, as for
    `RobotsTxt.check`; the default is any robot that no group names. `dialect` is the dialect to read the file
    by; the default is that of the parsed file, or "rfc9309". `Rules` have a robot and a dialect, so the
    arguments do not matter for them.

    `states` is the maximum number of automaton states for all rules together, None for no limit. Rules that
    are still undecided then are left out, so the result is certain. Rules without a path are left out too,
    because they do not restrict anything.

    >>> found = unreachable_rules("User-agent: *\nDisallow: /a\nDisallow: /a*\nDisallow: b\nDisallow: /a/b")
    >>> [(one.rule.line, [rule.line for rule in one.by]) for one in found]
    [(2, [3]), (4, [])]

    Raises `InvalidArgument` for an unknown dialect.
    """
    rules = robots if isinstance(robots, Rules) else parse(robots, dialect=dialect).rules_for(agent)
    return unreachable_in(rules.raw_groups, rules.dialect, states=states)


def unreachable_in(
    groups: Sequence[RawGroup], dialect: Dialect, *, states: int | None = 4 * STATES
) -> tuple[UnreachableRule, ...]:
    """Return the rules that can never win for a robot to which these groups apply, as `unreachable_rules`."""
    limit = state_limit(states)
    if _each_wins(groups, dialect):
        return ()
    order = ranked_rules(groups, dialect)
    alphabet = Alphabet(dialect)
    patterns = [alphabet.pattern(rule.pattern) for rule in order]
    implicit = dialect.opens_robots_txt
    if implicit:
        patterns.insert(0, ROBOTS_TXT_KEY.pattern)
    search = _Search(patterns, alphabet, limit)
    ranks: dict[int, list[int]] = {}  # by line: a rule may have several spellings
    for rank, rule in enumerate(order, implicit):
        ranks.setdefault(rule.line, []).append(rank)
    found: list[UnreachableRule] = []
    for group in groups:
        for record in group.rules:
            if not record[2]:
                continue
            by: list[int] | None = []
            for rank in ranks.get(record[0], ()):
                better = search.outranking(rank, ranks[record[0]])
                by = None if better is None or by is None else by + better
            if by is not None:
                records = [order[other - implicit].record for other in sorted(set(by)) if other >= implicit]
                others = {other[0]: rule_of(other) for other in records}
                found.append(UnreachableRule(rule_of(record), tuple(others.values())))
    return tuple(sorted(found, key=lambda one: one.rule.line))


def _each_wins(groups: Sequence[RawGroup], dialect: Dialect) -> bool:
    """Return whether the patterns are different plain paths, which is frequent, and the longest one wins.

    Each rule then wins at least the path that is its pattern, as only shorter patterns match that too.
    """
    values = [value for group in groups for _, _, value in group.rules if value]
    plain = all(value.startswith(b"/") and not value.translate(None, _PLAIN) for value in values)
    longest = dialect.precedence == "longest" and not dialect.index_pages
    return plain and longest and len(set(values)) == len(values) and b"/robots.txt" not in values


def rules_matching_everything(rules: Rules) -> tuple[Rule, ...]:
    r"""Return the rules of one robot that match every path, in file order: `/`, `*` and the like.

    >>> import comity
    >>> robots = comity.parse("User-agent: *\nDisallow: /*\nAllow: /a*\nDisallow: /**$")
    >>> [rule.line for rule in rules_matching_everything(robots.rules_for("A"))]
    [2, 4]
    """
    alphabet = Alphabet(rules.dialect)
    every = Pattern("/", None, False)

    def matches_everything(pattern: Pattern) -> bool:
        walk = _unmatched_by(every, [alphabet.pattern(pattern)], alphabet, STATES)
        return walk.complete and not walk.differences

    return _rules_where(rules, matches_everything)


def rules_matching_nothing(rules: Rules) -> tuple[Rule, ...]:
    r"""Return the rules of one robot that match no path, in file order, except those without a pattern.

    >>> import comity
    >>> robots = comity.parse("User-agent: *\nDisallow:\nDisallow: b\nDisallow: https://example.com/b")
    >>> [rule.line for rule in rules_matching_nothing(robots.rules_for("A"))]
    [3, 4]
    """
    alphabet = Alphabet(rules.dialect)
    matching = set(
        _rules_where(rules, lambda pattern: shortest_match(alphabet.pattern(pattern), alphabet) != "")
    )
    every = {rule_of(record) for group in rules.raw_groups for record in group.rules if record[2]}
    return tuple(sorted(every - matching, key=lambda rule: rule.line))


def _rules_where(rules: Rules, condition: Callable[[Pattern], bool]) -> tuple[Rule, ...]:
    """Return the rules, in file order, with a spelling that meets the condition."""
    found = {
        rule.line: rule_of(rule.record)
        for rule in ranked_rules(rules.raw_groups, rules.dialect)
        if condition(rule.pattern)
    }
    return tuple(found[line] for line in sorted(found))


class _Search:
    """Searches for rules that outrank others, within a maximum number of states and of pieces.

    `patterns` are those of all rules, best first.
    """

    __slots__ = ("_alphabet", "_matcher", "_paths", "_patterns", "_ranks", "_share", "_states")

    def __init__(self, patterns: Sequence[Pattern], alphabet: Alphabet, states: int) -> None:
        self._patterns = patterns
        # Of equal patterns only the best can win, so thousands of repeated rules cost one.
        best: dict[Pattern, int] = {}
        for rank, pattern in enumerate(patterns):
            best.setdefault(pattern, rank)
        self._ranks = list(best.values())
        self._matcher = Matcher(list(best), [False] * len(best))
        self._alphabet = alphabet
        self._states = states
        self._share = states // _SHARE
        self._paths = _PIECES // max(1, sum(len(pieces or ()) for _, pieces, _ in patterns))

    def outranking(self, rank: int, own: Sequence[int]) -> list[int] | None:
        """Return ranks that together outrank this one everywhere; None if it wins, or this is undecided."""
        by: list[int] = []
        path = shortest_match(self._patterns[rank], self._alphabet)
        while path:
            self._paths -= 1
            if self._paths < 0 or self._states == 0:
                return None
            winner = self._ranks[self._matcher.winner(path)]
            if winner in own or len(by) == _OUTRANKING:
                return None
            by.append(winner)
            if contains(self._patterns[winner], self._patterns[rank]):
                break  # the most frequent case, which needs no walk
            others = [self._patterns[other] for other in by]
            walk = _unmatched_by(self._patterns[rank], others, self._alphabet, min(self._share, self._states))
            self._states = max(self._states - walk.cost - _STATES_PER_WALK, 0)
            if not walk.complete and not walk.differences:
                return None
            path = min(walk.differences.values(), key=len, default="")
        return by


def shortest_match(pattern: Pattern, alphabet: Alphabet) -> str:
    """Return a shortest path that a pattern matches, or an empty string if it matches none."""
    prefix, pieces, _ = pattern
    path = prefix + "".join(pieces or ())
    if not path.startswith("/"):
        # A pattern that begins with `*` matches the slash too; a `$` alone matches only an empty path.
        path = "/" + path if not prefix and pieces != () else ""
    return path if alphabet.characters.issuperset(path) else ""


def _unmatched_by(
    pattern: Pattern, others: Sequence[Pattern], alphabet: Alphabet, states: int
) -> ProductWalk:
    """Walk to a path that the pattern matches and none of the others does; it is a difference."""
    rules = [PairedRule(other, False, rank, ABSENT, False) for rank, other in enumerate(others)]
    rules.append(PairedRule(pattern, True, len(others), ABSENT, False))
    return ProductWalk(rules, alphabet, states, first=True)


#: Maximum number of pattern pieces that are compared for one robot, and in total. The search is exact and
#: takes its time.
_ROBOT_PIECES = 5_000
_FILE_PIECES = 20_000

_FOR_ROBOT = f"a robot has more than {_ROBOT_PIECES:,} pieces of patterns, the limit for one robot"
_IN_FILE = f"the file has more than {_FILE_PIECES:,} pieces of patterns, the limit for one file"


class UnreachableRules(Value):
    """`rules` never win, in file order; `skipped` are the first lines of groups that were not compared.

    `limits` are the sentences that say why groups were skipped, each once.
    """

    rules: tuple[UnreachableRule, ...]
    skipped: tuple[int, ...]
    limits: tuple[str, ...]


def find_unreachable_rules(robots: RobotsTxt, groups_of: Mapping[str, tuple[int, ...]]) -> UnreachableRules:
    r"""Find the rules that never win, for each set of groups that applies to a robot.

    `groups_of` has the first lines of the groups of each name. A rule that several robots read is unreachable
    if it wins for none of them.

    >>> import comity
    >>> robots = comity.parse("User-agent: a\nUser-agent: b\nDisallow: /x\n\nUser-agent: a\nAllow: /x*")
    >>> [never.rule.line for never in find_unreachable_rules(robots, {"a": (1, 5)}).rules]
    [3]
    >>> find_unreachable_rules(robots, {"a": (1, 5), "b": (1,)}).rules
    ()
    """
    reading = Reading(robots.body, robots.dialect)
    group_at = {_first_line(group): group for group in reading.groups}
    sizes = {line: _piece_count(group) for line, group in group_at.items()}
    seen: set[tuple[int, ...]] = set()
    readers: dict[int, int] = {}  # for each group, the number of sets that have it
    found: dict[int, list[UnreachableRule]] = {}
    skipped: set[int] = set()
    limits: set[str] = set()
    left = _FILE_PIECES
    for name, groups in groups_of.items():
        if groups in seen:
            continue
        seen.add(groups)
        pieces = sum(sizes[line] for line in groups)
        if pieces > min(_ROBOT_PIECES, left):
            skipped.update(groups)
            limits.add(_FOR_ROBOT if pieces > _ROBOT_PIECES else _IN_FILE)
            continue
        _, selected = reading.select(names_of(name))  # a name may also select the groups of longer names
        lines = list(map(_first_line, selected))
        pieces = sum(sizes[line] for line in lines)
        if pieces > min(_ROBOT_PIECES, left):
            skipped.update(lines)
            limits.add(_FOR_ROBOT if pieces > _ROBOT_PIECES else _IN_FILE)
            continue
        left -= pieces
        for line in lines:
            readers[line] = readers.get(line, 0) + 1
        for never in unreachable_in(selected, robots.dialect):
            found.setdefault(never.rule.line, []).append(never)
    unreachable = [
        found[number][0]
        for line, group in group_at.items()
        if line not in skipped
        for number, _, _ in group.rules
        if len(found.get(number, ())) == readers.get(line, -1)
    ]
    return UnreachableRules(tuple(unreachable), tuple(sorted(skipped)), tuple(sorted(limits)))


def _first_line(group: RawGroup) -> int:
    """Return the number of the first line of a group."""
    return group.agents[0][0]


def _piece_count(group: RawGroup) -> int:
    """Return the number of pieces into which `*` divides the patterns of a group."""
    return sum(1 + value.count(b"*") for _, _, value in group.rules)
