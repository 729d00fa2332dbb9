"""A search engine is closed out together with robots that fetch for training.

Why: Google and Apple have tokens that say no to training and change nothing about search: Google-Extended and
Applebot-Extended. Closing out Googlebot or Applebot takes the site out of their search, and so does leaving
nothing open but the first page, or what is no page, such as /robots.txt.

Example:
    User-agent: GPTBot
    User-agent: CCBot
    User-agent: Googlebot
    Disallow: /
Instead:
    User-agent: GPTBot
    User-agent: CCBot
    User-agent: Google-Extended
    Disallow: /
Engines: Google, Apple, Bing.
Source: Google, common crawlers; Apple, about Applebot (`comity agents Google-Extended`).
"""

from collections.abc import Iterator

from ..problem import Problem, at_value
from ..subject import Subject

__all__ = ["CODE", "SEVERITY", "check"]

CODE = "C602"
SEVERITY = "warning"

_INSTEAD = {"Googlebot": "Google-Extended", "Applebot": "Applebot-Extended", "bingbot": ""}


def check(subject: Subject) -> Iterator[Problem]:
    """Look for search engines among the robots that are closed out, where training is closed out too."""
    if "*" in subject.shut or not subject.closes_training:
        return
    for name, (_, line) in subject.shut.items():
        agent = subject.known.get(name)
        if agent and agent.token in _INSTEAD:
            token = _INSTEAD[agent.token]
            hint = f"; {token} is the token for training" if token else ""
            yield at_value(
                line, f"{agent.token} fetches for web search, which this takes the site out of{hint}"
            )
