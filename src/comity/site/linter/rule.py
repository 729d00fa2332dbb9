"""A rule of the linter as a value, made from the module that defines it."""

from collections.abc import Callable, Iterator
from functools import cache
from types import ModuleType
from typing import Literal, TypeAlias

from ...protocol.robotstxt.diagnostics.diagnostic import KINDS
from ...protocol.value import Value
from .explanation import Explanation, explanation_of
from .problem import Problem
from .subject import Subject

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...protocol.robotstxt.diagnostics.diagnostic import Severity

#: Which problems of a rule are one finding; `None` if each is one.
Once: TypeAlias = Literal["rule", "message"] | None


class Rule(Value):
    """A rule: its stable `code` and `name`, the severity of its findings, and the function that finds them.

    `configured` is whether the settings have chosen the severity, for all its findings. `default` is whether
    the rule runs without being selected. `aliases` are the code and the name of a rule that it has replaced.
    `once` is "rule" if the linter reports all problems of the rule together, and "message" if it reports
    those with the same message together. `documentation` is the docstring
    of its module.
    """

    code: str
    name: str
    severity: "Severity"
    configured: bool
    default: bool
    once: Once
    aliases: tuple[str, ...]
    documentation: str
    check: Callable[[Subject], Iterator[Problem]]

    @property
    def words(self) -> frozenset[str]:
        """The words that select the rule, in upper case: code, its prefixes, name, aliases, ALL, DEFAULT."""
        return _words(self.code, (self.name, *self.aliases), self.default)

    @property
    def explanation(self) -> Explanation:
        """The parts of the documentation."""
        return explanation_of(self.documentation)


@cache
def _words(code: str, names: tuple[str, ...], default: bool) -> frozenset[str]:
    prefixes = (code[:length] for length in range(1, len(code) + 1))
    return frozenset((*prefixes, *map(str.upper, names), "ALL", *["DEFAULT"] * default))


def rule_of(module: ModuleType) -> Rule:
    """Create the rule that a module defines; it is named after the module.

    A diagnostic and the rule of the same name share code and severity. A module without `check` reports
    each diagnostic of that name.
    """
    name = module.__name__.rpartition(".")[2].replace("_", "-")
    kind = KINDS.get(name)
    return Rule(
        code=kind.code if kind else module.CODE,
        name=name,
        severity=kind.severity if kind else module.SEVERITY,
        configured=False,
        default=getattr(module, "DEFAULT", True),
        once=getattr(module, "ONCE", None),
        aliases=getattr(module, "ALIASES", ()),
        documentation=module.__doc__ or _from_source(module),
        check=getattr(module, "check", None) or _check_for(name),
    )


def _from_source(module: ModuleType) -> str:
    """Return the docstring that `python -OO` has dropped."""
    from ..._docstrings import docstring

    return docstring(module.__name__)


def _check_for(name: str) -> Callable[[Subject], Iterator[Problem]]:
    def check(subject: Subject) -> Iterator[Problem]:
        for problem, _ in subject.diagnosed(name):
            yield problem

    return check
