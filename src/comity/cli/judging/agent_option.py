"""The values of `--agent` -> the robots to answer for, each with what is assumed about it."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from ...protocol.access.policy import RFC9309_ACCESS, AccessPolicy, dialect_for
from ...protocol.robotstxt.document import RobotsTxt, parse
from ...protocol.robotstxt.engine.dialect import Dialect, named
from ...protocol.robotstxt.engine.selection import names_of
from ...protocol.robotstxt.rules import Rules
from .. import options
from ..terminal import echo

if TYPE_CHECKING:
    from ...agents import Question

#: Maximum number of lines of assumptions that are printed for all robots together.
_SHOWN = 20


class AskedRobot(NamedTuple):
    """A robot to answer for: its `names` as given, and the `dialect` that it reads robots.txt by.

    `tokens` are the names to look for in robots.txt, in order of preference, with those it falls back to.
    `question` is what the catalogue says about it, or None for `*`.
    """

    names: tuple[str, ...]
    tokens: tuple[str, ...]
    dialect: str | Dialect
    question: "Question | None" = None

    @property
    def ignores_star(self) -> bool:
        """Whether it ignores the groups for `*`."""
        return self.question is not None and self.question.ignores_star

    @property
    def control_token(self) -> str | None:
        """The name whose rules control training on what the robot fetched, or None."""
        known = self.question and self.question.known
        return known.control_token if known else None

    def assumptions_for(self, rules: Rules | None) -> tuple[str, ...]:
        """Return what is assumed about the robot, and matters for rules of a file, or without a file."""
        matched = None if rules is None else rules.matched
        return self.question.assumptions_for(matched) if self.question else ()

    @property
    def name(self) -> str:
        """The name that was asked for: of a header, its token; of several tokens, all of them."""
        return ",".join(self.names)

    def rules_for(self, robots: RobotsTxt) -> Rules:
        """Return the rules of a file for the robot; `assumptions` are printed once, below all verdicts."""
        file = parse(robots, dialect=named(self.dialect))
        if self.question is None:
            return file.rules_for(self.tokens)
        return self.question.replace(dialect=file.dialect, assumptions=()).rules_for(file)


def asked_robots(
    agents: Sequence[str],
    policy: AccessPolicy,
    *,
    dialect: str | None = None,
    agent_match: str | None = None,
    exact: bool = False,
) -> dict[str, AskedRobot]:
    """Return the robots to answer for, by the values of `--agent`; the default is `*`, any other robot.

    The catalogue of known robots gives each one its fallbacks and the dialect of its operator, unless `exact`
    is true. A dialect that the caller chose wins, and so does that of a policy with a dialect of its own.

    Raises `click.UsageError` if a name is empty.
    """
    usual = dialect_for(policy, dialect, agent_match)
    if not agents:
        return {"*": AskedRobot(("*",), ("*",), usual)}
    from ...agents import question  # loads the catalogue

    is_chosen = dialect is not None or policy.dialect != RFC9309_ACCESS.dialect
    found = {}
    for agent in agents:
        given = options.agent_names(agent)
        asked = question(given, dialect=named(usual) if is_chosen else None, exact=exact)
        own = asked.dialect.name if isinstance(asked.dialect, Dialect) else asked.dialect
        found[agent] = AskedRobot(
            names_of(given),
            names_of(asked.agent),
            usual if is_chosen else dialect_for(policy, own, agent_match),
            asked,
        )
    return found


def show_assumptions(assumptions: Iterable[str]) -> None:
    """Print what was assumed about known robots, each sentence once."""
    lines = list(dict.fromkeys(assumptions))
    if lines:
        echo("Assumed about known robots; --exact assumes nothing:")
    for line in lines[:_SHOWN]:
        echo(f"  {line}")
    if len(lines) > _SHOWN:
        echo(f"  and {len(lines) - _SHOWN:,} more")
