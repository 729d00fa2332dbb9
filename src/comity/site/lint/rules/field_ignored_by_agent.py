"""A field speaks to a robot that does not read it.

Fields that stand for the whole file, such as Clean-param, are told of where no blank line parts them from the
group. What nobody reads (C403, C404) is told of once.

Why: Google reads User-agent, Allow, Disallow and Sitemap, and no other field. Yandex stopped with Crawl-delay
in 2018, and a token that no request bears, such as Google-Extended, waits for nothing. How fast they crawl is
set elsewhere: in Yandex Webmaster, or by answering 429 or 503 for a while.

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
from ....protocol.robotstxt.lexer import Line
from ..problem import Problem, at_text, quoted
from ..subject import Block, Subject, name_in

__all__ = ["CODE", "SEVERITY", "check"]

CODE = "C405"
SEVERITY = "warning"

_RATES = ("crawl-delay", "request-rate", "visit-time")

#: What these say may count before a court, even where no robot reads it.
_PREFERENCES = ("content-usage", "content-signal")
_FILE = ("clean-param",)

#: Fields that nobody reads, and the rule that tells so.
_TOLD = {"noindex": "C403", "host": "C404", "robot-version": "C404", "comment": "C404"}

_DEAF = {"Google": (*_RATES, *_PREFERENCES, *_FILE, *_TOLD), "Yandex": ("crawl-delay",)}


def check(subject: Subject) -> Iterator[Problem]:
    """Look at groups all of whose robots are deaf to a field."""
    for block in subject.blocks:
        lines = [
            line for line in _fields(subject, block) if _TOLD.get(line.field or "") not in subject.selected
        ]
        if not lines:
            continue
        agents = {name: subject.known.get(name) for name in map(name_in, block.agents)}
        for field in dict.fromkeys(line.field or "" for line in lines):
            named = [agent.token for agent in agents.values() if agent and _is_deaf(agent, field)]
            if len(named) < len(agents):
                continue
            for line in lines:
                if line.field == field:
                    said = "is not read by" if field in _PREFERENCES else "does nothing for"
                    yield at_text(line, f"{quoted(line.name)} {said} {', '.join(named[:3])}")


def _fields(subject: Subject, block: Block) -> Iterator[Line]:
    """Give the fields of a group, and those for the whole file that look like some of it."""
    yield from block.fields
    for line in subject.lines[block.agents[-1].number :]:
        if not line.text.strip() or line.field == "user-agent":
            return
        if line.field in (*_FILE, "host"):
            yield line


def _is_deaf(agent: Agent, field: str) -> bool:
    return (field in _RATES and not agent.crawls) or field in _DEAF.get(agent.operator or "", ())
