"""A robot that fetches for a search index is closed out together with robots that fetch for training.

Why: A file that is meant to keep content from being learnt from also takes the site out of the answers of
that search, and with them the links to it. The operators have a token for each. A robot that may fetch
nothing but the first page, or what is no page, such as /robots.txt, is closed out as well.

Example:
    User-agent: GPTBot
    User-agent: CCBot
    Disallow: /

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

from ..problem import Problem, at_value
from ..subject import Subject

__all__ = ["CODE", "SEVERITY", "check"]

CODE = "C601"
SEVERITY = "information"


def check(subject: Subject) -> Iterator[Problem]:
    """Look for AI search among the robots that are closed out, where training is closed out too."""
    if "*" in subject.shut or not subject.closes_training:
        return
    for name, (_, line) in subject.shut.items():
        agent = subject.known.get(name)
        if agent and agent.purposes == ("search",) and agent.token in _AI_SEARCH:
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
