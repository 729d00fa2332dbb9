"""Which IP addresses are public, by the registries of IANA."""

from ipaddress import IPv6Network

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from comity.protocol.special_use import special_use

#: First and last address of each network, and the use.
NETWORKS = [
    ("0.0.0.0", "0.255.255.255", "this network"),
    ("10.0.0.0", "10.255.255.255", "private network"),
    ("100.64.0.0", "100.127.255.255", "carrier network"),
    ("127.0.0.0", "127.255.255.255", "loopback"),
    ("169.254.0.0", "169.254.255.255", "link-local"),
    ("172.16.0.0", "172.31.255.255", "private network"),
    ("192.0.0.0", "192.0.0.255", "protocol assignment"),
    ("192.0.2.0", "192.0.2.255", "documentation"),
    ("192.88.99.0", "192.88.99.255", "6to4 relay"),
    ("192.168.0.0", "192.168.255.255", "private network"),
    ("198.18.0.0", "198.19.255.255", "benchmarking"),
    ("198.51.100.0", "198.51.100.255", "documentation"),
    ("203.0.113.0", "203.0.113.255", "documentation"),
    ("224.0.0.0", "239.255.255.255", "multicast"),
    ("240.0.0.0", "255.255.255.254", "reserved"),
    ("255.255.255.255", "255.255.255.255", "broadcast"),
    ("169.254.169.254", "169.254.169.254", "metadata service"),
    ("168.63.129.16", "168.63.129.16", "metadata service"),
    ("100.100.100.200", "100.100.100.200", "metadata service"),
    ("192.0.0.192", "192.0.0.192", "metadata service"),
    ("fd00:ec2::254", "fd00:ec2::254", "metadata service"),
    ("::", "::", "unspecified"),
    ("::1", "::1", "loopback"),
    ("::2", "::ffff:ffff", "IPv4-compatible address"),
    ("::ffff:127.0.0.0", "::ffff:127.255.255.255", "loopback"),
    ("::ffff:0:0:0", "::ffff:0:ffff:ffff", "IPv4-translated address"),
    ("64:ff9b::10.0.0.0", "64:ff9b::10.255.255.255", "private network"),
    ("64:ff9b:1::", "64:ff9b:1:ffff:ffff:ffff:ffff:ffff", "local NAT64"),
    ("100::", "100::ffff:ffff:ffff:ffff", "discard"),
    ("200::", "1fff:ffff::", "reserved"),
    ("2001:1::", "2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff", "protocol assignment"),
    ("2001:db8::", "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff", "documentation"),
    ("2002:7f00::", "2002:7fff:ffff::1", "loopback"),
    ("2002:a9fe:a9fe::", "2002:a9fe:a9fe:ffff::", "metadata service"),
    ("3fff::", "3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff", "documentation"),
    ("4000::", "5eff:ffff::", "reserved"),
    ("5f00::", "5f00:ffff::", "segment routing"),
    ("6000::", "fbff:ffff::", "reserved"),
    ("fc00::", "fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "private network"),
    ("fe00::", "fe7f:ffff::", "reserved"),
    ("fe80::", "febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "link-local"),
    ("fec0::", "feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "site-local"),
    ("ff00::", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "multicast"),
]

#: Addresses just outside these networks, and public addresses within others.
PUBLIC = [
    "1.0.0.0",
    "9.255.255.255",
    "11.0.0.0",
    "100.63.255.255",
    "100.128.0.0",
    "126.255.255.255",
    "128.0.0.0",
    "169.253.255.255",
    "169.255.0.0",
    "172.15.255.255",
    "172.32.0.0",
    "192.0.1.0",
    "192.167.255.255",
    "192.169.0.0",
    "198.17.255.255",
    "198.20.0.0",
    "223.255.255.255",
    "168.63.129.15",
    "::ffff:8.8.8.8",
    "64:ff9b::8.8.8.8",
    "2000::",
    "2001:200::",
    "2001:4860:4860::8888",
    "2002:808:808::1",
    "2001:0:808:808:0:0:f7f7:f7f7",  # Teredo, from 8.8.8.8 to 8.8.8.8
    "2606:4700::5efe:8.8.8.8",
    "3fff:1000::",
]


@pytest.mark.parametrize(("first", "last", "use"), NETWORKS)
def test_special_uses(first, last, use):
    """IANA IPv4 and IPv6 Special-Purpose Address Registries."""
    assert special_use(first) == special_use(last) == use


@pytest.mark.parametrize("address", PUBLIC)
def test_public_addresses(address):
    assert special_use(address) is None


@pytest.mark.parametrize(
    ("address", "use"),
    [
        ("2001:0:808:808:0:0:80ff:fffe", "loopback"),  # Teredo, to 127.0.0.1
        ("2001:0:a00:1:0:0:f7f7:f7f7", "private network"),  # Teredo, by the server 10.0.0.1
        ("2606:4700::5efe:10.0.0.1", "private network"),  # ISATAP
        ("2606:4700::200:5efe:127.0.0.1", "loopback"),
        ("fe80::1%eth0", "link-local"),
        ("2606:4700::1%eth0", "link-local"),
        ("8.8.8.8%1", "link-local"),
    ],
)
def test_embedded_addresses_and_zones(address, use):
    assert special_use(address) == use


@pytest.mark.parametrize("text", ["", "localhost", "127.1", "0177.0.0.1", "[::1]", "1.2.3.4.5"])
def test_text_that_is_not_an_address_raises(text):
    with pytest.raises(ValueError, match="."):
        special_use(text)


@settings(max_examples=60, deadline=None)
@given(st.ip_addresses(v=4))
def test_no_address_is_public_that_python_calls_private(address):
    """Not the reverse: Python's table differs between its releases."""
    if special_use(str(address)) is None:
        assert not any((address.is_private, address.is_multicast, address.is_reserved))
        assert special_use(f"::ffff:{address}") is None
    else:
        assert special_use(f"64:ff9b::{address}") is not None


@settings(max_examples=60, deadline=None)
@given(st.ip_addresses(v=6))
def test_public_ipv6_addresses_are_global_unicast(address):
    """RFC 4291 2.4; IANA has allocated only 2000::/3."""
    if special_use(str(address)) is None:
        known = ("2000::/3", "::ffff:0:0/96", "64:ff9b::/96")
        assert any(address in IPv6Network(network) for network in known)
