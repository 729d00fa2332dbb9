"""Bring the copy of an operator's list of addresses up to date: seldom, conditionally, and with checks.

The requests are those of a function that the caller passes, such as `comity.desk.SiteClient.feed`, which
obeys the robots.txt of the operator.
"""

import time
from collections.abc import Callable, Mapping
from typing import NamedTuple
from urllib.parse import urlsplit

from ..errors import InvalidFeed
from ..protocol.access.freshness import LONGEST_WAIT, retry_after, stated_lifetime
from ..protocol.access.header_fields import HeaderFields, Headers
from ..protocol.text import counted
from ..protocol.timestamps import check_moment
from .address_lists import DAY, STALE, FeedCopy, FeedState
from .feed_formats import read_feed
from .feed_store import FeedStore, StoredFeed
from .verification import VerificationProblem

#: Time in seconds between two requests for a list, at least and at most; between them the server decides.
_LEAST, _MOST = 3_600.0, 86_400.0


class FeedResponse(NamedTuple):
    """The response to a request for a list: its `status`, its header fields, and its `body`.

    `headers` are pairs of name and value, or a mapping. `redirects` are the redirects before the response, in
    order: the status and the target of each.

    >>> from comity import agents
    >>> agents.FeedResponse(304, {"Cache-Control": "max-age=86400"}, b"").status
    304
    """

    status: int
    headers: Headers
    body: bytes
    redirects: tuple[tuple[int, str], ...] = ()


#: Sends a GET request for a URL with header fields. It raises `InvalidFeed` if there is no response.
FeedFetch = Callable[[str, Mapping[str, str]], FeedResponse]


class Refreshed(NamedTuple):
    """The result of `refresh_feed` for the list of a `url`.

    `result` is "fetched", "unchanged", "not-due", "held" or "failed". `stored` has the facts about the list
    that are stored now, and `findings` the problems.

    >>> from comity import agents
    >>> found = agents.Refreshed("https://openai.com/gptbot.json", "not-due", agents.StoredFeed(), ())
    >>> found.record()["copy"] is None
    True
    """

    url: str
    result: str
    stored: StoredFeed
    findings: tuple[VerificationProblem, ...]

    def record(self) -> dict[str, object]:
        """Return the result as a dict that is ready for JSON."""
        copy = self.stored.state.copy
        return {
            "url": self.url,
            "result": self.result,
            "copy": None if copy is None else copy.record(),
            "findings": [finding._asdict() for finding in self.findings],
        }


def refresh_feed(
    url: str, store: FeedStore, fetch: FeedFetch, *, shape: str = "json", now: float | None = None
) -> Refreshed:
    """Fetch the list of a `url` unless that was done recently, check it, and store it.

    `fetch` sends the request: it gets the URL and header fields, and returns a `FeedResponse`, such as
    `SiteClient.feed` of `comity.desk`. It may follow redirects, need not read more than `MAX_FEED_BYTES`, and
    raises `InvalidFeed` with the step "fetch" without a response. `shape` is the form of the list, a key of
    `SHAPES`. `now` is the present time in seconds since 1970, by default the real time.

    A list is requested at most once an hour, and with the validators of the last response. A list that
    cannot be used leaves the last good copy in force, and is one of the `findings`.

    >>> from tempfile import TemporaryDirectory
    >>> from comity import agents
    >>> body = b'{"prefixes": [{"ipv4Prefix": "192.0.2.0/24"}]}'
    >>> def fetch(url, headers):
    ...     return agents.FeedResponse(200, {"ETag": '"1"'}, body)
    >>> with TemporaryDirectory() as folder:
    ...     store = agents.FeedStore(folder)
    ...     for now in (0.0, 60.0):
    ...         agents.refresh_feed("https://openai.com/gptbot.json", store, fetch, now=now).result
    'fetched'
    'not-due'

    Raises `OSError` if the store cannot be written, and `InvalidArgument` for an unknown shape, or for a
    `now` that is not a time.
    """
    check_moment("now", now)
    now = time.time() if now is None else now
    stored = store.load(url)
    if now < min(stored.not_before, stored.asked + LONGEST_WAIT) and stored.asked <= now:
        return Refreshed(url, "not-due", stored, tuple(_staleness(url, stored, now)))
    findings: list[VerificationProblem] = []
    wait = _LEAST
    try:
        response = _fetched(url, stored, fetch)
        findings += _moves(url, response.redirects)
        fields = HeaderFields(response.headers)
        wait = _wait(fields, now)
        result, stored = _accepted(url, shape, stored, response, fields, now)
        if result == "held":
            count, before = _size(stored.state.held), _size(stored.state.copy)
            findings.append(VerificationProblem("feed-held", "warning", _HELD.format(url, count, before)))
    except InvalidFeed as error:
        result = "failed"
        code, level = ("feed-version", "error") if error.step == "version" else ("feed-error", "warning")
        findings.append(VerificationProblem(code, level, f"{url}: {error}"))
    stored = stored._replace(asked=now, not_before=now + wait)
    store.save(url, stored)
    return Refreshed(url, result, stored, (*findings, *_staleness(url, stored, now)))


