"""IP addresses that are not on the public internet, by the registries of IANA.

The table repeats the IANA IPv4 and IPv6 Special-Purpose Address Registries (RFC 6890), and adds services of
clouds that have a public address. `ipaddress.IPv4Address.is_global` is not used: its answers differ between
releases of Python.
"""

from functools import lru_cache
from ipaddress import AddressValueError, IPv4Address, IPv4Network, IPv6Address, IPv6Network

#: Networks without public hosts. The first network that contains an address names its use.
_IPV4 = tuple(
    (IPv4Network(network), use)
    for network, use in (
        ("169.254.169.254/32", "metadata service"),  # AWS, Azure, Google, and others
        ("169.254.170.2/32", "metadata service"),  # AWS, of containers
        ("168.63.129.16/32", "metadata service"),  # Azure, a public address that only its machines reach
        ("100.100.100.200/32", "metadata service"),  # Alibaba
        ("192.0.0.192/32", "metadata service"),  # Oracle
        ("0.0.0.0/8", "this network"),  # RFC 791 3.2; 0.0.0.0 reaches the own machine
        ("10.0.0.0/8", "private network"),  # RFC 1918
        ("100.64.0.0/10", "carrier network"),  # RFC 6598
        ("127.0.0.0/8", "loopback"),  # RFC 1122 3.2.1.3
        ("169.254.0.0/16", "link-local"),  # RFC 3927
        ("172.16.0.0/12", "private network"),  # RFC 1918
        ("192.0.0.0/24", "protocol assignment"),  # RFC 6890 2.1; the public ones have no websites
        ("192.0.2.0/24", "documentation"),  # RFC 5737
        ("192.88.99.0/24", "6to4 relay"),  # RFC 7526
        ("192.168.0.0/16", "private network"),  # RFC 1918
        ("198.18.0.0/15", "benchmarking"),  # RFC 2544
        ("198.51.100.0/24", "documentation"),  # RFC 5737
        ("203.0.113.0/24", "documentation"),  # RFC 5737
        ("224.0.0.0/4", "multicast"),  # RFC 5771
        ("255.255.255.255/32", "broadcast"),  # RFC 8190
        ("240.0.0.0/4", "reserved"),  # RFC 1112 4
    )
)

#: The same for IPv6. Addresses outside 2000::/3 are reserved, unless they are named here (RFC 4291 2.4).
_IPV6 = tuple(
    (IPv6Network(network), use)
    for network, use in (
        ("fd00:ec2::254/128", "metadata service"),  # AWS
        ("fd20:ce::254/128", "metadata service"),  # Google
        ("::/128", "unspecified"),  # RFC 4291 2.5.2
        ("::1/128", "loopback"),  # RFC 4291 2.5.3
        ("::/96", "IPv4-compatible address"),  # RFC 4291 2.5.5.1, deprecated
        ("::ffff:0:0:0/96", "IPv4-translated address"),  # RFC 7915
        ("64:ff9b:1::/48", "local NAT64"),  # RFC 8215
        ("100::/16", "discard"),  # RFC 6666, RFC 9780
        ("2001:db8::/32", "documentation"),  # RFC 3849
        ("3fff::/20", "documentation"),  # RFC 9637
        ("5f00::/16", "segment routing"),  # RFC 9602
        ("fc00::/7", "private network"),  # RFC 4193
        ("fe80::/10", "link-local"),  # RFC 4291 2.5.6
        ("fec0::/10", "site-local"),  # RFC 3879
        ("ff00::/8", "multicast"),  # RFC 4291 2.7
    )
)

#: The global unicast addresses, and the part of them for protocols, without websites (RFC 2928).
_GLOBAL, _PROTOCOLS = IPv6Network("2000::/3"), IPv6Network("2001::/23")

_TEREDO, _6TO4 = IPv6Network("2001::/32"), IPv6Network("2002::/16")

_MAPPED, _NAT64 = IPv6Network("::ffff:0:0/96"), IPv6Network("64:ff9b::/96")

#: The bytes 8 to 11 of an ISATAP address, before its IPv4 address (RFC 5214 6.1).
_ISATAP = (b"\x00\x00\x5e\xfe", b"\x02\x00\x5e\xfe")


@lru_cache(4096)
def special_use(address: str) -> str | None:
    """Return why an IP `address` is not public, such as "loopback"; None if it is public.

    An IPv6 address that contains an IPv4 address leads to that one, so it is public only if that one is.
    An address with a zone is not public. A text that is not an address raises `ValueError`.

    >>> special_use("10.0.0.1"), special_use("::ffff:169.254.169.254"), special_use("fe80::1%eth0")
    ('private network', 'metadata service', 'link-local')
    >>> special_use("93.184.215.14"), special_use("2606:2800:21f:cb07::1"), special_use("64:ff9b::808:808")
    (None, None, None)
    """
    text, zone, _ = address.partition("%")
    try:
        parsed = IPv4Address(text)
    except AddressValueError:
        return _use_of_ipv6(IPv6Address(text)) or ("link-local" if zone else None)
    return "link-local" if zone else _use_of_ipv4(parsed)


def _use_of_ipv4(address: IPv4Address) -> str | None:
    return next((use for network, use in _IPV4 if address in network), None)


def _use_of_ipv6(address: IPv6Address) -> str | None:
    use = next((use for network, use in _IPV6 if address in network), None)
    if use is not None:
        return use
    embedded = _embedded(address)
    for each in embedded:
        if (use := _use_of_ipv4(each)) is not None:
            return use
    if embedded:
        return None
    if address in _PROTOCOLS:
        return "protocol assignment"
    return None if address in _GLOBAL else "reserved"


def _embedded(address: IPv6Address) -> tuple[IPv4Address, ...]:
    """Return the IPv4 addresses that packets to an IPv6 address may be sent to."""
    packed = address.packed
    if address in _MAPPED or address in _NAT64:  # RFC 4291 2.5.5.2, RFC 6052 2.1
        return (IPv4Address(packed[12:]),)
    if address in _6TO4:  # RFC 3056 2
        return (IPv4Address(packed[2:6]),)
    if address in _TEREDO:  # RFC 4380 4: the server, and the client with inverted bits
        return IPv4Address(packed[4:8]), IPv4Address(bytes(byte ^ 255 for byte in packed[12:]))
    if packed[8:12] in _ISATAP and address in _GLOBAL:
        return (IPv4Address(packed[12:]),)
    return ()
