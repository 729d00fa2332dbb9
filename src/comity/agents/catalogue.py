"""Read agents from `agents.toml`, and check what a JSON schema cannot express."""

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from pkgutil import get_data
from typing import Any

from ..protocol.robotstxt.engine.dialect import DIALECTS
from .agent import CHECK_LIMITS, FACTS, OBEYS, PURPOSES, SHAPES, Agent, Misnomer, Source

#: A URL in a User-Agent header, and an e-mail address.
_URL = re.compile(r"https?://[^\s;,)<>]+")
_ADDRESS = re.compile(r"[\w.-][\w.+-]*@[\w-]+(?:\.[\w-]+)+")


def catalogue() -> tuple[tuple[Agent, ...], tuple[Misnomer, ...]]:
    """Return the content of the data file in the package."""
    data = get_data(__package__, "agents.toml")  # faster than importing importlib.resources
    assert data is not None  # noqa: S101  # every file loader has get_data
    return read(data.decode())


def read(text: str) -> tuple[tuple[Agent, ...], tuple[Misnomer, ...]]:
    """Return the agents of a data file, sorted by token, and the misnomers, sorted by name.

    `agents.schema.json` describes the format. Raises `ValueError` if a key or value is unknown, if a token
    or misnomer occurs twice (ignoring case), or if a source, a fallback or another token does not exist.

    >>> read('''
    ... [sources.site]
    ... url = "https://example.com/bot"
    ... checked = "2026-11-21"
    ... [[agents]]
    ... token = "ExampleBot"
    ... purposes = ["search"]
    ... source = "sight"
    ... ''')
    Traceback (most recent call last):
    ValueError: ExampleBot: unknown source 'sight'
    """
    data = tomllib.loads(text)
    sources = {name: Source(name=name, **facts) for name, facts in data["sources"].items()}
    entries: dict[str, dict[str, Any]] = {}
    for entry in data["agents"]:
        if entry["token"].lower() in entries:
            raise ValueError(f"{entry['token']}: the token occurs twice")
        entries[entry["token"].lower()] = entry
    agents = tuple(_agent(entries[token], entries, sources) for token in sorted(entries))
    _check_shapes(agents)
    return agents, tuple(_misnomers(data.get("misnomers", ()), entries, sources))


def _misnomers(
    rows: Iterable[Mapping[str, Any]], entries: Mapping[str, object], sources: Mapping[str, Source]
) -> Iterator[Misnomer]:
    seen = set(entries)
    for row in sorted(rows, key=lambda row: str(row["name"]).lower()):
        name = row["name"]
        if name.lower() in seen:
            raise ValueError(f"{name}: the name occurs twice, or is a token")
        seen.add(name.lower())
        for token in row["tokens"]:
            _check(name, "token", token.lower(), entries)
        _check(name, "source", row["source"], sources)
        yield Misnomer(name, tuple(row["tokens"]), sources[row["source"]])


def _agent(
    entry: Mapping[str, Any], entries: Mapping[str, Mapping[str, Any]], sources: Mapping[str, Source]
) -> Agent:
    facts = dict(entry)
    token = facts.pop("token")
    names = _names(token, entries)
    facts.pop("falls_back_to", None)
    facts.pop("control_token", None)
    for fact in ("purposes", "source"):
        if fact not in facts:
            raise ValueError(f"{token}: {fact} is missing")
    for purpose in facts["purposes"]:
        _check(token, "purpose", purpose, PURPOSES)
    others = facts.pop("other_sources", {})
    for name in (facts["source"], *others.values()):
        _check(token, "source", name, sources)
    for fact in others:
        _check(token, "fact", fact, FACTS)
    for fact, words in (("dialect", DIALECTS), ("ranges_shape", SHAPES), ("check_limit", CHECK_LIMITS)):
        if fact in facts:
            _check(token, fact, facts[fact], words)
    header = facts.pop("user_agent", None)
    agent = Agent(
        token=token,
        names=names,
        operator=facts.pop("operator", None),
        purposes=tuple(facts.pop("purposes")),
        documentation=facts.pop("documentation", None),
        user_agent=header,
        contact=facts.pop("contact", None) or _contact(header or ""),
        platform=facts.pop("platform", None),
        obeys=_answer(token, "obeys", facts),
        obeys_meta_robots=_answer(token, "obeys_meta_robots", facts),
        obeys_x_robots_tag=_answer(token, "obeys_x_robots_tag", facts),
        dialect=facts.pop("dialect", None),
        crawls=facts.pop("crawls", True),
        collective=facts.pop("collective", False),
        control_token=_control_token(names, entries),
        named_only=facts.pop("named_only", False),
        obsolete=facts.pop("obsolete", False),
        hosts=tuple(facts.pop("hosts", ())),
        ranges=tuple(facts.pop("ranges", ())),
        ranges_shape=facts.pop("ranges_shape", "json"),
        check_limit=facts.pop("check_limit", None),
        note=facts.pop("note", ""),
        source=sources[facts.pop("source")],
        other_sources=tuple((fact, sources[name]) for fact, name in others.items()),
    )
    for key in facts:
        _check(token, "key", key, ())
    for fact in others:
        if getattr(agent, fact) in (None, (), "unstated"):
            raise ValueError(f"{token}: the source of {fact} has no fact")
    return agent


def _answer(token: str, fact: str, facts: dict[str, Any]) -> str:
    """Remove an answer, a key of `OBEYS`, from the facts of a token, and return it."""
    answer: str = facts.pop(fact, "unstated")
    _check(token, fact, answer, OBEYS)
    return answer


def _contact(header: str) -> str | None:
    """Return the URL in a header, else the e-mail address in it, else `None`."""
    found = _URL.search(header) or _ADDRESS.search(header)
    return found[0] if found else None


def _control_token(names: tuple[str, ...], entries: Mapping[str, Mapping[str, Any]]) -> str | None:
    """Return the control token of an agent, or else of a fallback of the same operator."""
    own, *others = (entries[name.lower()] for name in names)
    same = [own, *(entry for entry in others if entry.get("operator") == own.get("operator") is not None)]
    token = next((found for entry in same if (found := entry.get("control_token"))), None)
    if token is not None and entries.get(token.lower(), {}).get("crawls", True):
        raise ValueError(f"{names[0]}: the control token {token!r} is unknown, or crawls")
    return token


def _check_shapes(agents: Iterable[Agent]) -> None:
    """Raise `ValueError` if two agents give a list of addresses different shapes."""
    shapes: dict[str, str] = {}
    for agent in agents:
        for url in agent.ranges:
            if shapes.setdefault(url, agent.ranges_shape) != agent.ranges_shape:
                raise ValueError(f"{agent.token}: {url} has another ranges_shape elsewhere")


def _names(token: str, entries: Mapping[str, Mapping[str, Any]]) -> tuple[str, ...]:
    """Return a token and its fallbacks."""
    names = [token]
    while (name := entries[names[-1].lower()].get("falls_back_to")) is not None:
        _check(token, "agent", name, [entry["token"] for entry in entries.values()])
        if name in names:
            raise ValueError(f"{token}: the fallbacks form a cycle")
        names.append(name)
    return tuple(names)


def _check(token: str, kind: str, word: str, words: Iterable[str]) -> None:
    if word not in words:
        raise ValueError(f"{token}: unknown {kind} {word!r}: expected {', '.join(words)}")
