"""Groups -> their rules in order of precedence (RFC 9309 2.2.2)."""

from collections import namedtuple
from collections.abc import Sequence

from .dialect import Dialect
from .groups import RawGroup, Record
from .matcher import Pattern, compile_pattern
from .paths import pattern_reader, query_spellings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NamedTuple

    class _RankedRule(NamedTuple):
        pattern: Pattern
        octets: int
        record: Record
        group: int
        index_page: bool

else:
    _RankedRule = namedtuple("_RankedRule", ("pattern", "octets", "record", "group", "index_page"))


class RankedRule(_RankedRule):
    """A rule that can match a path.

    `pattern` is compiled, and `octets` is the length that counts for precedence. `record` is the line of
    the file, and `group` the index of its group. `index_page` is true for the directory that a rule for an
    index page allows too.
    """

    __slots__ = ()

    @property
    def line(self) -> int:
        """The line of the rule in the file."""
        return self.record[0]

    @property
    def allow(self) -> bool:
        """Whether the rule is an `Allow`."""
        return self.record[1] == "allow"

    @property
    def value(self) -> bytes:
        """The path pattern as written."""
        return self.record[2]

    @property
    def closes(self) -> bool:
        """Whether the rule disallows the paths that it wins."""
        return closes(self.record)


def closes(record: Record) -> bool:
    """Return whether a rule disallows the paths that it wins: an empty Disallow does not."""
    _, name, value = record
    return name == "disallow" and value != b""


def ranked_rules(groups: Sequence[RawGroup], dialect: Dialect) -> tuple[RankedRule, ...]:
    """Return the rules that can match a path, the one that wins over all others first."""
    found: list[RankedRule] = []
    for index, group in enumerate(groups):
        for record in group.rules:
            _, name, value = record
            if value or (dialect.empty_disallow == "allow" and name == "disallow"):
                found += _spellings(record, index, dialect)
            # An empty pattern matches nothing (RFC 9309 2.2, empty-pattern).
    # A path begins with a slash, so a pattern that begins with anything else never matches.
    able = [rule for rule in found if rule.pattern.prefix[:1] in ("", "/")]
    if dialect.precedence == "longest":
        # RFC 9309 2.2.2: the longest pattern wins, and allow wins over a disallow of equal length.
        able.sort(key=_precedence)
    return tuple(able)


def _spellings(record: Record, group: int, dialect: Dialect) -> list[RankedRule]:
    """Return the rule of a line in each spelling that the dialect compares."""
    _, name, value = record
    pattern = pattern_reader(dialect)(value)
    wildcards = dialect.wildcards
    rules = [RankedRule(compile_pattern(pattern, wildcards), len(pattern), record, group, False)]
    if dialect.escapes == "rfc9309" and name == "disallow" and "?" in pattern:
        for spelling in sorted(query_spellings(pattern)):
            rules.append(RankedRule(compile_pattern(spelling, wildcards), len(pattern), record, group, False))
    if dialect.index_pages and name == "allow":
        # robots.cc, HandleAllow: `Allow: /a/index.html` stands for `Allow: /a/$` as well.
        slash = pattern.rfind("/")
        if slash >= 0 and pattern.startswith("/index.htm", slash):
            page = pattern[: slash + 1] + "$"
            rules.append(RankedRule(compile_pattern(page, wildcards), len(page), record, group, True))
    return rules


def _precedence(rule: RankedRule) -> tuple[int, bool, int]:
    line, name, _ = rule.record
    return -rule.octets, name != "allow", line
