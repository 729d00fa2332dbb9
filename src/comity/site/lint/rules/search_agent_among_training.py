"""A robot that fetches for a search index is closed out together with robots that fetch for training.

Why: A group that is meant to keep content from being learnt from also takes the site out of the answers of
that search, and with them the links to it. The operators have a token for each.

Example:
    User-agent: GPTBot
    User-agent: CCBot
    User-agent: OAI-SearchBot
    Disallow: /
Instead:
    User-agent: GPTBot
    User-agent: CCBot
    Disallow: /
Engines: The operators of the robots, such as OpenAI, Anthropic and Perplexity.
Source: The purposes that operators tell, each with its own source (`comity agents`).
"""

from collections.abc import Iterator

from ..remark import Remark, at_value
from ..subject import Subject, name_in

__all__ = ["CODE", "SEVERITY", "check"]

CODE = "C601"
SEVERITY = "information"


def check(subject: Subject) -> Iterator[Remark]:
    """Look for AI search in groups that close everything, and of which training is the larger part."""
    for block in subject.blocks:
        if not block.closes_all:
            continue
        agents = [(line, agent) for line in block.agents if (agent := subject.known.get(name_in(line)))]
        training = sum("training" in agent.purposes for _, agent in agents)
        for line, agent in agents:
            if agent.purposes == ("search",) and agent.token in _AI_SEARCH and training:
                message = f"{agent.token} fetches for search, with links to the pages, and not for training"
                yield at_value(line, message)


#: The search robots whose operators have others for training, or none.
_AI_SEARCH = (
    "OAI-SearchBot",
    "Claude-SearchBot",
    "PerplexityBot",
    "Amzn-SearchBot",
    "meta-webindexer",
    "YouBot",
)
