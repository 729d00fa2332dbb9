"""Content-Usage: preferences of the IETF's vocabulary, in a header field or by path in robots.txt.

draft-ietf-aipref-attach makes `Content-Usage` a rule of robots.txt: of the rules whose path matches, the
longest gives the preference, all of it, and a shorter one says nothing more. draft-ietf-aipref-vocab says
how an expression is read: as a Dictionary whose Tokens `y` and `n` allow and disallow.
"""

from collections.abc import Iterator, Sequence

from ..dialect import Dialect
from ..groups import Record
from ..matcher import Matcher, Pattern, compile_pattern
from ..paths import pattern_reader, query_spellings
from ..verdict import text_of
from .statement import Standing, Statement
from .structured import Malformed, Member, dictionary
from .vocabulary import Preference, Vocabulary

__all__ = ["UsageRules", "expression", "from_header", "path_and_expression", "preference_of"]

_TOKENS = {b"y": Preference.ALLOW, b"n": Preference.DISALLOW}

#: What an expression says of each label, or `None` if it cannot be read.
Expression = dict[str, Preference] | None


def expression(octets: bytes) -> Expression:
    """Read an expression of preferences (draft-ietf-aipref-vocab 6).

    >>> expression(b"train-ai=n, search=Y")
    {'train-ai': Preference.DISALLOW, 'search': Preference.UNKNOWN}
    >>> expression(b"Train-AI=n") is None
    True
    """
    try:
        members = dictionary(octets)
    except Malformed:
        return None
    return {label: preference_of(member) for label, member in members.items()}


def preference_of(member: Member) -> Preference:
    """Give what a member says: only the Tokens `y` and `n` say anything, in lower case."""
    said = _TOKENS.get(member.text) if member.kind == "token" else None
    return said or Preference.UNKNOWN


def path_and_expression(value: bytes) -> tuple[bytes, bytes]:
    """Take the value of a robots.txt line apart; a path begins with a slash and has no white space.

    >>> path_and_expression(b"/ai/ train-ai=n"), path_and_expression(b"train-ai=n")
    ((b'/ai/', b'train-ai=n'), (b'', b'train-ai=n'))
    """
    if not value.startswith(b"/"):
        return b"", value
    path = value.replace(b"\t", b" ").partition(b" ")[0]
    return path, value[len(path) :].strip(b" \t")


def from_header(lines: Sequence[bytes], vocabulary: Vocabulary) -> Iterator[Statement]:
    """Read the lines of the header field, which count as one (RFC 9651 4.2).

    >>> from .vocabulary import CURRENT
    >>> [said.preference for said in from_header([b"train-ai=y", b"train-ai=n"], CURRENT)]
    [Preference.DISALLOW]
    """
    if lines:
        value = b", ".join(lines)
        yield from _statements(expression(value), "header", None, value, vocabulary)


class UsageRules:
    """The Content-Usage rules that speak to one robot, ready for many questions."""

    __slots__ = ("_matcher", "_ranked")

    def __init__(self, records: Sequence[Record], dialect: Dialect) -> None:
        """Take the lines, in file order; their paths are read as those of Allow and Disallow are."""
        read = pattern_reader(dialect)
        ranked: list[tuple[Pattern, int, Record, Expression]] = []
        for record in records:
            path, said = path_and_expression(record[2])
            preferences = expression(said) if said else None
            pattern = read(path)
            spellings = [pattern]
            if dialect.escapes == "rfc9309" and "?" in pattern and _only_closes(preferences):
                spellings += sorted(query_spellings(pattern))  # as for Disallow
            for spelling in spellings:
                compiled = compile_pattern(spelling, dialect.wildcards)
                ranked.append((compiled, len(pattern), record, preferences))
        # The draft counts octets whatever the dialect: no older standard knows Content-Usage.
        ranked.sort(key=lambda rule: (-rule[1], rule[2][0]))
        self._ranked = ranked
        self._matcher = Matcher([rule[0] for rule in ranked], [False] * len(ranked))

    def statements(self, path: str, vocabulary: Vocabulary) -> Iterator[Statement]:
        """Give what all rules say of a path, best first, and which of them are replaced."""
        longest: int | None = None
        unreadable = False  # does a longer path have a value that cannot be read?
        seen: set[int] = set()
        for rank in self._matcher.matching(path):
            _, length, (line, _, value), preferences = self._ranked[rank]
            if line in seen:
                continue
            seen.add(line)
            replaced = longest is not None and length < longest
            for said in _statements(preferences, "robots.txt", line, value, vocabulary):
                if replaced:
                    yield said.replace(standing=Standing.LONGER_PATH)
                elif unreadable and said.preference is Preference.ALLOW:
                    yield said.replace(standing=Standing.UNREADABLE_PATH)
                else:
                    yield said
            # By its grammar (RFC 9309 2.2) a line without a proper expression is no rule at all; by
            # its words it is one that says nothing. A disallow of a shorter path holds in the first
            # reading, an allow falls in the second: both are done.
            if preferences is None:
                unreadable = True
            elif longest is None:
                longest = length


def _only_closes(preferences: Expression) -> bool:
    return preferences is not None and set(preferences.values()) == {Preference.DISALLOW}


def _statements(
    preferences: Expression, source: str, line: int | None, value: bytes, vocabulary: Vocabulary
) -> Iterator[Statement]:
    """Give a statement for each label that the expression has, or for all if it cannot be read."""
    for label in vocabulary.labels:
        if preferences is not None and label not in preferences:
            continue
        said = Preference.UNKNOWN if preferences is None else preferences[label]
        if preferences is None:
            standing = Standing.UNREADABLE
        else:
            standing = Standing.SAYS_NEITHER if said is Preference.UNKNOWN else Standing.DECIDES
        yield Statement(
            vocabulary="content-usage",
            source=source,
            place=line,
            text=f"Content-Usage: {text_of(value)}",
            category=label,
            preference=said,
            standing=standing,
            policy=None,
        )
