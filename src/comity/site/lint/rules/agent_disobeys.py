"""A robot is closed out whose operator says that it does not obey robots.txt, or need not.

Why: The rule does nothing. The server can refuse the requests.

Example:
    User-agent: Perplexity-User
    Disallow: /
Instead:
    User-agent: PerplexityBot
    Disallow: /
Engines: The operator of the robot.
Source: What operators say, each with its own source (`comity agents`).
"""

from collections.abc import Iterator

from ..problem import Problem, at_value
from ..subject import Subject

__all__ = ["CODE", "DEFAULT", "SEVERITY", "check"]

CODE = "C604"
SEVERITY = "information"
DEFAULT = False


def check(subject: Subject) -> Iterator[Problem]:
    """Look for tokens whose operator says no."""
    for name, agent in subject.known.items():
        if agent.obeys == "no":
            for block, line in subject.named[name]:
                if any(rule.field == "disallow" and rule.value for rule in block.rules):
                    yield at_value(
                        line, f"by its operator's word, {agent.token} does not obey robots.txt, or need not"
                    )
                    break
