"""The change of a set of paths: patterns with exceptions, and the rules that decide."""

from collections.abc import Callable

from ...protocol.robotstxt.engine.verdict import Rule
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
        others = self.describe_exceptions(lambda pattern: f"`{pattern}`")
        verb = "closes" if self.closes else "opens"
        return printable(
            f"{verb} paths matching {both}{where}{others}, such as {self.path}: "
            f"{_decider(self.old)} decided, {_decider(self.new)} decides now"
        )

    def describe_exceptions(self, write: Callable[[str], str]) -> str:
        r"""Return the first exceptions, and whether they keep their verdict or had the new one before.

        `write` returns the text of a pattern. The result is empty if there are no exceptions.

        >>> import comity
        >>> old, new = "User-agent: *\nDisallow: /a", "User-agent: *\nDisallow: /\nAllow: /b"
        >>> comity.diff(old, new).changes[0].closed[0].describe_exceptions(str)
        ', except /b (stays open) and /a (closed already)'
        """
        state, other = ("open", "closed") if self.closes else ("closed", "open")
        had = tuple(dict.fromkeys(r.pattern for r in self.exception_rules if r.allow is not self.closes))
        parts, shown = [], 0
        for patterns, one, several in (
            (self.spared, f"stays {state}", f"stay {state}"),
            (had, f"{other} already", f"{other} already"),
        ):
            named = [write(pattern) for pattern in patterns[: _SHOWN - shown]]
            shown += len(named)
            if named:
                parts += [*named[:-1], f"{named[-1]} ({one if len(named) == 1 else several})"]
        more = len(self.spared) + len(had) - shown + self.unlisted_exceptions
        parts += [f"{more:,} more"] if more else []
        return f", except {' and '.join(filter(None, [', '.join(parts[:-1]), parts[-1]]))}" if parts else ""

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
