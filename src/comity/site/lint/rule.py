"""A rule of the linter as a value, made from its file."""

from collections.abc import Callable, Iterator
from types import ModuleType

from ...protocol.value import Value
from .explanation import Explanation, explanation_of
from .remark import Remark
from .subject import Subject

__all__ = ["Rule", "rule_of"]


class Rule(Value):
    """A rule: its stable `code`, its `name`, how severe its findings are, and the function that finds them.

    `default` says whether it is asked when nobody says which rules are to be; `documentation` is the
    docstring of its file.
    """

    __slots__ = ("code", "name", "severity", "default", "documentation", "check")
    code: str
    name: str
    severity: str
    default: bool
    documentation: str
    check: Callable[[Subject], Iterator[Remark]]

    @property
    def words(self) -> frozenset[str]:
        """What a rule is chosen by, in upper case: its code and its beginnings, its name, ALL and DEFAULT."""
        beginnings = (self.code[:length] for length in range(1, len(self.code) + 1))
        default = ("DEFAULT",) if self.default else ()
        return frozenset((*beginnings, self.name.upper(), "ALL", *default))

    @property
    def explanation(self) -> Explanation:
        """What the rule is about, why, and what to write instead."""
        return explanation_of(self.documentation)


def rule_of(module: ModuleType) -> Rule:
    """Make a rule of a file: its name is the file's, and the rest stands in it."""
    return Rule(
        code=module.CODE,
        name=module.__name__.rpartition(".")[2].replace("_", "-"),
        severity=module.SEVERITY,
        default=getattr(module, "DEFAULT", True),
        documentation=module.__doc__ or "",
        check=module.check,
    )
