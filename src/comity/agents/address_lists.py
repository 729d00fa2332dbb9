"""Lists of addresses that operators publish: their prefixes, and their copies over time.

A copy says which list is in force, and what it may prove about a request. A list that suddenly lost most of
its prefixes is probably a mistake of its operator. It is held back until a second fetch, a day later, shows
the same. Until then the last copy stays in force.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from ipaddress import AddressValueError, IPv4Network, IPv6Network, NetmaskValueError, ip_network
from typing import NamedTuple

from ..errors import InvalidFeed
from ..protocol.text import as_items, counted, shortened
from ..protocol.value import Value, brief
from .address import IPAddress, ip_address

#: The shortest prefixes that a list may have, by version: 16 million addresses for IPv4.
_WIDEST = {4: 8, 6: 19}

#: An address, and the length of its prefix as a decimal number without leading zeros. A network mask is not
#: a length, and neither is a zone part of an address.
_PREFIX = re.compile(r"([0-9A-Fa-f.:]{2,45})(?:/(0|[1-9][0-9]{0,2}))?", re.ASCII)


def parsed_prefix(text: object, version: int | None = None) -> IPv4Network | IPv6Network:
    """Return the network of a `text`; an address is a prefix of one address, and host bits are cleared.

    >>> parsed_prefix("192.0.2.77/24"), parsed_prefix("2001:db8::1")
    (IPv4Network('192.0.2.0/24'), IPv6Network('2001:db8::1/128'))

    Raises `InvalidFeed` if it is not a prefix, not of the `version` 4 or 6, or too wide for a robot. Only the
    last one has the step "wide".
    """
    found = _PREFIX.fullmatch(text) if isinstance(text, str) else None
    if found is None:
        raise InvalidFeed(f"{shortened(repr(text), 80)} is not an IP prefix", step="entry")
    kind = IPv6Network if ":" in found[1] else IPv4Network
    if version is not None and (kind is IPv6Network) != (version == 6):
        raise InvalidFeed(f"{text!r} is not an IPv{version} prefix", step="entry")
    try:
        network = kind(found[0], strict=False)
    except (AddressValueError, NetmaskValueError, ValueError):
        raise InvalidFeed(f"{text!r} is not an IP prefix", step="entry") from None
    if network.prefixlen < _WIDEST[network.version]:
        raise InvalidFeed(
            f"{text!r} is wider than /{_WIDEST[network.version]}, which no list of a robot is", step="wide"
        )
    return network


class Prefix(NamedTuple):
    """A prefix of a list, such as 192.0.2.0/24, and the `service` that the list names for it, if any."""

    network: IPv4Network | IPv6Network
    service: str | None = None


class Feed:
    """The content of an operator's list of addresses. `read_feed` creates it from the bytes.

    `prefixes` has the prefixes as texts, in the order of the list, without repetitions. `created` is the date
    that the list states about itself, or None. It does not show how fresh the list is: some lists have been
    in force for years. `skipped` is the number of entries that were not valid.

    >>> from comity import agents
    >>> feed = agents.Feed(["192.0.2.0/24", "192.0.2.8/32", "2001:db8::/32"])
    >>> feed.prefix_of("192.0.2.8"), feed.prefix_of("192.0.2.9"), feed.prefix_of("198.51.100.1")
    ('192.0.2.8/32', '192.0.2.0/24', None)
    >>> "2001:DB8::1" in feed, len(feed)
    (True, 3)
    """

    __slots__ = ("_lengths", "_tables", "created", "prefixes", "services", "skipped")

    def __init__(
        self,
        prefixes: "str | Iterable[str | Prefix]",
        *,
        created: str | None = None,
        skipped: int = 0,
    ) -> None:
        """Create a feed from its prefixes, as texts or with a service each.

        `created` is the date that the list states about itself, and `skipped` the number of entries that
        were not valid. Raises `InvalidFeed` for a text that is not a prefix, or for one that is too wide.
        """
        self.created: str | None = created
        self.skipped: int = skipped
        self._tables: dict[tuple[int, int], dict[int, str | None]] = {}
        texts: dict[str, None] = {}
        services: dict[str, str] = {}
        for item in as_items(prefixes):
            network, service = item if isinstance(item, Prefix) else Prefix(parsed_prefix(item))
            text = str(network)
            texts[text] = None
            if service is not None:
                services[text] = service
            table = self._tables.setdefault((network.version, network.prefixlen), {})
            table[int(network.network_address)] = service
        self.prefixes: tuple[str, ...] = tuple(texts)
        self.services: dict[str, str] = services
        self._lengths: tuple[tuple[int, int], ...] = tuple(sorted(self._tables, reverse=True))

    def __repr__(self) -> str:
        return f"Feed({counted(len(self.prefixes), 'prefix', 'prefixes')}, created={brief(self.created, 60)})"

    def __len__(self) -> int:
        return len(self.prefixes)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Feed):
            return NotImplemented
        return self._tables == other._tables

    def __hash__(self) -> int:
        return hash(frozenset(self.prefixes))

    def __contains__(self, address: object) -> bool:
        return isinstance(address, str) and self.prefix_of(address) is not None

    def prefix_of(self, address: str) -> str | None:
        """Return the most specific prefix that contains an `address`, a text; None if no prefix does.

        A text that is not an IP address is in no prefix.
        """
        parsed = ip_address(address)
        return None if parsed is None else self.most_specific(parsed)

    def most_specific(self, address: IPAddress) -> str | None:
        """Return the most specific prefix that contains a parsed `address`, or None."""
        number, bits = int(address), address.max_prefixlen
        for version, length in self._lengths:
            if version == address.version:
                first = number >> (bits - length) << (bits - length)
                if first in self._tables[version, length]:
                    kind = IPv4Network if version == 4 else IPv6Network
                    return str(kind((first, length)))
        return None

    def record(self) -> dict[str, object]:
        """Return the feed as a dict that is ready for JSON."""
        return {
            "created": self.created,
            "skipped": self.skipped,
            "prefixes": list(self.prefixes),
            "services": dict(self.services),
        }


DAY = 86_400.0

#: A copy may accuse requests up to this long before its first fetch and after its last one, in seconds.
ACCUSES = 7 * DAY

#: A copy may confirm requests until it is this old, in seconds.
CONFIRMS = 30 * DAY

#: A copy is reported as stale if it was fetched longer ago, in seconds.
STALE = 7 * DAY

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
