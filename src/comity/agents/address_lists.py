"""A list of addresses that an operator publishes: its prefixes, and the most specific one for an address."""

from collections.abc import Iterable
from ipaddress import IPv4Network, IPv6Network
from typing import NamedTuple

from ..protocol.text import counted, several
from ..protocol.value import brief
from .address import IPAddress, ip_address
from .prefix import parsed_prefix


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
        for item in several(prefixes):
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
