"""Representative paths of a file: each combination of answers that its rules have together, by one path.

The automaton of all rules yields a path for each combination of verdicts. The shortest path of each pattern
is added, so that a person finds the patterns of the file again.

Robots that read the same file by `rfc9309` and by `google` share an alphabet. `rfc9309` decodes `%7E` to `~`
in patterns and in URLs, and writes `{` as `%7B`. `google` compares them as they stand. So `/%7Ejoe` and
`/~joe` are two paths for one robot, and one path for another. Here, each such spelling in a pattern of
`google` is a character of its own. A pattern of `rfc9309` is replaced by its spellings with these characters.
Spellings that no pattern of `google` has are left out.
"""

import re
from collections.abc import Sequence
from itertools import islice, product
from typing import NamedTuple

from ...protocol import Pattern, RankedRule, rewritten
from ...protocol.robotstxt import RFC9309, Dialect, Rule
from ..compare import shortest_match
from ..compare.automata import Alphabet, RuleTable, VerdictWalk, rule_of, sample_paths

#: Maximum number of spellings of one pattern, and of further spellings of all patterns.
_EACH, _ALL = 32, 10_000

#: The first character that replaces an escape; the others follow by the byte that is escaped.
_FIRST = 0x200

_UNIT = re.compile("%[0-9A-F]{2}|.", re.DOTALL)
_REPLACED = re.compile(f"[{chr(_FIRST)}-{chr(_FIRST + 255)}]")


class SharedAlphabet(Alphabet):
    """The characters of `rfc9309`, and one for each other spelling in the patterns of `google`.

    `complete` is false if a pattern has too many spellings, so that some were left out.

    >>> from comity.protocol.robotstxt import GOOGLE
    >>> from comity.site.compare.automata.rule_pairs import RuleKey
    >>> paths = "/%7Ejoe", "/~joe"
    >>> google, other = ({RuleKey(Pattern(path, None, False), 5, True): None} for path in paths)
    >>> shared = SharedAlphabet([google, other], [GOOGLE, RFC9309])
    >>> [shared.url(key.pattern.prefix) for key in shared.table(other, RFC9309)]
    ['/~joe', '/%7Ejoe']
    """

    __slots__ = ("_left", "_replacements", "_spellings", "complete")

    def __init__(self, lists: Sequence[RuleTable], dialects: Sequence[Dialect]) -> None:
        """Collect the spellings in the lists that are read by `google`."""
        super().__init__(RFC9309)
        #: for each escape that `rfc9309` decodes, the character that replaces it
        self._replacements: dict[str, str] = {}
        #: for each text that `rfc9309` compares, itself and the characters that it stands for
        self._spellings: dict[str, list[str]] = {}
        self._left = _ALL
        self.complete = True
        units = {
            unit
            for table, dialect in zip(lists, dialects, strict=True)
            if dialect.escapes == "google"
            for key in table
            for text in (key.pattern.prefix, *(key.pattern.pieces or ()))
            for unit in _UNIT.findall(text)
        }
        for unit in sorted(units):
            normal = rewritten(unit.encode("latin-1"))
            if normal == unit or not "!" <= unit[0] <= "~":
                continue
            character = unit
            if len(unit) > 1:
                character = self._replacements[unit] = chr(_FIRST + int(unit[1:], 16))
            self._spellings.setdefault(normal, [normal]).append(character)
            self.characters |= {character}

    def table(self, table: RuleTable, dialect: Dialect) -> RuleTable:
        """Return the rules in these characters, in the same order.

        A rule can have several spellings; only the first of them has the line.
        """
        if dialect.escapes == "google":
            return {key._replace(pattern=self._replaced(key.pattern)): rule for key, rule in table.items()}
        return {
            key._replace(pattern=pattern): None if at else rule
            for key, rule in table.items()
            for at, pattern in enumerate(self._spelled(key.pattern))
        }

    def url(self, path: str) -> str:
        """Return a URL with this path, spelled as the characters say."""
        return super().url(_REPLACED.sub(lambda found: f"%{ord(found[0]) - _FIRST:02X}", path))

    def _replaced(self, pattern: Pattern) -> Pattern:
        texts = [
            "".join([self._replacements.get(unit, unit) for unit in _UNIT.findall(text)])
            for text in (pattern.prefix, *(pattern.pieces or ()))
        ]
        return _pattern(texts, pattern)

    def _spelled(self, pattern: Pattern) -> list[Pattern]:
        """Return the spellings of a pattern of `rfc9309`; the first is the pattern itself."""
        texts = [_UNIT.findall(text) for text in (pattern.prefix, *(pattern.pieces or ()))]
        choices = [self._spellings.get(unit, [unit]) for text in texts for unit in text]
        if all(len(some) == 1 for some in choices):
            return [pattern]
        most = min(_EACH, self._left + 1)
        found = []
        for spelling in islice(product(*choices), most + 1):
            units = iter(spelling)
            found.append(_pattern(["".join(islice(units, len(text))) for text in texts], pattern))
        if len(found) > most:
            self.complete = False
            found.pop()
        self._left -= len(found) - 1
        return found


def _pattern(texts: Sequence[str], like: Pattern) -> Pattern:
    prefix, *pieces = texts
    return Pattern(prefix, None if like.pieces is None else tuple(pieces), like.anchored)


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
