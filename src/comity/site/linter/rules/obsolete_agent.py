"""A User-agent line names a robot that its operator no longer uses or documents.

Why: The group has no effect unless it also names the current product token.

Example:
    User-agent: anthropic-ai
    Disallow: /
Instead:
    User-agent: ClaudeBot
    Disallow: /
Engines: The operator of the robot.
Source: The robots that Comity knows, each with its own source (`comity agents`).
"""

from collections.abc import Iterator

from ..problem import Problem, at_value
from ..subject import Subject

CODE = "C603"
SEVERITY = "information"


def check(subject: Subject) -> Iterator[Problem]:
    """Report obsolete tokens, unless the file names a current token of the operator."""
    operators = {agent.operator for agent in subject.known.values() if not agent.obsolete}
    for name, agent in subject.known.items():
        if agent.obsolete and agent.operator not in operators:
            operator = f" by {agent.operator}" if agent.operator else ""
            for _, line in subject.named[name][:1]:
                yield at_value(line, f"{agent.token} is no longer used or documented{operator}")
