"""`comity agents`: the known crawlers, their operators and purposes, and whether they obey robots.txt."""

import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

import click

from ...agents import ALL, CHECK_LIMITS, OBEYS, PURPOSES, Agent, Source, by_purpose, find
from ...agents.similar import similar_tokens
from ...desk.url_lists import short_lines
from ...protocol.text import counted, printable, shortened
from .. import options
from ..inputs import unreadable
from ..options import complete_agents, json_option
from ..progress import open_input
from ..render.table import show_table
from ..terminal import Styled, echo, echo_json

if TYPE_CHECKING:
    from ...protocol.option_names import PurposeName

_COLOURS = {"yes": "green", "no": "red", "unstated": ""}

#: The answers of `OBEYS`, for the rules that a page has: a name of these rules follows.
_PAGE_RULES = {
    "yes": "its operator says that it obeys {}",
    "no": "its operator says that it does not obey {}",
    "unstated": OBEYS["unstated"],
}

#: Maximum number of suggestions for an unknown name.
_SUGGESTED = 5

#: Minimum similarity of a suggestion, from 0 to 1, and maximum length of the name that is compared.
_SIMILARITY = 0.75
_LONGEST = 100


@click.command("agents")
@click.argument("names", nargs=-1, metavar="[NAME]...", shell_complete=complete_agents)
@click.option(
    "--purpose",
    "purposes",
    multiple=True,
    type=click.Choice(list(PURPOSES), case_sensitive=False),
    help="List only agents that fetch for this purpose. Repeat it for more purposes.",
)
@click.option(
    "--verify",
    metavar="ADDRESS",
    shell_complete=options.complete_files,
    help="Check whether a request from this IP address comes from the robot in --agent. A file of requests "
    "has an address and a name per line; - is standard input.",
)
@options.agent_option("For --verify.")
@click.option(
    "--refresh",
    is_flag=True,
    help="Bring stored copies up to date. Fetches the lists of addresses that operators publish, unless they "
    "were fetched recently.",
)
@click.option(
    "--feeds",
    metavar="FOLDER",
    help="The folder of the fetched lists. Default: feeds in the user's cache folder of Comity.",
)
@click.option("--no-dns", is_flag=True, help="Do not ask DNS: only the fetched lists decide.")
@click.option(
    "--name-server",
    "name_servers",
    metavar="ADDRESS",
    multiple=True,
    help="Ask this DNS server, such as 192.0.2.53 or 192.0.2.53:5353. Default: those of the system.",
)
@click.option(
    "--proxy",
    "proxies",
    metavar="NETWORK",
    multiple=True,
    help="Your own proxy or CDN, an address or network: a request from it says nothing about the client.",
)
@click.option(
    "--seen",
    metavar="TIME",
    help="When the requests came, such as 2026-11-22 or 2026-11-22T10:00:00Z. Default: now.",
)
@options.sender_options("For --refresh; it is not needed.")
@json_option("One object per line.")
def command(
    names: Sequence[str],
    purposes: "Sequence[PurposeName]",
    verify: str | None,
    agents: Sequence[str],
    refresh: bool,
    feeds: str | None,
    no_dns: bool,
    name_servers: Sequence[str],
    proxies: Sequence[str],
    seen: str | None,
    sender: options.Sender,
    as_json: bool,
) -> None:
    """List the known crawlers, or show the facts about one.

    NAME is a product token or a whole User-Agent header. Without a NAME, all agents are listed. The facts
    come from operators and from published lists. The name in a request does not prove who sent it.

    A NAME of - reads names from standard input, one per line.

    With --verify, the answer says whether a request comes from the robot that it names: verified, impostor,
    unverifiable or unknown. The operator's lists of addresses decide, which --refresh fetches, and reverse
    DNS. DNS shows the addresses to its servers; --no-dns leaves it out.

    Exit status: 0 if every name is known, 1 if one is unknown, 2 for wrong usage. With --verify: 0
    verified, 1 impostor, 3 unverifiable, 4 unknown; for a file 1 if there is an impostor, otherwise 0. With
    --refresh: 3 if a list has no usable copy.
    """
    if verify is not None or refresh:
        if names or purposes or (verify is not None and refresh):
            raise click.UsageError("use --verify, --refresh, or NAME and --purpose; not two of them")
        if verify is None:
            from ..verification.run_refresh import run_refresh  # loads the HTTP client

            sys.exit(run_refresh(feeds, sender, as_json=as_json))
        from ..verification.run import VerifyOptions, run_verify

        chosen = VerifyOptions(agents, feeds, not no_dns, name_servers, proxies, seen, as_json)
        sys.exit(run_verify(verify, chosen))
    if agents or seen or proxies or name_servers or no_dns or feeds is not None:
        raise click.UsageError("--agent, --feeds and the options of DNS need --verify or --refresh")
    if not names:
        _list(by_purpose(*purposes) if purposes else ALL, as_json)
        return
    if purposes:
        raise click.UsageError("--purpose lists agents; leave out NAME or --purpose")
    count = 0
    unknown = 0
    for name in _names(names):
        agent = find(name)
        if as_json:
            echo_json(_answer(name, agent))
        elif agent is not None:
            _show(agent, apart=count > unknown)
        if agent is None:
            unknown += 1
            if not as_json:
                echo(f"Error: {_unknown(name)}", err=True)
        count += 1
    if not count:
        raise click.UsageError("standard input: no name found")
    sys.exit(1 if unknown else 0)


