"""Rules that can never win: whatever the path, others outrank them, or they match no path at all.

Each such rule is shown with others that together match whatever it matches. They are found by asking for a
path that the rule matches and none of them does, by automata; the rule that wins this path is one more of
them, until there is no path left, or the rule itself wins one. So the automata stay as small as the answer.
"""

from collections.abc import Callable, Sequence

from ...protocol.robotstxt.matcher import Matcher, Pattern
from ...protocol.robotstxt.precedence import ranked
from ...protocol.robotstxt.rules import Rules
from ...protocol.robotstxt.verdict import Rule, printable
from ...protocol.value import Value
from .automata.alphabet import Alphabet
from .automata.product_walk import ABSENT, STATES, Contender, Contest
from .automata.rule_pairs import ITSELF, rule_of

__all__ = ["NeverWins", "example", "match_everything", "match_nothing", "never_wins"]

#: So many rules are named at the most that together outrank another.
_COVER = 100

#: One rule may take so small a part of all places, so that one that is hard leaves enough for the others.
_SHARE = 100

#: So many pieces of patterns are looked for at the most, to see who wins a path.
_PIECES = 20_000_000


class NeverWins(Value):
    """A rule that decides nothing: `by` outranks it wherever it matches.

    `by` are the rules that together match each path that `rule` matches, most often one. It is empty where
    no path can match, as with a pattern that does not begin with a slash, and for `/robots.txt` itself,
    which is open whatever rules say.
    """

    __slots__ = ("rule", "by")
    rule: Rule
    by: tuple[Rule, ...]

    def explain(self) -> str:
        r"""Say in a sentence why the rule never wins.

        >>> import comity
        >>> rules = comity.parse("User-agent: *\nDisallow: /a\nAllow: /a").rules_for("ExampleBot")
        >>> print(never_wins(rules)[0].explain())
        line 2 `Disallow: /a` never wins: line 3 `Allow: /a` outranks it on every path that it matches
        """
        others = ", ".join(f"line {rule.line} `{rule}`" for rule in self.by)
        if not others:
            why = "no path that is judged by rules matches it"
        elif len(self.by) == 1:
            why = f"{others} outranks it on every path that it matches"
        else:
            why = f"of {others} one outranks it on every path that it matches"
        return printable(f"line {self.rule.line} `{self.rule}` never wins: {why}")


def never_wins(rules: Rules, *, states: int = 4 * STATES) -> tuple[NeverWins, ...]:
    r"""Give the rules of one robot that can never win, in file order, and which rules outrank them.

    `rules` are all that speak to the robot, as `RobotsTxt.rules_for` gives them, in their dialect. Rules
    without a path are no such rules: they ask for nothing. `states` bounds the places of automata that are
    walked, of all rules together; what is not known then is left out, so what is given is certain.

    >>> import comity
    >>> robots = comity.parse("User-agent: *\nDisallow: /a\nDisallow: /a*\nDisallow: b\nDisallow: /a/b")
    >>> [(never.rule.line, [rule.line for rule in never.by]) for never in never_wins(robots.rules_for("A"))]
    [(2, [3]), (4, [])]
    """
    order = ranked(rules.raw_groups, rules.dialect)
    alphabet = Alphabet(rules.dialect)
    patterns = [alphabet.pattern(rule[0]) for rule in order]
    opened = rules.dialect.opens_robots_txt
    if opened:
        patterns.insert(0, ITSELF[0])
    search = _Search(patterns, alphabet, states)
    places: dict[int, list[int]] = {}  # of each line, its ranks: a rule may have several spellings
    for rank, rule in enumerate(order, opened):
        places.setdefault(rule[2][0], []).append(rank)
    found: list[NeverWins] = []
    for group in rules.raw_groups:
        for record in group.rules:
            if not record[2]:
                continue
            by: list[int] | None = []
            for rank in places.get(record[0], ()):
                better = search.outranking(rank, places[record[0]])
                by = None if better is None or by is None else by + better
            if by is not None:
                named = [order[other - opened][2] for other in sorted(set(by)) if other >= opened]
                others = {other[0]: rule_of(other) for other in named}
                found.append(NeverWins(rule_of(record), tuple(others.values())))
    return tuple(sorted(found, key=lambda never: never.rule.line))


