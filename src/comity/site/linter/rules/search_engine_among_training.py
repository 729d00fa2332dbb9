"""A search engine is closed out together with robots that collect training data.

Why: Google and Apple have tokens that refuse training and do not affect search: Google-Extended and
Applebot-Extended. Closing out Googlebot or Applebot removes the site from their search. This is also so if
only the first page stays open, or only files such as /robots.txt.

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

CODE = "C602"
SEVERITY = "warning"

_INSTEAD = {"Googlebot": "Google-Extended", "Applebot": "Applebot-Extended", "bingbot": ""}


def check(subject: Subject) -> Iterator[Problem]:
    """Report closed search engines, if training robots are closed out too."""
    if "*" in subject.shut_out or not subject.closes_training:
        return
    for name, (_, line) in subject.shut_out.items():
        agent = subject.known.get(name)
        if agent and agent.token in _INSTEAD:
            token = _INSTEAD[agent.token]
            hint = f"; close {token} to refuse training" if token else ""
            yield at_value(line, f"closing out {agent.token} removes the site from its web search{hint}")
