"""Compare the catalogue of agents with public lists, given as files, and report what needs attention.

    python tools/agents_check.py robots.json crawler-user-agents.json robots.txt
    python tools/agents_check.py --stale 90 --json

A file is a list of ai.robots.txt (`robots.json`, an object by name), one of crawler-user-agents (an array of
objects with `pattern` and `instances`), a robots.txt, or a text with a name per line. The findings:

    missing     a name of a list, or a header of one, by which no agent is found
    stale       a source that was checked longer ago than --stale days, with its agents
    unsourced   an agent whose operator or its page is not known, or whose page was not read: only a copy, a
                header or a list is cited

The exit status is 0 without findings, 1 if there are some, 2 for a file that cannot be read.
"""

import argparse
import json
import re
import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from datetime import date
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import comity
from comity.agents import ALL, MISNOMERS, Agent, find

#: Names of lists that are left out on purpose, with the reason.
LEFT_OUT = {
    "chatgpt agent": "no documented token; see the note of ChatGPT-User",
    "cloudvertexbot": "a misspelling of Google-CloudVertexBot",
    "code": "generic, and would match too much",
    "notebooklm": "short for Google-NotebookLM",
    "openai": "the operator; no documented token",
    "operator": "no documented token; see the note of ChatGPT-User",
    "spider": "generic, and would match too much",
    "terra cotta": "another spelling of TerraCotta",
}

#: Repositories of operators, and the sites that their documents are published on.
OWN_REPOSITORIES = {
    "github.com/cloudflare/cloudflare-docs": "cloudflare.com",
    "github.com/firecrawl/firecrawl-docs": "firecrawl.dev",
    "github.com/internetarchive/Zeno": "archive.org",
    "github.com/kagisearch/kagi-docs": "kagi.com",
    "github.com/scrapy/scrapy": "scrapy.org",
}

#: Maximum size of a list in bytes.
_MAX_BYTES = 32 << 20

#: A version at the end of a name, such as Brightbot 1.0 and MistralAI-User/1.0.
_VERSION = re.compile(r"[/ ]v?\d+(\.\d+)*$")


class Finding(NamedTuple):
    """One finding: its kind, the name that it is about, and the problem."""

    kind: str
    name: str
    problem: str


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the findings; return the exit status."""
    parser = argparse.ArgumentParser(description="Compares the catalogue of agents with public lists.")
    parser.add_argument("files", nargs="*", metavar="FILE", help="a public list of robots")
    parser.add_argument("--stale", type=int, default=180, metavar="DAYS", help="default: 180")
    parser.add_argument("--today", type=date.fromisoformat, default=date.today(), metavar="DATE")
    parser.add_argument("--json", action="store_true", help="one object per line")
    options = parser.parse_args(arguments)
    found: list[Finding] = []
    for file in options.files:
        try:
            found += missing(names_in(Path(file)), Path(file).name)
        except (OSError, ValueError, RecursionError) as error:
            print(f"{file}: cannot be read: {error}", file=sys.stderr)
            return 2
    found += [*stale(options.today, options.stale), *unsourced()]
    for finding in found:
        print(
            json.dumps(finding._asdict())
            if options.json
            else f"{finding.kind}: {finding.name}: {finding.problem}"
        )
    if not options.json:
        kinds = ("missing", "stale", "unsourced")
        counts = {kind: sum(finding.kind == kind for finding in found) for kind in kinds}
        print(", ".join(f"{count} {kind}" for kind, count in counts.items()))
    return 1 if found else 0


def names_in(path: Path) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield the names of a list, each with the headers that the list has for it.

    Raises `ValueError` for a list of another form.
    """
    with path.open("rb") as file:
        body = file.read(_MAX_BYTES + 1)
    if len(body) > _MAX_BYTES:
        raise ValueError(f"larger than {_MAX_BYTES:,} bytes")
    if body.lstrip()[:1] in (b"{", b"["):
        yield from _in_json(json.loads(body))
        return
    robots = comity.parse(body)
    agents = [agent for group in robots.groups for agent in group.agents]
    lines = agents or [line.strip() for line in body.decode(errors="replace").splitlines()]
    for name in dict.fromkeys(lines):
        if name and name != "*" and not name.startswith("#"):
            yield name, ()


def _in_json(content: Any) -> Iterator[tuple[str, tuple[str, ...]]]:
    if isinstance(content, dict):
        yield from ((str(name), ()) for name in content)
        return
    for entry in content if isinstance(content, list) else ():
        if isinstance(entry, str):
            yield entry, ()
        elif isinstance(entry, dict) and isinstance(entry.get("pattern"), str):
            headers = entry.get("instances")
            texts = [text for text in headers if isinstance(text, str)] if isinstance(headers, list) else []
            yield entry["pattern"].replace("\\", "").strip("^/$ "), tuple(texts)
        else:
            raise ValueError("an entry is neither a name nor an object with a pattern")


def missing(names: Iterator[tuple[str, tuple[str, ...]]], file: str) -> Iterator[Finding]:
    """Yield a finding for each name of a list that no agent has, nor a header of it."""
    misnomers = {misnomer.name.lower() for misnomer in MISNOMERS}
    for name, headers in names:
        short = _VERSION.sub("", name)
        known = {name.lower(), short.lower()} & (misnomers | LEFT_OUT.keys())
        if not known and not any(map(find, (name, short, *headers))):
            yield Finding("missing", name, f"in {file}, and not in the catalogue")


def stale(today: date, days: int) -> Iterator[Finding]:
    """Yield a finding for each source that was checked more than some days ago."""
    agents = defaultdict(list)
    for agent in ALL:
        for source in {agent.source, *(source for _, source in agent.other_sources)}:
            agents[source].append(agent.token)
    for source in sorted(agents, key=lambda source: source.checked):
        age = (today - date.fromisoformat(source.checked)).days
        if age > days:
            several = f"{len(agents[source])} agents, such as {agents[source][0]}"
            yield Finding("stale", source.name, f"checked {age} days ago, {source.checked}: {several}")


def unsourced() -> Iterator[Finding]:
    """Yield a finding for each current agent that does not cite its operator."""
    for agent in ALL:
        if agent.obsolete:
            continue
        if agent.operator is None:
            yield Finding("unsourced", agent.token, "its operator is not known")
        elif agent.documentation is None:
            yield Finding("unsourced", agent.token, f"no page of {agent.operator} is known")
        elif not _cites_operator(agent):
            named_by = agent.source_of("documentation").name
            problem = f"{agent.documentation} is known only from {named_by}"
            yield Finding("unsourced", agent.token, problem)


def _cites_operator(agent: Agent) -> bool:
    """Return whether a source of an agent is on the site of its documentation, or in its repository."""
    own = _site(agent.documentation or "")
    cited = [_site(source.url) for source in (agent.source, *(each for _, each in agent.other_sources))]
    return any(own in (site, OWN_REPOSITORIES.get(site)) for site in cited)


def _site(url: str) -> str:
    """Return the last two labels of the host of a URL, and the repository of a page at a code host."""
    parts = urlsplit(url)
    host = ".".join((parts.hostname or "").split(".")[-2:])
    return f"{host}/{'/'.join(parts.path.split('/')[1:3])}" if host == "github.com" else host


if __name__ == "__main__":
    sys.exit(main())