_HELD = "{}: held back until a second fetch a day later: {:,} prefixes instead of {:,}"


def _fetched(url: str, stored: StoredFeed, fetch: FeedFetch) -> FeedResponse:
    """Send the request, with the validators of the copy in force. Raises `InvalidFeed` for any failure."""
    if urlsplit(url).scheme != "https":  # only a connection that is protected proves whose list it is
        raise InvalidFeed("it is not an https URL", step="fetch")
    validators = {"If-None-Match": stored.etag, "If-Modified-Since": stored.last_modified}
    known = stored.state.copy is not None
    return fetch(url, {name: value for name, value in validators.items() if value and known})


def _accepted(
    url: str, shape: str, stored: StoredFeed, response: FeedResponse, fields: HeaderFields, now: float
) -> tuple[str, StoredFeed]:
    """Return the result and the facts to store. Raises `InvalidFeed` if the response cannot be used."""
    before = stored.state.copy
    if response.status == 304 and before is not None:
        state = FeedState(before.replace(fetched=max(before.fetched, now)), None)
        return "unchanged", stored._replace(state=state)
    if response.status != 200:
        raise InvalidFeed(f"the server answered {response.status}", step="fetch")
    new = FeedCopy(url, read_feed(response.body, shape=shape), now, now)
    state = stored.state.with_copy(new)
    if state.held is not None:
        return "held", stored._replace(state=state)
    same = before is not None and before.feed == new.feed
    etag, modified = fields.first("etag"), fields.first("last-modified")
    return "unchanged" if same else "fetched", stored._replace(state=state, etag=etag, last_modified=modified)


def _wait(fields: HeaderFields, now: float) -> float:
    """Return the seconds until the next request: as the server says, from an hour to a day."""
    later = retry_after(fields.first("retry-after") or "", now)
    lifetime = stated_lifetime(fields, now) if later is None else later
    return min(max(lifetime or 0.0, _LEAST), _MOST)


def _moves(url: str, redirects: tuple[tuple[int, str], ...]) -> list[VerificationProblem]:
    """Return a finding if the list has moved: by a permanent redirect, or to another host."""
    if not redirects:
        return []
    target = redirects[-1][1]
    permanent = any(status in (301, 308) for status, _ in redirects)
    if not (permanent or urlsplit(url).hostname != urlsplit(target).hostname):
        return []
    return [VerificationProblem("feed-moved", "note", f"{url}: moved to {target}")]


def _staleness(url: str, stored: StoredFeed, now: float) -> list[VerificationProblem]:
    copy = stored.state.copy
    if copy is None or now - copy.fetched <= STALE:
        return []
    age = counted(int((now - copy.fetched) // DAY), "day")
    return [VerificationProblem("feed-stale", "warning", f"{url}: the last good copy is {age} old")]


def _size(copy: FeedCopy | None) -> int:
    return 0 if copy is None else len(copy.feed)
