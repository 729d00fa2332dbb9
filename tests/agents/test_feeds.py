"""Lists of addresses: their forms, hostile ones, and the copy that stays in force."""

import json
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from comity.agents import Feed, FeedCopy, FeedState, read_feed
from comity.agents.address_lists import DAY
from comity.errors import InvalidArgument, InvalidFeed

FOUR = {"ipv4Prefix": "192.0.2.0/24"}


def read(prefixes, **members):
    return read_feed(json.dumps({"prefixes": prefixes, **members}).encode())


@pytest.mark.parametrize(
    ("shape", "body", "prefixes"),
    [
        ("json", '{"prefixes": []}', []),
        ("json", '\ufeff{"prefixes": [{"ipv4Prefix": "192.0.2.0/24"}], "syncToken": "1"}', ["192.0.2.0/24"]),
        ("json", '{"prefixes": [{"ipv4Prefix": "192.0.2.1"}]}', ["192.0.2.1/32"]),
        ("json", '{"prefixes": [{"ipv6Prefix": "2001:DB8::1"}]}', ["2001:db8::1/128"]),
        ("json", '{"formatVersion": "1.10", "prefixes": [{"ipv4Prefix": "192.0.2.0/24", "x": 1}]}', ["192.0.2.0/24"]),
        ("html", '<pre>{&quot;prefixes&quot;: [{&quot;ip_prefix&quot;: &quot;192.0.2.1&quot;}]}</pre>', ["192.0.2.1/32"]),
        ("html", '<script>var a = {"b": 1}; x({"creationTime": "2026", "prefixes": [{"ipv4Prefix": "192.0.2.0/24"}]})</script>', ["192.0.2.0/24"]),
        ("html", '<p>"prefixes": and { no object</p>{"n": {"a": 1}, "prefixes": [{"ip_prefix": "2001:db8::/32"}]}', ["2001:db8::/32"]),
        ("html", '<code>{<b>"prefixes"</b>: []}</code>', []),
        ("geofeed", "# c\r\n192.0.2.0/24,DE,,,\r\n\r\n2001:db8::/32,US,US-CA,,\r\n", ["192.0.2.0/24", "2001:db8::/32"]),
        ("text", "<p>From 192.0.2.0/24, 198.51.100.7 and 2001:db8::/32 (12:30:45).</p>", ["192.0.2.0/24", "198.51.100.7/32", "2001:db8::/32"]),
    ],
)  # fmt: skip
def test_forms(shape, body, prefixes):
    assert list(read_feed(body.encode(), shape=shape).prefixes) == prefixes


@pytest.mark.parametrize(
    ("shape", "body", "step"),
    [
        ("json", b"", "form"),
        ("json", b"\xff", "form"),
        ("json", b"null", "form"),
        ("json", b"{}", "form"),
        ("json", b'{"prefixes": {}}', "form"),
        ("json", b'{"prefixes": null}', "form"),
        ("json", b'{"prefixes": [], "prefixes": []}', "form"),
        ("json", b'{"prefixes": [NaN]}', "entries"),
        ("json", b'{"prefixes": [' + b"9" * 5000 + b"]}", "form"),
        ("json", b"[" * 100_000, "form"),
        ("json", b'{"prefixes": ' + b"[" * 100_000, "form"),
        ("json", b'{"prefixes": ' + b'{"a":' * 50_000, "form"),
        ("json", b'{"prefixes": [' + b"{}," * 100_000 + b"{}]}", "entries"),
        ("json", b'{"prefixes": [{"ipv4Prefix": "192.0.2.0/24", "ipv4Prefix": "192.0.2.0/24"}]}', "entries"),
        ("json", b'{"prefixes": [{"ipv4Prefix": "2001:db8::/32"}]}', "entries"),
        ("json", b'{"prefixes": [{"ipv6Prefix": "192.0.2.0/24"}]}', "entries"),
        ("json", b'{"prefixes": [{"ipv4Prefix": 3221225984}]}', "entries"),
        ("json", b'{"prefixes": [{"ipv4Prefix": ["192.0.2.0/24"]}]}', "entries"),
        ("json", b'{"prefixes": [{"ipv4Prefix": "192.0.2.0/255.255.255.0"}]}', "entries"),
        ("json", b'{"prefixes": [{"ipv4Prefix": "192.0.2.0/024"}]}', "entries"),
        ("json", b'{"prefixes": [{"ipv4Prefix": "192.0.2.0/33"}]}', "entries"),
        ("json", b'{"prefixes": [{"ipv4Prefix": " 192.0.2.0/24"}]}', "entries"),
        ("json", b'{"prefixes": [{"ipv6Prefix": "fe80::1%eth0/128"}]}', "entries"),
        ("json", '{"prefixes": [{"ipv4Prefix": "١٩٢.0.2.0/24"}]}'.encode(), "entries"),
        ("json", b'{"prefixes": [{"ipv4Prefix": "0.0.0.0/0"}]}', "wide"),
        ("json", b'{"prefixes": [{"ipv4Prefix": "192.0.0.0/7"}]}', "wide"),
        ("json", b'{"prefixes": [{"ipv6Prefix": "2001::/18"}]}', "wide"),
        ("json", b'{"formatVersion": "2.0", "prefixes": []}', "version"),
        ("json", b'{"formatVersion": "10.1", "prefixes": []}', "version"),
        ("json", b'{"formatVersion": 2, "prefixes": []}', "version"),
        ("json", b'{"formatVersion": "1", "prefixes": []}', "version"),
        ("json", b"<html>Please log in</html>", "form"),
        ("html", b"<html>Please log in</html>", "form"),
        ("html", b'"prefixes":' * 100_000, "form"),
        ("html", b'{"prefixes": ' * 100_000, "form"),
        ("html", b"<" * 1_000_000, "form"),
        ("html", b'{"prefixes": [{"ip_prefix": "192.0.2.1", "ipv4Prefix": "192.0.2.1"}]}', "entries"),
        ("geofeed", b"", "form"),
        ("geofeed", b"# nothing\n", "form"),
        ("geofeed", b"<html>\n<body>\nlog in", "entries"),
        ("geofeed", b"0.0.0.0/0,DE,,,", "wide"),
        ("text", b"<p>At 12:30:45 and 1.2.3, or 1.2.3.4.5</p>", "form"),
        ("text", b"0.0.0.0/1", "wide"),
        ("json", b" " * (8 << 20) + b"{}", "size"),
    ],
    ids=str,
)  # fmt: skip
def test_lists_that_cannot_be_used(shape, body, step):
    with pytest.raises(InvalidFeed) as caught:
        read_feed(body, shape=shape)

    assert caught.value.step == step
    assert len(str(caught.value)) < 400


