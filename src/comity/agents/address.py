"""The text of an address in a log -> an IP address that can be the client's, or why it cannot be."""

from collections.abc import Iterable
from functools import lru_cache
from ipaddress import AddressValueError, IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_network

from ..errors import InvalidArgument
from ..protocol.special_use import special_use
from ..protocol.text import as_items
from .verification import VerificationReason

IPAddress = IPv4Address | IPv6Address
IPNetwork = IPv4Network | IPv6Network

#: The longest text of an IP address: six groups and an IPv4 address.
_LONGEST = 45

#: The prefix of IPv4 addresses behind a translator (RFC 6052 2.1).
_NAT64 = IPv6Network("64:ff9b::/96")


def ip_address(text: str) -> IPAddress | None:
    """Return the IP address of a `text`, or None if it is not one. An address with a zone is not valid.

    An IPv4-mapped IPv6 address is its IPv4 address: a server that listens on both logs it so. So is an
    address in 64:ff9b::/96, which an IPv6 server behind a translator logs (RFC 6052 2.1).

    >>> ip_address("::ffff:192.0.2.10"), ip_address("64:ff9b::c000:20a")
    (IPv4Address('192.0.2.10'), IPv4Address('192.0.2.10'))
    >>> ip_address("192.0.2.10"), ip_address("2001:DB8:0:0::1"), ip_address("fe80::1%eth0")
    (IPv4Address('192.0.2.10'), IPv6Address('2001:db8::1'), None)
    """
    if len(text) > _LONGEST or not text.isascii() or "%" in text:
        return None
    try:
        if ":" not in text:
            return IPv4Address(text)
        address = IPv6Address(text)
    except AddressValueError:
        return None
    if address in _NAT64:
        return IPv4Address(address.packed[12:])
    return address.ipv4_mapped or address


def is_tunnelled(address: IPAddress) -> bool:
    """Return whether an address is one of 6to4 or Teredo: it stands for an IPv4 address (RFC 3056, RFC 4380).

    >>> is_tunnelled(IPv6Address("2002:c000:20a::1")), is_tunnelled(IPv6Address("2001:db8::1"))
    (True, False)
    """
    return isinstance(address, IPv6Address) and bool(address.sixtofour or address.teredo)


def unusable(address: IPAddress | None, proxies: Iterable[IPNetwork]) -> VerificationReason | None:
    """Return why an address cannot be that of a robot on the internet; None if it can.

    Addresses for documentation count as public: they are used in examples and tests.

    >>> unusable(ip_address("10.1.2.3"), ()), unusable(ip_address("192.0.2.10"), ())
    (VerificationReason.LOCAL_ADDRESS, None)
    """
    if address is None:
        return VerificationReason.NO_ADDRESS
    if special_use(str(address)) not in (None, "documentation"):
        return VerificationReason.LOCAL_ADDRESS
    return VerificationReason.PROXY if any(address in network for network in proxies) else None


@lru_cache(64)
def _networks(texts: tuple[str, ...]) -> tuple[IPNetwork, ...]:
    found = []
    for text in texts:
        try:
            found.append(ip_network(text, strict=False))
        except ValueError:
            raise InvalidArgument(
                f"invalid proxies {text!r:.200}: expected an IP address or a network such as 192.0.2.0/24",
                name="proxies",
            ) from None
    return tuple(found)


def networks(texts: str | Iterable[str]) -> tuple[IPNetwork, ...]:
    """Return the networks of a site's own proxies; raises `InvalidArgument` if a text is not a network.

    >>> networks(["192.0.2.1", "2001:db8::/32"])
    (IPv4Network('192.0.2.1/32'), IPv6Network('2001:db8::/32'))
    """
    return _networks(tuple(as_items(texts)))
