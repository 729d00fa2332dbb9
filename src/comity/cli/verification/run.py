"""The work of `comity agents --verify`, after the options are read."""

import os
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import click

from ..._extras import install_hint
from ...agents import Answer, NameServers, Resolver, Verification, verify
from ...agents.address import ip_address, networks
from ...desk.url_lists import short_lines
from ...errors import InvalidArgument, LookupFailed
from ...protocol.text import counted, printable
from ...protocol.timestamps import rfc3339
from ..inputs import display_name, unreadable
from ..options import agent_names
from ..progress import open_with_progress, waiting
from ..terminal import echo, echo_json
from .claims import MAX_PAIRS, Claim, ClaimCounter, InvalidClaim, claim, moment
from .feed_store import FeedStore, open_store
from .finding import STALE, FeedProblem
from .output import (
    show_claims,
    show_findings,
    show_totals,
    show_verification,
)

#: The exit status of a single verification.
_STATUS = {Answer.VERIFIED: 0, Answer.IMPOSTOR: 1, Answer.UNVERIFIABLE: 3, Answer.UNKNOWN: 4}

#: Maximum number of invalid lines of a kind that are reported; the rest are only counted.
_REPORTED = 20

#: What is wrong with the lines of a kind.
_KINDS = {
    "columns": "other columns",
    "address": "no IP address",
    "log": "a whole line of a log",
    "time": "a time that is not valid",
}

#: How to make the lines from a log.
_HINT = """for a log in the combined format: \
awk -F'"' '{split($1, part, " "); print part[1] "\\t" $6}' access.log | comity agents --verify -"""


class VerifyOptions(NamedTuple):
    """The options of `--verify`."""

    agents: Sequence[str]
    feeds: str | None
    dns: bool
    name_servers: Sequence[str]
    proxies: Sequence[str]
    seen: str | None
    as_json: bool


def run_verify(target: str, options: VerifyOptions) -> int:
    """Verify an address, or the claims of a file; return the exit status."""
    store = open_store(options.feeds)
    now = time.time()
    try:
        seen = None if options.seen is None else moment(options.seen)
        networks(tuple(options.proxies))
        resolver = _resolver(options)
    except InvalidClaim as error:
        raise click.UsageError(f"--seen: {error}") from None
    except InvalidArgument as error:
        raise click.UsageError(f"{_OPTIONS.get(error.name, error.name)}: {error}") from None
    if ip_address(target) is not None:
        return _verify_one(target, options, store, resolver, seen, now)
    if options.agents:
        raise click.UsageError(f"--verify {target!r:.80}: not an IP address")
    if target != "-" and not os.path.exists(target):
        raise click.UsageError(f"--verify {target!r:.80}: neither an IP address nor a file")
    return _verify_many(target, options, store, resolver, seen, now)


_OPTIONS = {"proxies": "--proxy", "servers": "--name-server"}


def _resolver(options: VerifyOptions) -> Resolver | None:
    """Return the resolver; None if DNS is not wanted, or the system names no server."""
    if not options.dns:
        return None
    try:
        return NameServers(options.name_servers or None)
    except LookupFailed as error:
        _note("dns-off", f"DNS is not asked: {error} with --name-server")
        return None
    except ImportError:
        hint = install_hint("dns")
        raise click.UsageError(f"DNS is asked with dnspython; {hint}; or pass --no-dns") from None


def _verify_one(
    address: str,
    options: VerifyOptions,
    store: FeedStore,
    resolver: Resolver | None,
    seen: float | None,
    now: float,
) -> int:
    if not options.agents:
        raise click.UsageError(f"--verify {address} needs --agent, the robot that the request names")
    status = 0
    for agent in options.agents:
        name = agent_names(agent)[0]
        found = verify(
            address, name, feeds=store, resolver=resolver, seen=seen, now=now, proxies=options.proxies
        )
        if options.as_json:
            echo_json(found.record())
        else:
            show_verification(found)
        status = max(status, _STATUS[found.answer])
        _advise([found], now)
    _show_problems(store)
    return status