def match_everything(rules: Rules) -> tuple[Rule, ...]:
    r"""Give the rules of one robot that match each path, in file order: `/`, `*` and the like.

    >>> import comity
    >>> robots = comity.parse("User-agent: *\nDisallow: /*\nAllow: /a*\nDisallow: /**$")
    >>> [rule.line for rule in match_everything(robots.rules_for("A"))]
    [2, 4]
    """
    alphabet = Alphabet(rules.dialect)
    every: Pattern = ("/", None, False)

    def is_every(pattern: Pattern) -> bool:
        contest = _against(every, [alphabet.pattern(pattern)], alphabet, STATES)
        return contest.complete and not contest.differences

    return _with(rules, is_every)


def match_nothing(rules: Rules) -> tuple[Rule, ...]:
    r"""Give the rules of one robot that match no path, in file order; not those that have no pattern.

    >>> import comity
    >>> robots = comity.parse("User-agent: *\nDisallow:\nDisallow: b\nDisallow: https://example.com/b")
    >>> [rule.line for rule in match_nothing(robots.rules_for("A"))]
    [3, 4]
    """
    alphabet = Alphabet(rules.dialect)
    something = set(_with(rules, lambda pattern: example(alphabet.pattern(pattern), alphabet) != ""))
    every = [rule_of(record) for group in rules.raw_groups for record in group.rules if record[2]]
    return tuple(sorted(set(every) - something, key=lambda rule: rule.line))


def _with(rules: Rules, asked: Callable[[Pattern], bool]) -> tuple[Rule, ...]:
    """Give the rules of which a spelling has what is asked for, in file order."""
    found = {
        rule[2][0]: rule_of(rule[2]) for rule in ranked(rules.raw_groups, rules.dialect) if asked(rule[0])
    }
    return tuple(found[line] for line in sorted(found))


class _Search:
    """Looks for what outranks rules, as long as that may take."""

    __slots__ = ("_alphabet", "_matcher", "_most", "_patterns", "_questions", "_states")

    def __init__(self, patterns: Sequence[Pattern], alphabet: Alphabet, states: int) -> None:
        """Take all patterns, best first."""
        self._patterns = patterns
        self._matcher = Matcher(patterns, [False] * len(patterns))
        self._alphabet = alphabet
        self._states = states
        self._most = states // _SHARE
        self._questions = _PIECES // max(1, sum(len(pieces or ()) for _, pieces, _ in patterns))

    def outranking(self, rank: int, own: Sequence[int]) -> list[int] | None:
        """Give ranks that together outrank this one everywhere; `None` if it wins, or nobody knows."""
        by: list[int] = []
        path = example(self._patterns[rank], self._alphabet)
        while path:
            self._questions -= 1
            if self._questions < 0 or self._states == 0:
                return None
            winner = self._matcher.winner(path)
            if winner in own or len(by) == _COVER:
                return None
            by.append(winner)
            others = [self._patterns[other] for other in by]
            contest = _against(self._patterns[rank], others, self._alphabet, min(self._most, self._states))
            self._states = max(self._states - contest.cost, 0)
            if not contest.complete and not contest.differences:
                return None
            path = min(contest.differences.values(), key=len, default="")
        return by


def example(pattern: Pattern, alphabet: Alphabet) -> str:
    """Give a shortest path that a pattern matches, or nothing if there is none."""
    head, pieces, _ = pattern
    path = head + "".join(pieces or ())
    if not path.startswith("/"):
        # A pattern that begins with `*` takes the slash; a `$` alone wants a path that is empty.
        path = "/" + path if not head and pieces != () else ""
    return path if alphabet.characters.issuperset(path) else ""


def _against(pattern: Pattern, others: Sequence[Pattern], alphabet: Alphabet, states: int) -> Contest:
    """Look for a path that a pattern matches and none of the others: a difference."""
    rules = [Contender(other, False, rank, ABSENT, False) for rank, other in enumerate(others)]
    rules.append(Contender(pattern, True, len(others), ABSENT, False))
    return Contest(rules, alphabet, states, first=True)
