"""The change of a set of paths: patterns with exceptions, and the rules that decide."""

from ...protocol.robotstxt.verdict import Rule
from ...protocol.text import printable
from ...protocol.value import Value
from .automata.alphabet import EXAMPLE_ORIGIN

#: Maximum number of exceptions in an explanation.
_SHOWN = 3


class PathChange(Value):
    r"""A set of paths whose verdict changes, because one rule decided and another decides now.

    A path is in the set if it matches all `patterns` and none of the `exceptions`. The sets of a `Change`
    together are all paths that change, except `/robots.txt` where that is always open. Patterns are written
    as in the files.

    `closes` is true if the paths were open and are closed now, false if it is the other way round. `old` and
    `new` are the rules that decide, each with its line in its file; None if no rule does. `witness` is a
    shortest path of the set, or an absolute URL if the path begins with two slashes.

    `exception_rules` are rules of either file that outrank `old` or `new` and keep the verdict unchanged.
    `unlisted_exceptions` is the number of further ones, 0 unless there are very many. `whole_site` is true if
    the patterns match every path.

    >>> import comity
    >>> changes = comity.diff("User-agent: *\nDisallow:", "User-agent: *\nDisallow: /a").changes
    >>> change = changes[0].closed[0]
    >>> change.closes, change.patterns, change.new.line, change.witness, change.whole_site
    (True, ('/a',), 2, '/a', False)
    """

    closes: bool
    patterns: tuple[str, ...]
    exception_rules: tuple[Rule, ...]
    unlisted_exceptions: int
    old: Rule | None
    new: Rule | None
    witness: str
    whole_site: bool

    def explain(self) -> str:
        """Return a sentence, with control characters escaped."""
        where = " and ".join(f"`{pattern}`" for pattern in self.patterns)
        both = "both " if len(self.patterns) > 1 else ""
        named = [f"`{pattern}`" for pattern in self.exceptions[:_SHOWN]]
        more = len(self.exceptions) - len(named) + self.unlisted_exceptions
        named += [f"{more:,} more"] if more else []
        others = f", except {' and '.join(filter(None, [', '.join(named[:-1]), named[-1]]))}" if named else ""
        verb = "closes" if self.closes else "opens"
        return printable(
            f"{verb} paths matching {both}{where}{others}, such as {self.path}: "
            f"{_decider(self.old)} decided, {_decider(self.new)} decides now"
        )

    @property
    def path(self) -> str:
        """The witness as a path, even if it begins with two slashes."""
        return self.witness.removeprefix(EXAMPLE_ORIGIN)

    @property
    def exceptions(self) -> tuple[str, ...]:
        """The patterns of the exceptions, each once."""
        return tuple(dict.fromkeys(rule.pattern for rule in self.exception_rules))

    @property
    def spared(self) -> tuple[str, ...]:
        """The patterns of the exceptions that stay open in a set that is closed, or stay closed; each once.

        The paths of the other exceptions already had the new verdict.
        """
        return tuple(
            dict.fromkeys(rule.pattern for rule in self.exception_rules if rule.allow is self.closes)
        )

    def record(self) -> dict[str, object]:
        """Return a JSON object; bytes that are not UTF-8 are escaped."""
        return {
            "closes": self.closes,
            "patterns": [printable(pattern) for pattern in self.patterns],
            "exceptions": [printable(pattern) for pattern in self.exceptions],
            "unlisted_exceptions": self.unlisted_exceptions,
            "old": _record(self.old),
            "new": _record(self.new),
            "witness": printable(self.witness),
        }


def _decider(rule: Rule | None) -> str:
    return "no rule" if rule is None else f"line {rule.line} `{rule}`"


def _record(rule: Rule | None) -> dict[str, object] | None:
    return None if rule is None else {"line": rule.line, "rule": printable(str(rule))}
