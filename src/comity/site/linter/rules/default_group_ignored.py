"""The whole site is closed to `*`, and some robots obey only groups that name them.

Why: AdsBot-Google, Mediapartners-Google and some other robots ignore the group for `*`.

Example:
    User-agent: *
    Disallow: /
Instead:
    User-agent: *
    User-agent: AdsBot-Google
    User-agent: AdsBot-Google-Mobile
    User-agent: APIs-Google
    User-agent: Mediapartners-Google
    User-agent: YandexDirect
    User-agent: YandexDirectDyn
    User-agent: YaDirectFetcher
    Disallow: /
Engines: Google's special-case crawlers, and some robots of Yandex.
Source: Google, special-case crawlers; Yandex, list of robots.
"""

from collections.abc import Iterator

from ....agents import ALL
from ..problem import Problem, at_value
from ..subject import Subject

CODE = "C605"
SEVERITY = "information"
DEFAULT = False


def check(subject: Subject) -> Iterator[Problem]:
    """Report a closed site, with the robots that have to be named."""
    for block, line in subject.named.get("*", ()):
        if block.closes_all:
            unnamed = [
                agent.token for agent in ALL if agent.named_only and agent.token.lower() not in subject.named
            ]
            if unnamed:
                yield at_value(
                    line, f"the group for `*` does not apply to {', '.join(unnamed)}; name them too"
                )
            return
