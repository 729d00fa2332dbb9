"""Known crawlers: product token, operator, purposes, and whether they obey robots.txt.

    ALL          every known agent, by token
    find         the agent behind a product token or a User-Agent header
    by_purpose   the agents that fetch for a purpose, such as `training`
    question     what to ask a robots.txt for a robot: a Question with tokens, dialect and assumptions
    PURPOSES     the purposes, with descriptions
    MISNOMERS    names that files have for a robot, and that it does not find, such as Google

The facts are in `agents.toml`, each with its source and date. They are statements of operators, or reports of
such statements in lists of agents. They do not prove that an agent behaves as its operator says, or that a
request with a token comes from its operator. Importing this module loads the data.
"""

from .agent import OBEYS, PURPOSES, Agent, Misnomer, Source
from .known import ALL, MISNOMERS, by_purpose, find
from .question import Question, question

__all__ = [
    "ALL",
    "Agent",
    "MISNOMERS",
    "Misnomer",
    "OBEYS",
    "PURPOSES",
    "Question",
    "Source",
    "by_purpose",
    "find",
    "question",
]
