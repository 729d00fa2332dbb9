"""Many claims, as from a log, each an address and the robot that it names -> the answers, and their counts.

Each pair of an address and a robot is verified once. The lists are looked up first. DNS is asked about the
pairs that are left, the most frequent first, for a limited time.
"""

import re
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from functools import lru_cache
from typing import NamedTuple

from ...agents import Agent, Answer, Reason, Resolver, Verification, find
from ...agents.address import ip_address
from ...agents.address_checks import verify_agent
from ...agents.address_lists import Copies
from ...protocol.text import shortened

#: Maximum number of pairs that are listed; the requests of others are only counted.
MAX_PAIRS = 100_000

#: Number of addresses that DNS is asked about at once, and the time in seconds for all of them.
_AT_ONCE, _DNS_TIME = 20, 120.0

#: Age in seconds from which the day of a request counts.
_OLD = 6 * 86_400.0


#: What servers log for a client without an address, such as one on a Unix socket.
_NO_ADDRESS = ("-", "unix:")

#: What follows the address in a line of a log: the unknown name of a user, or a time in brackets.
_LOGGED = re.compile(r"-\s|.*\[\d{1,4}[-/]")


class Claim(NamedTuple):
    """A request of a log: its address, the robot that it names, and when it came (seconds since 1970)."""

    address: str
    agent: str
    seen: float | None = None


class InvalidClaim(ValueError):
    """A line that is not a claim; `kind` is what is wrong, the same for similar lines."""

    def __init__(self, message: str, kind: str = "") -> None:
        """Create the error."""
        super().__init__(message)
        self.kind = kind


def claim(line: str) -> Claim | None:
    r"""Return the claim of a line: an address, the robot, and perhaps a time; None for a blank line.

    Between them are tabs; without a tab, the first space ends the address. The time is by RFC 3339.

    >>> claim("192.0.2.7 Mozilla/5.0 (compatible; GPTBot/1.2)").agent
    'Mozilla/5.0 (compatible; GPTBot/1.2)'
    >>> claim("192.0.2.7\tGPTBot\t1970-01-02T00:00:00Z")
    Claim(address='192.0.2.7', agent='GPTBot', seen=86400.0)

    Raises `InvalidClaim` for a line with one column, for one whose first column is not an IP address or "-",
    for a whole line of a log, and for a time that is not valid.
    """
    text = line.strip()
    if not text or text.startswith("#"):
        return None
    address, *rest = text.split("\t") if "\t" in text else text.split(maxsplit=1)
    address = address.strip()
    if not rest or len(rest) > 2 or not rest[0].strip():
        message = "expected an address and the name of a robot, such as 192.0.2.7 Googlebot"
        raise InvalidClaim(message, "columns")
    if address not in _NO_ADDRESS and ip_address(address.partition("%")[0]) is None:
        raise InvalidClaim(f"{shortened(address, 40)!r} is not an IP address", "address")
    if "\t" not in text and _LOGGED.match(rest[0]):
        raise InvalidClaim("a whole line of a log; expected an address and the name of a robot", "log")
    return Claim(address, rest[0].strip(), _moment(rest[1].strip()) if len(rest) == 2 else None)


def moment(text: str) -> float:
    """Return a time by RFC 3339 in seconds since 1970; a date is its start in UTC. Raises `InvalidClaim`."""
    try:
        found = datetime.fromisoformat(text if "T" in text or " " in text else f"{text}T00:00:00Z")
    except ValueError:
        found = None
    if found is None or found.tzinfo is None:
        raise InvalidClaim(f"{shortened(text, 40)!r} is not a time such as 2026-11-22T10:00:00Z", "time")
    return found.timestamp()


def _moment(text: str) -> float | None:
    return moment(text) if text else None


_Key = tuple[str, str, float | None]


class ClaimCounter:
    """Counts claims, and verifies each pair of an address and a robot once."""

    def __init__(
        self, feeds: Copies, *, now: float, seen: float | None = None, proxies: Iterable[str] = ()
    ) -> None:
        """Create a counter with the copies of lists; `seen` is the time of requests that state none."""
        self._feeds = feeds
        self._now = now
        self._seen = seen
        self._proxies = tuple(proxies)
        self._counts: dict[_Key, int] = {}
        self._answers: dict[_Key, Verification] = {}
        #: The number of requests by answer.
        self.totals: dict[Answer, int] = dict.fromkeys(Answer, 0)
        #: The number of requests whose pair is not listed.
        self.unlisted: int = 0
        #: The number of requests with an address that is not public.
        self.local: int = 0

    def add(self, claimed: Claim) -> None:
        """Count a claim, and look it up in the lists if its pair is new."""
        agent = _found(claimed.agent)
        if agent is None:
            self.totals[Answer.UNKNOWN] += 1
            return
        key = claimed.address, agent.token, self._day(claimed.seen)
        if key in self._counts:
            self._counts[key] += 1
            return
        answer = self._verified(key, None)
        if len(self._counts) < MAX_PAIRS:
            self._counts[key] = 1
            self._answers[key] = answer
            return
        self.unlisted += 1
        self._count(_without_dns(answer), 1)

    def _day(self, seen: float | None) -> float | None:
        """Return the time of a request as far as it matters: None if it is recent, otherwise its day."""
        moment = self._seen if seen is None else seen
        if moment is None or self._now - moment < _OLD:
            return None
        return moment // 86_400.0 * 86_400.0

    def _verified(self, key: _Key, resolver: Resolver | None) -> Verification:
        address, token, seen = key
        return verify_agent(
            address,
            _found(token),
            feeds=self._feeds,
            resolver=resolver,
            seen=seen,
            now=self._now,
            proxies=self._proxies,
        )

    def ask_dns(self, resolver: Resolver, *, clock: Callable[[], float] = time.monotonic) -> None:
        """Ask DNS about the pairs that it can decide, the most frequent first, for at most two minutes."""
        open_ones = sorted(
            (key for key, answer in self._answers.items() if _needs_dns(answer)),
            key=lambda key: -self._counts[key],
        )
        end = clock() + _DNS_TIME

        def asked(key: _Key) -> Verification:
            return self._verified(key, resolver) if clock() < end else _without_dns(self._answers[key])

        threads = ThreadPoolExecutor(min(_AT_ONCE, max(len(open_ones), 1)))
        try:
            self._answers.update(zip(open_ones, threads.map(asked, open_ones), strict=True))
        finally:
            threads.shutdown(cancel_futures=True)  # an interruption leaves out the rest

    def results(self) -> Iterator[tuple[Verification, int]]:
        """Yield each pair in order of appearance, with its number of requests, and count the answers."""
        for key, count in self._counts.items():
            answer = self._answers[key]
            self._count(answer, count)
            yield answer, count

    def _count(self, answer: Verification, count: int) -> None:
        self.totals[answer.answer] += count
        self.local += count if answer.reason in (Reason.LOCAL_ADDRESS, Reason.PROXY) else 0


def _needs_dns(answer: Verification) -> bool:
    return any(check.reason is Reason.DNS_OFF for check in answer.checks)


def _without_dns(answer: Verification) -> Verification:
    """Return an answer whose DNS check was left out because the time was used up."""
    if not _needs_dns(answer):
        return answer
    checks = tuple(
        check.replace(reason=Reason.DNS_BUDGET) if check.reason is Reason.DNS_OFF else check
        for check in answer.checks
    )
    reason = Reason.DNS_BUDGET if answer.reason is Reason.DNS_OFF else answer.reason
    return answer.replace(reason=reason, checks=checks)


@lru_cache(4096)
def _found(agent: str) -> Agent | None:
    return find(agent)
