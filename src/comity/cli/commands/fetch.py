"""`comity fetch`: what a site answers when it is asked for its robots.txt, and what that means."""

import json
import sys
import time
from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime

import click

from ...errors import InvalidURL
from ...protocol.access.outcome import Access, Cause, Outcome
from ...protocol.robotstxt.verdict import printable
from ..options import check_uses, page_option, policy_option, respect_option, user_agent_option
from ..render.report import show_diagnostics, waiting

__all__ = ["command"]

_UNREACHABLE = 3

_COLOURS = {Outcome.RULES: "green", Outcome.UNAVAILABLE: "green", Outcome.UNREACHABLE: "red"}


@click.command("fetch")
@click.argument("url", metavar="URL")
@policy_option
@user_agent_option
@page_option
@respect_option
@click.option("--body", is_flag=True, help="Print the robots.txt itself, and the rest on standard error.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object, for programs.")
def command(
    url: str,
    policy: str,
    user_agent: str,
    pages: bool,
    respect: Sequence[str],
    body: bool,
    as_json: bool,
) -> None:
    """Ask a site for its robots.txt, and say what the answer means.

    URL is any URL of the site. Redirects are followed as the policy says; nothing but the robots.txt is
    asked for, and earlier answers are not used.

    With --page the URL is that of a page, which is fetched too if this robot may fetch it, by the name that
    --user-agent gives; what may be done with it is told as `comity check --page` tells it.

    Exit status: 0 if there are rules or there is no robots.txt, 3 if it is unreachable, so that robots
    must stay away, 2 if the URL is none; with --page 1 if the page may not be fetched, or not be used as
    --respect names.
    """
    check_uses(respect, pages)
    if pages and body:
        raise click.UsageError("--body prints the robots.txt: leave --page out")
    from ..asking import Asker  # loads the HTTP client

    found = None
    try:
        with Asker(user_agent, policy, kept=False) as asker:
            access = asker.ask(url)
            if pages:
                from ..pages import findings

                if not as_json:
                    _show(access, aside=False)
                with waiting(f"fetching {url}, when it is time"):
                    [found] = findings(asker, url, {asker.name: (asker.name,)})
    except InvalidURL as error:
        raise click.UsageError(printable(str(error))) from None
    if access.cause is Cause.NO_POLICY:
        raise click.UsageError(f"{printable(url)}: {access.cause.value}")
    if found is not None:
        from ..pages import record, show

        if as_json:
            click.echo(json.dumps({"robots": _json(access), **record(found)}))
        else:
            show(found, explain=False)
    elif as_json:
        click.echo(json.dumps(_json(access)))
    else:
        _show(access, aside=body)
    if body and not as_json:
        sys.stdout.flush()
        sys.stdout.buffer.write(access.body)
    unreachable = access.outcome is Outcome.UNREACHABLE
    sys.exit(_UNREACHABLE if unreachable else 0 if found is None or found.permits(respect) else 1)


def _show(access: Access, *, aside: bool) -> None:
    """Tell a person; on standard error if standard output is for something else."""
    for address, status in access.hops:
        click.echo(f"{status}  {printable(address)}", err=aside)
    click.echo(f"{access.status or '---'}  {printable(access.url)}", err=aside)
    for title, text in _facts(access):
        colour = _COLOURS[access.outcome] if title == "outcome" else None
        click.echo(f"  {title:<13}{click.style(printable(text), fg=colour)}", err=aside)
    if access.outcome is Outcome.RULES:
        show_diagnostics(access.url, access.robots.diagnostics)


def _facts(access: Access) -> list[tuple[str, str]]:
    facts = [
        ("outcome", f"{access.outcome.code}: {access.outcome.value}"),
        ("cause", f"{access.cause.value} ({access.detail})"),
    ]
    if access.failing_since is not None:
        facts.append(("unreachable", f"since {_moment(access.failing_since)}"))
    seconds = access.expires - time.time()
    facts.append(("holds until", f"{_moment(access.expires)} ({_duration(seconds)} from now)"))
    if access.fetched is None:
        return facts
    robots = access.robots
    rules = sum(len(group.rules) for group in robots.groups)
    size = f"{_count(len(access.body), 'octet')}, {_count(len(robots.lines), 'line')}"
    facts.append(("size", size + (", cut at the limit of the policy" if access.truncated else "")))
    said = [_count(len(robots.groups), "group"), _count(rules, "rule")]
    facts.append(("content", ", ".join([*said, _count(len(robots.sitemaps), "sitemap")])))
    problems = Counter(problem.severity for problem in robots.diagnostics)
    told = [_count(problems[severity], severity) for severity in ("error", "warning") if problems[severity]]
    facts.append(("diagnostics", ", ".join(told) or "none"))
    facts.append(("type", access.content_type or "not stated"))
    facts.append(("sha256", access.digest))
    return facts


def _json(access: Access) -> dict[str, object]:
    robots = access.robots
    return {
        "origin": access.origin,
        "url": printable(access.url),
        "status": access.status,
        "hops": [{"url": printable(address), "status": status} for address, status in access.hops],
        "policy": access.policy,
        "dialect": access.dialect,
        "outcome": access.outcome.code,
        "cause": access.cause.code,
        "explanation": printable(access.explain()),
        "checked": _moment(access.checked),
        "expires": _moment(access.expires),
        "failing_since": None if access.failing_since is None else _moment(access.failing_since),
        "content_type": access.content_type,
        "octets": len(access.body),
        "truncated": access.truncated,
        "sha256": access.digest if access.fetched is not None else None,
        "groups": len(robots.groups),
        "rules": sum(len(group.rules) for group in robots.groups),
        "sitemaps": [printable(url) for url in robots.sitemaps],
        "diagnostics": [
            {
                "line": problem.line,
                "column": problem.column,
                "severity": str(problem.severity),
                "code": problem.code,
                "message": printable(problem.message),
            }
            for problem in robots.diagnostics
        ],
    }


def _moment(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")


def _duration(seconds: float) -> str:
    for size, name in ((86_400, "day"), (3600, "hour"), (60, "minute")):
        if seconds >= 0.99 * size:
            return _count(round(seconds / size), name)
    return _count(max(round(seconds), 0), "second")


def _count(number: int, name: str) -> str:
    return f"{number:,} {name}{'' if number == 1 else 's'}"
