"""A group closes paths to a robot that, as its operator says, does not obey robots.txt.

Why: The rule has no effect. The server can refuse the requests instead.

Example:
    User-agent: Perplexity-User
    Disallow: /
Instead:
    User-agent: PerplexityBot
    Disallow: /
Engines: The operator of the robot.
Source: The documentation of the operators, cited for each robot (`comity agents`).
"""

from collections.abc import Iterator

from ..problem import Problem, at_value
from ..subject import Subject

CODE = "C604"
SEVERITY = "information"
DEFAULT = False


def check(subject: Subject) -> Iterator[Problem]:
    """Report robots that do not obey robots.txt, once for each name."""
    for name, agent in subject.known.items():
        if agent.obeys == "no":
            for block, line in subject.named[name]:
                if any(rule.field == "disallow" and rule.value for rule in block.rules):
                    yield at_value(
                        line, f"{agent.token} does not obey robots.txt; refuse its requests instead"
                    )
                    break