def test_long_list():
    feed = read([{"ipv4Prefix": f"10.{n >> 8 & 255}.{n & 255}.{n >> 16}"} for n in range(3000)])

    assert len(feed) == 3000
    assert feed.prefix_of("10.0.7.0") == "10.0.7.0/32"


def test_text_is_not_a_body():
    with pytest.raises(TypeError, match="body: expected bytes, not str"):
        read_feed("{}")


def test_unknown_shape_raises():
    with pytest.raises(InvalidArgument, match="unknown shape 'xml'"):
        read_feed(b"", shape="xml")


def test_most_specific_prefix_decides_about_the_service():
    """JAFAR: overlaps are allowed."""
    feed = read(
        [
            {**FOUR, "service": "a"},
            {"ipv4Prefix": "192.0.2.128/25", "service": "B"},
            {"ipv4Prefix": "192.0.2.200"},
        ]
    )

    assert [feed.services.get(feed.prefix_of(ip)) for ip in ("192.0.2.1", "192.0.2.129", "192.0.2.200")] == [
        "a",
        "B",
        None,
    ]


def test_date_of_the_list_is_kept_and_never_read():
    for created in ("2999-01-01T00:00:00Z", "soon", 7, None, ["x"]):
        feed = read([FOUR], creationTime=created)
        assert feed.created == (created if isinstance(created, str) else None)


@given(st.binary(max_size=200), st.sampled_from(["json", "html", "geofeed", "text"]))
def test_any_bytes_are_a_list_or_an_error(body, shape):
    found = None
    with suppress(InvalidFeed):
        found = read_feed(body, shape=shape)

    assert found is None or isinstance(found, Feed)


@given(
    st.lists(st.tuples(st.integers(0, 2**32 - 1), st.integers(8, 32)), max_size=8), st.integers(0, 2**32 - 1)
)
def test_lookup_agrees_with_the_networks(prefixes, number):
    from ipaddress import IPv4Address, IPv4Network

    networks = [IPv4Network((start, length), strict=False) for start, length in prefixes]
    address = IPv4Address(number)
    inside = [network for network in networks if address in network]
    best = max(inside, key=lambda network: network.prefixlen, default=None)

    assert Feed(map(str, networks)).most_specific(address) == (None if best is None else str(best))


URL = "https://example.com/bot.json"
OLD = [f"192.0.2.{number}" for number in range(10)]


def state(*fetches):
    """Return the state after fetches: pairs of a day and the prefixes."""
    found = FeedState(None, None)
    for day, prefixes in fetches:
        found = found.with_copy(FeedCopy(URL, Feed(prefixes), day * DAY, day * DAY))
    return found


@pytest.mark.parametrize(
    ("fetches", "size", "is_held"),
    [
        ([(0, [])], 0, False),
        ([(0, []), (1, OLD)], 10, False),
        ([(0, OLD), (1, OLD[:5])], 5, False),
        ([(0, OLD), (1, OLD[:4])], 10, True),
        ([(0, OLD), (1, [])], 10, True),
        ([(0, OLD), (1, []), (1.9, [])], 10, True),
        ([(0, OLD), (1, []), (2, [])], 0, False),
        ([(0, OLD), (1, []), (1.5, OLD), (2, [])], 10, True),
        ([(0, OLD), (1, []), (2, OLD[:1])], 10, True),
        ([(0, OLD), (1, OLD[:4]), (2, OLD[:4])], 4, False),
        ([(0, OLD), (1, ["192.0.2.0/24"])], 1, False),  # wider, so nothing is lost
        ([(0, OLD), (1, [f"198.51.100.{number}" for number in range(10)])], 10, True),
    ],
)
def test_a_list_that_lost_most_prefixes_is_held_back_for_a_day(fetches, size, is_held):
    found = state(*fetches)

    assert (len(found.copy.feed), found.held is not None) == (size, is_held)


def test_same_content_keeps_its_first_time():
    found = state((0, OLD), (1, OLD), (2, OLD)).copy

    assert (found.since, found.fetched) == (0.0, 2 * DAY)
