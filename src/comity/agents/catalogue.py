"""Read agents from `agents.toml`, and check what a JSON schema cannot express."""

import tomllib
from collections.abc import Container, Iterable, Iterator, Mapping
from pkgutil import get_data
from typing import Any

from .agent import FACTS, OBEYS, PURPOSES, Agent, Misnomer, Source


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
    facts = {"obeys": "unstated", "other_sources": {}, **entry}
    token = facts.pop("token")
    names = _names(token, entries)
    facts.pop("falls_back_to", None)
    facts.pop("control_token", None)
    control = next((found for name in names if (found := entries[name.lower()].get("control_token"))), None)
    if control is not None and entries.get(control.lower(), {}).get("crawls", True):
        raise ValueError(f"{token}: the control token {control!r} is unknown, or crawls")
    for fact in ("purposes", "source"):
        if fact not in facts:
            raise ValueError(f"{token}: {fact} is missing")
    for purpose in facts["purposes"]:
        _check(token, "purpose", purpose, PURPOSES)
    _check(token, "answer", facts["obeys"], OBEYS)
    for name in (facts["source"], *facts["other_sources"].values()):
        _check(token, "source", name, sources)
    for fact in facts["other_sources"]:
        _check(token, "fact", fact, FACTS)
    agent = Agent(
        token=token,
        names=names,
        operator=facts.pop("operator", None),
        purposes=tuple(facts.pop("purposes")),
        documentation=facts.pop("documentation", None),
        obeys=facts.pop("obeys"),
        crawls=facts.pop("crawls", True),
        control_token=control,
        named_only=facts.pop("named_only", False),
        obsolete=facts.pop("obsolete", False),
        note=facts.pop("note", ""),
        source=sources[facts.pop("source")],
        other_sources=tuple((fact, sources[name]) for fact, name in facts.pop("other_sources").items()),
    )
    for key in facts:
        _check(token, "key", key, ())
    return agent


def _names(token: str, entries: Mapping[str, Mapping[str, Any]]) -> tuple[str, ...]:
    """Return a token and its fallbacks."""
    names = [token]
    while (name := entries[names[-1].lower()].get("falls_back_to")) is not None:
        _check(token, "agent", name, [entry["token"] for entry in entries.values()])
        if name in names:
            raise ValueError(f"{token}: the fallbacks form a cycle")
        names.append(name)
    return tuple(names)


def _check(token: str, kind: str, word: str, words: Container[str]) -> None:
    if word not in words:
        raise ValueError(f"{token}: unknown {kind} {word!r}")
