"""A field speaks to a robot that does not read it.

Why: Google has never read Crawl-delay, Request-rate and Visit-time, Yandex stopped with Crawl-delay in 2018,
and a token that no request bears, such as Google-Extended, waits for nothing. How fast they crawl is set
elsewhere: in Yandex Webmaster, or by answering 429 or 503 for a while.

Example:
    User-agent: Googlebot
    Crawl-delay: 10
    Disallow: /private/
Instead:
    User-agent: Googlebot
    Disallow: /private/
Engines: Google, Yandex.
Source: Google, fields that are not supported; Yandex, on Crawl-delay (2018).
"""

from collections.abc import Iterator

from ....agents import Agent
from ..remark import Remark, at_text, shown
from ..subject import Subject, name_in

__all__ = ["CODE", "SEVERITY", "check"]

CODE = "C405"
SEVERITY = "warning"

_RATES = ("crawl-delay", "request-rate", "visit-time")
_DEAF = {"Google": _RATES, "Yandex": ("crawl-delay",)}


def check(subject: Subject) -> Iterator[Remark]:
    """Look at groups all of whose robots are deaf to a field."""
    for block in subject.blocks:
        lines = [line for line in block.fields if line.field in _RATES]
        if not lines:
            continue
        agents = {name: subject.known.get(name) for name in map(name_in, block.agents)}
        for field in _RATES:
            named = [agent.token for agent in agents.values() if agent and _is_deaf(agent, field)]
            if len(named) < len(agents):
                continue
            for line in lines:
                if line.field == field:
                    yield at_text(line, f"{shown(line.name)} does nothing for {', '.join(named[:3])}")


def _is_deaf(agent: Agent, field: str) -> bool:
    return not agent.crawls or field in _DEAF.get(agent.operator or "", ())
