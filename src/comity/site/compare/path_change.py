"""A set of paths whose verdict changes: patterns with exceptions, and the rules that decide."""

from ...protocol.robotstxt.verdict import Rule, printable
from ...protocol.value import Value
from .automata.alphabet import SITE

__all__ = ["Shift"]


class Shift(Value):
    """Paths that one file closes and the other leaves open, since one rule decided and another decides now.

    A path is in the set if it matches all of `patterns` and none of the patterns of `exceptions`; the sets
    of a `Change` together are all paths that change, but for `/robots.txt` where that is always open.
    `old` and `new` are the rules that decide, each with its line in its file; `None` where none does.
    `closes` says whether the paths were open and are closed, else they were closed and are open. `witness` is
    a shortest such path, or an absolute URL where the path begins with two slashes. Patterns are written as
    in the files. Exceptions are rules of either file: those that outrank `old` and say otherwise, and those
    that outrank `new` and do; `unlisted` more of them were left out, 0 unless there are very many. `whole`
    says whether the patterns match every path.
    """

    __slots__ = ("closes", "patterns", "exceptions", "unlisted", "old", "new", "witness", "whole")
    closes: bool
    patterns: tuple[str, ...]
    exceptions: tuple[Rule, ...]
    unlisted: int
    old: Rule | None
    new: Rule | None
    witness: str
    whole: bool

    def explain(self) -> str:
        """Say it in a sentence; control characters come out escaped."""
        where = " and ".join(f"`{pattern}`" for pattern in self.patterns)
        both = "both " if len(self.patterns) > 1 else ""
        named = [f"`{pattern}`" for pattern in self.excepted[:3]]
        more = len(self.excepted) - len(named) + self.unlisted
        named += [f"{more:,} more"] if more else []
        others = f", except {' and '.join(filter(None, [', '.join(named[:-1]), named[-1]]))}" if named else ""
        deed = "closes" if self.closes else "opens"
        return printable(
            f"{deed} what matches {both}{where}{others}, such as {self.path}: "
            f"{_decider(self.old)} decided, {_decider(self.new)} decides now"
        )

    @property
    def path(self) -> str:
        """The witness as a path, for people: also one that begins with two slashes, which is no URL."""
        return self.witness.removeprefix(SITE)

    @property
    def spared(self) -> tuple[str, ...]:
        """The patterns of the exceptions that stay open where others are closed, or closed; each once.

        The other exceptions are those that were closed before, or open.
        """
        return tuple(dict.fromkeys(rule.pattern for rule in self.exceptions if rule.allow is self.closes))

    @property
    def excepted(self) -> tuple[str, ...]:
        """The patterns of the exceptions, each once."""
        return tuple(dict.fromkeys(rule.pattern for rule in self.exceptions))

    def record(self) -> dict[str, object]:
        """Give it as JSON has it; octets that are not UTF-8 come out escaped."""
        return {
            "closes": self.closes,
            "patterns": [printable(pattern) for pattern in self.patterns],
            "exceptions": [printable(pattern) for pattern in self.excepted],
            "unlisted_exceptions": self.unlisted,
            "old": _record(self.old),
            "new": _record(self.new),
            "witness": printable(self.witness),
        }


def _decider(rule: Rule | None) -> str:
    return "no rule" if rule is None else f"line {rule.line} `{rule}`"


def _record(rule: Rule | None) -> dict[str, object] | None:
    return None if rule is None else {"line": rule.line, "rule": printable(str(rule))}