def _verify_many(
    file: str,
    options: VerifyOptions,
    store: FeedStore,
    resolver: Resolver | None,
    seen: float | None,
    now: float,
) -> int:
    counter = ClaimCounter(store, now=now, seen=seen, proxies=options.proxies)
    invalid: Counter[str] = Counter()
    for claimed in _claims(file, invalid):
        counter.add(claimed)
    _show_invalid(invalid)
    if resolver is not None:
        with waiting("asking DNS"):
            counter.ask_dns(resolver)
    results = list(counter.results())
    if not results and not any(counter.totals.values()) and not invalid:
        raise click.UsageError(f"{display_name(file)}: no claim found")
    _show_results(results, counter, options.as_json)
    _advise([found for found, _ in results], now)
    _show_problems(store)
    return 2 if invalid else 1 if counter.totals[Answer.IMPOSTOR] else 0


def _claims(file: str, invalid: Counter[str]) -> Iterator[Claim]:
    """Yield the claims of a file as they are read. Report other lines, and count them by kind."""
    try:
        with open_with_progress(file) as stream:
            for number, line in enumerate(short_lines(stream), 1):
                text = line.decode("utf-8-sig" if number == 1 else "utf-8", "surrogateescape")
                try:
                    found = claim(text)
                except InvalidClaim as error:
                    invalid[error.kind] += 1
                    if invalid[error.kind] <= _REPORTED:
                        echo(f"Error: {display_name(file)}:{number}: {error}", err=True)
                else:
                    if found is not None:
                        yield found
    except OSError as error:
        raise unreadable(file, error) from None


def _show_invalid(invalid: Counter[str]) -> None:
    """Print how many more lines are not valid, and how to make valid ones from a log."""
    for kind, count in invalid.items():
        if count > _REPORTED:
            echo(f"Error: and {count - _REPORTED:,} more with {_KINDS[kind]}", err=True)
    if invalid.keys() - {"time"}:
        echo(f"Hint: {_HINT}", err=True)


def _show_results(results: Sequence[tuple[Verification, int]], counter: ClaimCounter, as_json: bool) -> None:
    total = sum(counter.totals.values())
    if as_json:
        for found, count in results:
            echo_json({"requests": count, **found.record()})
        echo_json({answer.code: count for answer, count in counter.totals.items()})
    else:
        show_claims(results)
        show_totals(counter.totals)
    if counter.unlisted:
        requests = counted(counter.unlisted, "request is", "requests are")
        _note("unlisted", f"{requests} only counted: more than {MAX_PAIRS:,} pairs")
    if counter.local * 2 > total:
        message = "most addresses are not those of clients; log the address behind the proxy"
        show_findings([FeedProblem("proxy-address", "warning", message)])


def _advise(results: Iterable[Verification], now: float) -> None:
    """Print hints that lead to more answers: missing or stale lists, and DNS."""
    checks = [check for found in results for check in found.checks]
    findings = {}
    for check in checks:
        if check.url and check.passed is None and check.reason.code == "no-list":
            message = f"{check.url}: no usable copy; run comity agents --refresh"
            findings[check.url] = FeedProblem("feed-error", "warning", message)
        elif check.url and check.fetched is not None and now - check.fetched > STALE:
            message = f"{check.url}: last fetched {rfc3339(check.fetched)}; run comity agents --refresh"
            findings[check.url] = FeedProblem("feed-stale", "warning", message)
    left_out = sum(check.reason.code == "dns-budget" for check in checks)
    if left_out:
        addresses = counted(left_out, "address was", "addresses were")
        message = f"the time for DNS was over before {addresses} checked"
        findings["dns"] = FeedProblem("dns-budget", "note", message)
    show_findings(findings.values())


def _show_problems(store: FeedStore) -> None:
    show_findings(FeedProblem("feed-error", "warning", printable(problem)) for problem in store.problems)


def _note(code: str, message: str) -> None:
    show_findings([FeedProblem(code, "note", message)])
