"""A field is in the group of a robot that does not read it.

Fields for the whole file, such as Clean-param, are reported only if no blank line separates them from the
group. A preference for the use of content is reported only if the file has none for robots that read it,
because it may have legal effect. Fields that no robot reads are reported by C403 and C404 instead.

Why: Google reads only User-agent, Allow, Disallow and Sitemap. Yandex has not read Crawl-delay since 2018. A
token that is never sent in requests, such as Google-Extended, has no crawl rate. The crawl rate is set
elsewhere: in Yandex Webmaster, or by answering 429 or 503 for some time.

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
from ....protocol.robotstxt.diagnostics.diagnostic import listed
from ....protocol.robotstxt.engine.lexer import Line
from ..problem import Problem, at_text, quoted
from ..subject import Block, Subject, name_in

CODE = "C405"
SEVERITY = "warning"

_RATES = ("crawl-delay", "request-rate", "visit-time")

#: Fields that may have legal effect, even if the robot does not read them.
PREFERENCES = ("content-usage", "content-signal")
_FILE = ("clean-param",)

#: Fields that no robot reads, and the rule that reports them.
_REPORTED = {"noindex": "C403", "host": "C404", "robot-version": "C404", "comment": "C404"}

_UNREAD = {"Google": (*_RATES, *PREFERENCES, *_FILE, *_REPORTED), "Yandex": ("crawl-delay",)}


def check(subject: Subject) -> Iterator[Problem]:
    """Report fields that all robots of their group ignore."""
    stated = _preferences_read(subject)
    for block in subject.blocks:
        lines = [
            line
            for line in _fields(subject, block)
            if _REPORTED.get(line.field or "") not in subject.selected and line.field not in stated
        ]
        if not lines:
            continue
        agents = {name: subject.known.get(name) for name in map(name_in, block.agents)}
        for field in dict.fromkeys(line.field or "" for line in lines):
            named = [agent.token for agent in agents.values() if agent and ignores(agent, field)]
            if len(named) < len(agents):
                continue
            for line in lines:
                if line.field == field:
                    effect = "is not read by" if field in PREFERENCES else "has no effect on"
                    yield at_text(line, f"{quoted(line.name)} {effect} {listed(named, 3)}")


def _preferences_read(subject: Subject) -> set[str]:
    """Return the preferences in a group of at least one robot that reads them."""
    found: set[str] = set()
    for block in subject.blocks:
        fields = {line.field for line in block.fields} & set(PREFERENCES)
        agents = [subject.known.get(name_in(line)) for line in block.agents] if fields else []
        found.update(
            field
            for field in fields
            if field and not all(agent and ignores(agent, field) for agent in agents)
        )
    return found


def _fields(subject: Subject, block: Block) -> Iterator[Line]:
    """Yield the fields of a group, and the fields of the whole file that look like part of it."""
    yield from block.fields
    for at in range(block.agents[-1].number, len(subject.lines)):
        line = subject.lines[at]
        if not line.text.strip() or line.field == "user-agent":
            return
        if line.field in (*_FILE, "host"):
            yield line


def ignores(agent: Agent, field: str) -> bool:
    """Return whether a robot does not read a field."""
    return (field in _RATES and not agent.crawls) or field in _UNREAD.get(agent.operator or "", ())
