"""`comity agents`: which agents are known, whose they are, what they fetch for, and whether they obey."""

import json
import sys
from collections.abc import Iterable, Iterator, Sequence

import click

from ...agents import ALL, OBEYS, PURPOSES, Agent, Source, by_purpose, find
from ...protocol.robotstxt.verdict import printable
from ..render.report import show_table

__all__ = ["command"]

_COLOURS = {"yes": "green", "no": "red", "unstated": ""}

#: So many names are suggested for one that is not known.
_SUGGESTED = 5

#: How much they must be like it, from 0 to 1, and how much of the name is looked at.
_LIKENESS = 0.75
_LONGEST = 100


@click.command("agents")
@click.argument("names", nargs=-1, metavar="[NAME]...")
@click.option(
    "--purpose",
    "purposes",
    multiple=True,
    type=click.Choice(list(PURPOSES), case_sensitive=False),
    help="List only agents that fetch for this. Again for another purpose.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object a line, for programs.")
def command(names: Sequence[str], purposes: Sequence[str], as_json: bool) -> None:
    """Say which agents are known, or all that is known of one.

    NAME is a product token or a whole User-Agent header. Without it, all agents are listed. What is told
    is what operators say, or what lists of agents report; that a request bears a name does not prove whose
    it is.

    With - for a NAME, names are read from standard input, one a line.

    Exit status: 0 if every name is known, 1 if one is not, 2 for wrong usage.
    """
    if not names:
        _list(by_purpose(*purposes) if purposes else ALL, as_json)
        return
    if purposes:
        raise click.UsageError("--purpose lists agents, and a NAME asks for one; give one of them")
    asked = 0
    unknown = 0
    for name in _names(names):
        agent = find(name)
        if as_json:
            click.echo(json.dumps(_answer(name, agent)))
        elif agent is not None:
            _show(agent, apart=asked > unknown)
        if agent is None:
            unknown += 1
            if not as_json:
                click.echo(f"Error: {_unknown(name)}", err=True)
        asked += 1
    if not asked:
        raise click.UsageError("there is no name in standard input")
    sys.exit(1 if unknown else 0)


def _names(names: Iterable[str]) -> Iterator[str]:
    """Give the names, those of standard input as they come; blank lines are passed over."""
    for name in names:
        if name != "-":
            if not name.strip():
                raise click.UsageError(f"{name!r} names no agent; without a NAME, all are listed")
            yield name
            continue
        with click.open_file("-", "rb") as stream:
            for line in stream:
                if text := line.decode(errors="surrogateescape").strip():
                    yield text


def _list(agents: Sequence[Agent], as_json: bool) -> None:
    if as_json:
        for agent in agents:
            click.echo(json.dumps(_json(agent)))
        return
    rows = [
        [
            (agent.token, "bold"),
            (agent.operator or "", ""),
            (", ".join(agent.purposes), ""),
            (agent.obeys, _COLOURS[agent.obeys]),
            (agent.falls_back_to or "", ""),
        ]
        for agent in agents
    ]
    show_table(["token", "operator", "purpose", "obeys", "falls back to"], rows)
    click.echo(f"{len(agents)} agents")


def _show(agent: Agent, *, apart: bool) -> None:
    """Tell all of one agent, a fact a line; an empty line sets it apart from another."""
    click.echo(("\n" if apart else "") + click.style(agent.token, bold=True))
    for title, text in _facts(agent):
        colour = _COLOURS[agent.obeys] or None if title == "obeys" else None
        click.echo(f"  {title:<15}{click.style(text, fg=colour)}")


def _facts(agent: Agent) -> Iterator[tuple[str, str]]:
    yield "operator", agent.operator or "not known"
    for purpose in agent.purposes:
        yield "purpose", f"{purpose}: {PURPOSES[purpose]}"
    yield "obeys", f"{agent.obeys}: {OBEYS[agent.obeys]}"
    if agent.named_only:
        yield "bound by", f"a group for {agent.token} alone, and not by the group for *"
    elif agent.falls_back_to:
        yield "falls back to", f"{agent.falls_back_to}, where no group is for {agent.token}"
    if agent.control_token:
        yield "control token", f"{agent.control_token}, which closes what {agent.token} fetched to training"
    if not agent.crawls:
        yield "crawls", "no: the token controls what is done with what others fetched"
    if agent.obsolete:
        yield "obsolete", "yes"
    if agent.note:
        yield "note", agent.note
    yield "documentation", agent.documentation or "not known"
    yield "source", f"{agent.source.url} ({agent.checked})"
    for fact, source in agent.other_sources:
        yield "", f"{source.url} ({source.checked}), for: {fact.replace('_', ' ')}"


def _answer(name: str, agent: Agent | None) -> dict[str, object]:
    if agent is None:
        return {"name": printable(name), "token": None, "nearest": _nearest(name)}
    return {"name": printable(name), **_json(agent)}


def _json(agent: Agent) -> dict[str, object]:
    return {
        "token": agent.token,
        "names": list(agent.names),
        "operator": agent.operator,
        "purposes": list(agent.purposes),
        "documentation": agent.documentation,
        "obeys": agent.obeys,
        "falls_back_to": agent.falls_back_to,
        "crawls": agent.crawls,
        "control_token": agent.control_token,
        "named_only": agent.named_only,
        "obsolete": agent.obsolete,
        "note": agent.note,
        "source": _source(agent.source),
        "other_sources": {fact: _source(source) for fact, source in agent.other_sources},
    }


def _source(source: Source) -> dict[str, str]:
    return {"name": source.name, "url": source.url, "checked": source.checked}


def _unknown(name: str) -> str:
    nearest = _nearest(name)
    verb = "is" if len(nearest) == 1 else "are"
    hint = f"; nearest {verb} {', '.join(nearest)}" if nearest else ""
    return f"{printable(name)} is no agent that is known{hint}"


def _nearest(name: str) -> list[str]:
    """Suggest tokens: an operator's, or else what is spelt much like the name, or else what holds it."""
    from difflib import get_close_matches

    wanted = name.strip().lower()[:_LONGEST]
    tokens = {agent.token.lower(): agent.token for agent in ALL}
    near = [agent.token for agent in ALL if (agent.operator or "").lower() == wanted]
    near = near or [tokens[token] for token in get_close_matches(wanted, tokens, _SUGGESTED, _LIKENESS)]
    near = near or [token for lower, token in tokens.items() if len(wanted) > 2 and wanted in lower]
    return near[:_SUGGESTED]
