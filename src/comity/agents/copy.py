"""Copies of an operator's list over time: which one is in force, and what it may prove about a request.

A list that suddenly lost most of its prefixes is probably a mistake of its operator. It is held back until a
second fetch, a day later, shows the same. Until then the last copy stays in force.
"""

from collections.abc import Mapping, Sequence
from ipaddress import ip_network

from ..protocol.value import Value
from .address_lists import Feed

DAY = 86_400.0

#: A copy may accuse requests up to this long before its first fetch and after its last one, in seconds.
ACCUSES = 7 * DAY

#: A copy may confirm requests until it is this old, in seconds.
CONFIRMS = 30 * DAY

#: A list that is held back is accepted if it is the same after this time, in seconds.
HELD = DAY


class FeedCopy(Value):
    """A list of addresses as it was fetched: its `url`, its content, and when it was there.

    `feed` is the content. `since` is the time of the first fetch of this content and `fetched` that of the
    last one, in seconds since 1970. The age of a copy counts from `fetched`, not from the date in the list.

    >>> from comity import agents
    >>> copy = agents.FeedCopy("https://example.com/bot.json", agents.Feed(["192.0.2.0/24"]), 0.0, 86400.0)
    >>> copy.covers(5 * 86400.0), copy.covers(30 * 86400.0)
    (True, False)
    """

    url: str
    feed: Feed
    since: float
    fetched: float

    _times = ("since", "fetched")

    def covers(self, seen: float) -> bool:
        """Return whether the list was fetched within 7 days of a time `seen`, in seconds since 1970."""
        return self.since - ACCUSES <= seen <= self.fetched + ACCUSES

    def confirms(self, seen: float, now: float) -> bool:
        """Return whether an address in the list confirms a request of the time `seen`, at `now`."""
        if self.fetched > now + DAY:  # the clock was wrong then, so the copy would never be old
            return False
        return now - self.fetched <= CONFIRMS or self.covers(seen)

    def record(self) -> dict[str, object]:
        """Return the copy as a dict that is ready for JSON, with the number of prefixes for the content."""
        return super().record() | {"feed": len(self.feed)}


class FeedState(Value):
    """The copies of a list: the `copy` in force, and one that is `held` back. Both may be None.

    >>> from comity import agents
    >>> copy = agents.FeedCopy("https://example.com/bot.json", agents.Feed(["192.0.2.0/24"]), 0.0, 0.0)
    >>> agents.FeedState(None, None).with_copy(copy).copy == copy
    True
    """

    copy: FeedCopy | None
    held: FeedCopy | None

    def with_copy(self, later: FeedCopy) -> "FeedState":
        """Return the state after a fetch: the copy `later` is in force now, or held back if it is suspicious.

        >>> old = FeedCopy("https://example.com/bot.json", Feed(["192.0.2.0/24", "2001:db8::/32"]), 0.0, 0.0)
        >>> state = FeedState(old, None).with_copy(FeedCopy(old.url, Feed([]), 100.0, 100.0))
        >>> state.copy == old, state.held is None
        (True, False)
        >>> state.with_copy(FeedCopy(old.url, Feed([]), 86500.0, 86500.0)).held is None
        True
        """
        if self.copy is None or self.copy.url != later.url:
            return FeedState(later, None)
        if self.copy.feed == later.feed:
            return FeedState(self.copy.replace(feed=later.feed, fetched=later.fetched), None)
        if not _is_suspicious(self.copy.feed, later.feed):
            return FeedState(later, None)
        if self.held is None or self.held.feed != later.feed:
            return FeedState(self.copy, later)
        if later.fetched - self.held.since >= HELD:
            return FeedState(later.replace(since=self.held.since), None)
        return FeedState(self.copy, self.held.replace(fetched=later.fetched))


def _is_suspicious(old: Feed, new: Feed) -> bool:
    """Return whether a list became empty, or lost more than half of its prefixes.

    A prefix is not lost if the new list has a wider one for its first address.
    """
    lost = sum(new.most_specific(ip_network(text).network_address) is None for text in old.prefixes)
    return bool(old.prefixes) and (not new.prefixes or lost * 2 > len(old.prefixes))


#: The copies of each list by its URL, the newest first.
Copies = Mapping[str, FeedCopy | Sequence[FeedCopy]]


def copies_of(copies: Copies, url: str) -> tuple[FeedCopy, ...]:
    """Return the copies of a list, the newest first; a lone copy is one item."""
    found = copies.get(url, ())
    return (found,) if isinstance(found, FeedCopy) else tuple(found)
