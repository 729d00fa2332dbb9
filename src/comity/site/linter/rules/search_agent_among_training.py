"""A robot of an AI search engine is closed out together with robots that collect training data.

Why: Keeping content out of training this way also removes the site from the answers of that search engine,
with the links to the site. The operators have a separate token for each purpose. A robot that may fetch only
the first page, or only files such as /robots.txt, counts as closed out.

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
Source: The documented purposes of the robots, each with its own source (`comity agents`).
"""

from collections.abc import Iterator

from ..problem import Problem, at_value
from ..subject import Subject

CODE = "C601"
SEVERITY = "information"


def check(subject: Subject) -> Iterator[Problem]:
    """Report closed AI search robots, if training robots are closed out too."""
    if "*" in subject.shut_out or not subject.closes_training:
        return
    for name, (_, line) in subject.shut_out.items():
        agent = subject.known.get(name)
        if agent and agent.purposes == ("search",) and agent.token in _AI_SEARCH:
            message = f"{agent.token} fetches pages for a search engine that links to them, not for training"
            yield at_value(line, message)


#: Search robots of AI services; their operators use other robots for training, or none.
_AI_SEARCH = (
    "OAI-SearchBot",
    "Claude-SearchBot",
    "PerplexityBot",
    "Amzn-SearchBot",
    "meta-webindexer",
    "YouBot",
)
