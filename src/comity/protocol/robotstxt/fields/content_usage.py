"""Content-Usage: preferences of the IETF's vocabulary, in a header field or by path in robots.txt.

In draft-ietf-aipref-attach, `Content-Usage` is a rule of robots.txt: the rule with the longest matching path
gives all preferences, and shorter ones are ignored. In draft-ietf-aipref-vocab, an expression is a Dictionary
whose Tokens `y` and `n` allow and disallow.
"""

from collections.abc import Iterator, Sequence

from ...text import to_text
from ..engine.dialect import Dialect
from ..engine.groups import Record
from ..engine.matcher import Matcher, Pattern, compile_pattern
from ..engine.paths import pattern_reader, query_spellings
from .statement import Standing, Statement
from .structured import Malformed, Member, dictionary
from .vocabulary import Preference, Vocabulary

_TOKENS = {b"y": Preference.ALLOW, b"n": Preference.DISALLOW}

#: The preference for each label of an expression, or `None` if it cannot be parsed.
Expression = dict[str, Preference] | None


def expression(value: bytes) -> Expression:
    """Parse an expression of preferences (draft-ietf-aipref-vocab 6).

    >>> expression(b"train-ai=n, search=Y")
    {'train-ai': Preference.DISALLOW, 'search': Preference.UNKNOWN}
    >>> expression(b"Train-AI=n") is None
    True
    """
    try:
        members = dictionary(value)
    except Malformed:
        return None
    return {label: preference_of(member) for label, member in members.items()}


def preference_of(member: Member) -> Preference:
    """Return the preference of a member; only the Tokens `y` and `n`, in lower case, state one."""
    preference = _TOKENS.get(member.text) if member.kind == "token" else None
    return preference or Preference.UNKNOWN


def path_and_expression(value: bytes) -> tuple[bytes, bytes]:
    """Split the value of a robots.txt line; a path begins with a slash and has no white space.

    >>> path_and_expression(b"/ai/ train-ai=n"), path_and_expression(b"train-ai=n")
    ((b'/ai/', b'train-ai=n'), (b'', b'train-ai=n'))
    """
    if not value.startswith(b"/"):
        return b"", value
    path = value.replace(b"\t", b" ").partition(b" ")[0]
    return path, value[len(path) :].strip(b" \t")


def from_header(lines: Sequence[bytes], vocabulary: Vocabulary) -> Iterator[Statement]:
    """Yield the statements of the lines of the header field, which count as one (RFC 9651 4.2).

    >>> from .vocabulary import CURRENT
    >>> [statement.preference for statement in from_header([b"train-ai=y", b"train-ai=n"], CURRENT)]
    [Preference.DISALLOW]
    """
    if lines:
        value = b", ".join(lines)
        yield from _statements(expression(value), "header", None, value, vocabulary)


class UsageRules:
    """The Content-Usage rules for one robot, prepared for many paths."""

    __slots__ = ("_matcher", "_ranked")

    def __init__(self, records: Sequence[Record], dialect: Dialect) -> None:
        """Prepare the lines, in file order; their paths are compared as those of Allow and Disallow."""
        read = pattern_reader(dialect)
        ranked: list[tuple[Pattern, int, Record, Expression]] = []
        for record in records:
            path, value = path_and_expression(record[2])
            preferences = expression(value) if value else None
            pattern = read(path)
            spellings = [pattern]
            if dialect.escapes == "rfc9309" and "?" in pattern:
                spellings += sorted(query_spellings(pattern))
            for spelling in spellings:
                compiled = compile_pattern(spelling, dialect.wildcards)
                ranked.append((compiled, len(pattern), record, preferences))
        # The length is counted as in the draft, in every dialect: no older standard has Content-Usage.
        ranked.sort(key=lambda rule: (-rule[1], rule[2][0]))
        self._ranked = ranked
        self._matcher = Matcher([rule[0] for rule in ranked], [False] * len(ranked))

    def statements(self, path: str, vocabulary: Vocabulary) -> Iterator[Statement]:
        """Yield the statements of all rules for a path, the longest first; shorter ones are marked."""
        longest: int | None = None
        unreadable = False  # whether a longer path has a value that cannot be parsed
        seen: set[int] = set()
        for rank in self._matcher.matching(path):
            _, length, (line, _, value), preferences = self._ranked[rank]
            if line in seen:
                continue
            seen.add(line)
            replaced = longest is not None and length < longest
            for statement in _statements(preferences, "robots.txt", line, value, vocabulary):
                if replaced:
                    yield statement.replace(standing=Standing.LONGER_PATH)
                elif unreadable and statement.preference is Preference.ALLOW:
                    yield statement.replace(standing=Standing.UNREADABLE_PATH)
                else:
                    yield statement
            # The draft is ambiguous about a line without a valid expression. By its grammar the line is not
            # a rule, so a disallow of a shorter path still holds. By its prose the line is a rule without
            # preferences, so an allow of a shorter path is void. Both are applied: the stricter of each.
            if preferences is None:
                unreadable = True
            elif longest is None:
                longest = length


def _statements(
    preferences: Expression, source: str, line: int | None, value: bytes, vocabulary: Vocabulary
) -> Iterator[Statement]:
    """Yield a statement for each known label of the expression, or for all labels if it cannot be parsed."""
    text = f"Content-Usage: {to_text(value)}"  # one text for all labels
    for label in vocabulary.labels:
        if preferences is not None and label not in preferences:
            continue
        preference = Preference.UNKNOWN if preferences is None else preferences[label]
        if preferences is None:
            standing = Standing.UNREADABLE
        else:
            standing = Standing.SAYS_NEITHER if preference is Preference.UNKNOWN else Standing.DECIDES
        yield Statement(
            vocabulary="content-usage",
            source=source,
            place=line,
            text=text,
            category=label,
            preference=preference,
            standing=standing,
            policy=None,
        )
