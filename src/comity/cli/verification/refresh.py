"""The download of operators' lists of addresses: seldom, conditional, and checked before use."""

import time
from collections.abc import Iterable
from typing import NamedTuple
from urllib.parse import urlsplit

from ...agents import FeedCopy, FeedState, read_feed
from ...agents.feed_formats import MAX_BYTES
from ...desk.site_client import RedirectChain, SiteClient
from ...errors import InvalidFeed, InvalidURL, NotPublic, SiteUnavailable
from ...protocol.access.freshness import LONGEST_WAIT, retry_after, stated_lifetime
from ...protocol.access.header_fields import HeaderFields
from ...protocol.text import counted
from .feed_store import FeedStore, StoredFeed
from .finding import STALE, FeedProblem, Refreshed

#: Time in seconds between two requests for a list, at least and at most; between them the server decides.
_LEAST, _MOST = 3_600.0, 86_400.0

#: Timeout in seconds for a list, and maximum number of redirects.
_TIMEOUT, _REDIRECTS = 15.0, 5

#: The schemes of lists: only a connection that is protected proves whose list it is.
SCHEMES = frozenset({"https"})


class _FeedAnswer(NamedTuple):
    status: int
    fields: HeaderFields
    body: bytes
    chain: RedirectChain


def refresh(url: str, shape: str, store: FeedStore, client: SiteClient, now: float) -> Refreshed:
    """Fetch a list unless that was done recently, check it, and store it. Raises `OSError` of the store."""
    stored = store.load(url)
    if now < min(stored.not_before, stored.asked + LONGEST_WAIT) and stored.asked <= now:
        return Refreshed(url, "not-due", stored, tuple(_staleness(url, stored, now)))
    findings: list[FeedProblem] = []
    wait = _LEAST
    try:
        answer = _fetched(url, stored, client)
        findings += _moves(url, answer.chain)
        wait = _wait(answer.fields, now)
        result, stored = _accepted(url, shape, stored, answer, now)
        if result == "held":
            count, before = _size(stored.state.held), _size(stored.state.copy)
            findings.append(FeedProblem("feed-held", "warning", _HELD.format(url, count, before)))
    except InvalidFeed as error:
        result = "failed"
        code, level = ("feed-version", "error") if error.step == "version" else ("feed-error", "warning")
        findings.append(FeedProblem(code, level, f"{url}: {error}"))
    stored = stored._replace(asked=now, not_before=now + wait)
    store.save(url, stored)
    return Refreshed(url, result, stored, (*findings, *_staleness(url, stored, now)))


_HELD = "{}: held back until a second fetch a day later: {:,} prefixes instead of {:,}"


def _fetched(url: str, stored: StoredFeed, client: SiteClient) -> _FeedAnswer:
    """Send the request, with the validators of the copy in force. Raises `InvalidFeed` for any failure."""
    validators = {"If-None-Match": stored.etag, "If-Modified-Since": stored.last_modified}
    known = stored.state.copy is not None
    fields = {name: value for name, value in validators.items() if value and known}
    chain = RedirectChain(url, most=_REDIRECTS, schemes=SCHEMES)
    if urlsplit(url).scheme not in SCHEMES:
        raise InvalidFeed("it is not an https URL", step="fetch")
    try:
        with client.response(chain, fields, timeout=_TIMEOUT) as response:
            body = _limited(response.iter_bytes()) if response.status_code == 200 else b""
            return _FeedAnswer(
                response.status_code, HeaderFields(response.headers.multi_items()), body, chain
            )
    except (SiteUnavailable, InvalidURL, NotPublic) as error:
        message = str(error)
        raise InvalidFeed(message.replace(f"{chain.urls[-1]}: ", ""), step="fetch") from None


def _limited(parts: Iterable[bytes]) -> bytes:
    """Return a body, or raise `InvalidFeed` if it is too large or too slow."""
    end = time.monotonic() + _TIMEOUT
    body = bytearray()
    for part in parts:
        body += part
        if len(body) > MAX_BYTES:
            raise InvalidFeed(f"it is larger than {MAX_BYTES:,} bytes", step="size")
        if time.monotonic() > end:
            raise InvalidFeed(f"it takes more than {_TIMEOUT:g} s", step="fetch")
    return bytes(body)


def _accepted(
    url: str, shape: str, stored: StoredFeed, answer: _FeedAnswer, now: float
) -> tuple[str, StoredFeed]:
    """Return the result and the facts to store. Raises `InvalidFeed` if the answer cannot be used."""
    before = stored.state.copy
    if answer.status == 304 and before is not None:
        state = FeedState(before.replace(fetched=max(before.fetched, now)), None)
        return "unchanged", stored._replace(state=state)
    if answer.status != 200:
        raise InvalidFeed(f"the server answered {answer.status}", step="fetch")
    new = FeedCopy(url, read_feed(answer.body, shape=shape), now, now)
    state = stored.state.with_copy(new)
    if state.held is not None:
        return "held", stored._replace(state=state)
    same = before is not None and before.feed == new.feed
    etag, modified = answer.fields.first("etag"), answer.fields.first("last-modified")
    return "unchanged" if same else "fetched", stored._replace(state=state, etag=etag, last_modified=modified)


def _wait(fields: HeaderFields, now: float) -> float:
    """Return the seconds until the next request: as the server says, from an hour to a day."""
    later = retry_after(fields.first("retry-after") or "", now)
    lifetime = stated_lifetime(fields, now) if later is None else later
    return min(max(lifetime or 0.0, _LEAST), _MOST)


def _moves(url: str, chain: RedirectChain) -> list[FeedProblem]:
    """Return a finding if the list has moved: by a permanent redirect, or to another host."""
    target = chain.urls[-1]
    permanent = any(status in (301, 308) for status in chain.statuses)
    if len(chain.urls) == 1 or not (permanent or urlsplit(url).hostname != urlsplit(target).hostname):
        return []
    return [FeedProblem("feed-moved", "note", f"{url}: moved to {target}")]


def _staleness(url: str, stored: StoredFeed, now: float) -> list[FeedProblem]:
    copy = stored.state.copy
    if copy is None or now - copy.fetched <= STALE:
        return []
    days = int((now - copy.fetched) // 86_400)
    return [FeedProblem("feed-stale", "warning", f"{url}: the last good copy is {counted(days, 'day')} old")]


def _size(copy: FeedCopy | None) -> int:
    return 0 if copy is None else len(copy.feed)