def _names(names: Iterable[str]) -> Iterator[str]:
    """Yield the names, and those of standard input as they are read. Blank lines are skipped."""
    for name in names:
        if name != "-":
            if not name.strip():
                raise click.UsageError(f"{name!r}: not a valid name; leave it out to list all agents")
            yield name
            continue
        try:
            with open_input("-") as stream:
                for line in short_lines(stream):
                    if text := line.decode(errors="surrogateescape").strip():
                        yield text
        except OSError as error:
            raise unreadable("-", error) from None


def _list(agents: Sequence[Agent], as_json: bool) -> None:
    if as_json:
        for agent in agents:
            echo_json(agent.record())
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
    echo(counted(len(agents), "agent"))


def _show(agent: Agent, *, apart: bool) -> None:
    """Print the facts about one agent, one per line, after an empty line if `apart`."""
    if apart:
        echo()
    echo(Styled(agent.token, bold=True))
    for title, text in _facts(agent):
        colour = _COLOURS[agent.obeys] or None if title == "obeys" else None
        echo(f"  {title:<15}", Styled(text, colour))


def _facts(agent: Agent) -> Iterator[tuple[str, str]]:
    """Yield the known facts, each with a title."""
    facts = (
        ("operator", agent.operator),
        ("user agent", agent.user_agent),
        ("contact", agent.contact),
        ("platform", agent.platform),
    )
    yield from ((title, fact) for title, fact in facts if fact)
    for purpose in agent.purposes:
        yield "purpose", f"{purpose}: {PURPOSES[purpose]}"
    yield from _rules(agent)
    for host in agent.hosts:
        yield "host", f"a name like {host}" if "*" in host else f"a name that ends in .{host}"
    for url in agent.ranges:
        yield "address list", url
    if agent.check_limit:
        yield "verification", f"limited: {CHECK_LIMITS[agent.check_limit]}"
    if agent.note:
        yield "note", agent.note
    if agent.documentation:
        yield "documentation", agent.documentation
    yield "source", f"{agent.source.url} ({agent.source.checked})"
    others: dict[Source, list[str]] = {}
    for name, source in agent.other_sources:
        others.setdefault(source, []).append(name.replace("_", " "))
    for source, names in others.items():
        yield "", f"{source.url} ({source.checked}), for: {', '.join(names)}"


def _rules(agent: Agent) -> Iterator[tuple[str, str]]:
    """Yield the facts about the rules that the agent obeys."""
    yield "obeys", f"{agent.obeys}: {OBEYS[agent.obeys]}"
    if agent.crawls:
        for title, answer, rules in (
            ("meta robots", agent.obeys_meta_robots, "robots meta tags"),
            ("X-Robots-Tag", agent.obeys_x_robots_tag, "this header"),
        ):
            yield title, f"{answer}: {_PAGE_RULES[answer].format(rules)}"
    if agent.named_only:
        yield "bound by", f"only a group for {agent.token}; it ignores the group for *"
    elif agent.falls_back_to:
        yield "falls back to", f"{agent.falls_back_to}, if no group names {agent.token}"
    if agent.collective:
        yield "names", f"several robots: a group for {agent.token} binds each that has no group of its own"
    if agent.dialect:
        yield "dialect", f"{agent.dialect}: reads robots.txt as comity check --dialect {agent.dialect} does"
    if agent.control_token:
        yield (
            "control token",
            f"{agent.control_token}: a group for it disallows training on pages that {agent.token} fetched",
        )
    if not agent.crawls:
        yield "crawls", "no: the token controls the use of pages that other agents fetched"
    if agent.obsolete:
        yield "obsolete", "yes"


def _answer(name: str, agent: Agent | None) -> dict[str, object]:
    if agent is None:
        return {"name": printable(name), "token": None, "nearest": _nearest(name)}
    return {"name": printable(name), **agent.record()}


def _unknown(name: str) -> str:
    nearest = _nearest(name)
    hint = f"; did you mean {' or '.join(nearest)}?" if nearest else "; comity agents lists the known ones"
    return f"{printable(shortened(name, 100))}: unknown agent{hint}"


def _nearest(name: str) -> list[str]:
    """Suggest tokens: those that the name resembles, those of its operator; else similar or longer names."""
    from difflib import get_close_matches

    wanted = name.strip().lower()[:_LONGEST]
    tokens = {agent.token.lower(): agent.token for agent in ALL}
    same_operator = [agent.token for agent in ALL if (agent.operator or "").lower() == wanted]
    near = list(dict.fromkeys([*similar_tokens(wanted), *same_operator]))
    near = near or [tokens[token] for token in get_close_matches(wanted, tokens, _SUGGESTED, _SIMILARITY)]
    near = near or [token for lower, token in tokens.items() if len(wanted) > 2 and wanted in lower]
    return near[:_SUGGESTED]
