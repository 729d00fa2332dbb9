"""Representative paths of a file: each combination of answers that its rules have together, by one path.

The automaton of all rules yields a path for each combination of verdicts. The shortest path of each pattern
is added, so that a person finds the patterns of the file again.
"""

from collections.abc import Sequence
from typing import NamedTuple

from ...protocol.robotstxt.engine.dialect import RFC9309, Dialect
from ...protocol.robotstxt.engine.matcher import Pattern
from ...protocol.robotstxt.engine.precedence import RankedRule
from ...protocol.robotstxt.engine.verdict import Rule
from ..compare.automata.alphabet import Alphabet
from ..compare.automata.rule_pairs import RuleTable, rule_of
from ..compare.automata.sample_paths import sample_paths
from ..compare.automata.verdict_walk import VerdictWalk
from ..compare.unreachable_rules import shortest_match
from .spellings import SharedAlphabet

#: The home page, which is always the first path.
_HOME = "/"

#: A path that is always open in most dialects.
_ROBOTS_TXT = "/robots.txt"

#: Maximum number of verdicts about the paths of patterns: those of one path and one list.
_VERDICTS = 3_000_000

_DOUBT = "the rules allow too many combinations to find a path for each, so there may be more columns"
_SPELLINGS = "some patterns have too many spellings to try all, so there may be more columns"
_TOO_MANY = "the columns list the rules of the first {:,} of {:,} patterns"


class Boundaries(NamedTuple):
    """Representative paths, as URLs.

    `rules` has the home page, and the shortest path of each pattern of the file with its first rule.
    `others` are paths of further combinations of answers. `doubt` says why one may be missing; it is empty if
    none is.
    """

    rules: dict[str, Rule | None]
    others: tuple[str, ...]
    doubt: str


def boundaries(lists: Sequence[RuleTable], dialects: Sequence[Dialect], states: int) -> Boundaries:
    """Return the paths: the home page, those of patterns in the order of lines, and others, short ones first.

    `lists` are the rules of robots, which read the file by `dialects`, and `states` is the maximum number of
    states of the automaton.
    """
    alphabet, lists, doubts = _in_one_alphabet(lists, dialects)
    first: dict[Pattern, RankedRule] = {}
    for table in lists:
        for key, ranked in table.items():
            if ranked is not None and (key.pattern not in first or ranked.line < first[key.pattern].line):
                first[key.pattern] = ranked
    paths: dict[str, Rule | None] = {_HOME: None}
    most = _VERDICTS // max(len(lists), 1)
    if len(first) > most:
        doubts.append(_TOO_MANY.format(most, len(first)))
    for pattern, ranked in sorted(first.items(), key=lambda item: item[1].line)[:most]:
        path = shortest_match(pattern, alphabet)
        if path and path != _HOME:
            paths.setdefault(alphabet.url(path), rule_of(ranked.record))
    different = {tuple(table): table for table in lists}  # dialects may read the same rules
    walk = VerdictWalk(list(different.values()), alphabet, states)
    others = sorted(walk.paths.values(), key=lambda path: (len(path), path))
    if not walk.complete:
        others += sample_paths(list(first), alphabet)
    paths.pop(_ROBOTS_TXT, None)
    urls = tuple(url for url in map(alphabet.url, others) if url != _ROBOTS_TXT)
    return Boundaries(paths, urls, "; ".join([*doubts, *([] if walk.complete else [_DOUBT])]))


def _in_one_alphabet(
    lists: Sequence[RuleTable], dialects: Sequence[Dialect]
) -> tuple[Alphabet, Sequence[RuleTable], list[str]]:
    """Return the characters of all lists, the lists in these characters, and a doubt if there is one."""
    escapes = {dialect.escapes for dialect in dialects}
    if escapes != {"rfc9309", "google"}:
        return Alphabet(dialects[0] if len(escapes) == 1 else RFC9309), lists, []
    shared = SharedAlphabet(lists, dialects)
    written = [shared.table(table, dialect) for table, dialect in zip(lists, dialects, strict=True)]
    return shared, written, [] if shared.complete else [_SPELLINGS]
