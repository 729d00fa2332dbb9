"""Origins, addresses of robots.txt, and the path that a URL is judged by."""

import unicodedata
from ipaddress import ip_address

import idna
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import comity
from comity.protocol.ip_address import ends_in_number
from comity.protocol.origin import path_and_query


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://example.com/shop/index.html", "https://example.com/robots.txt"),
        ("http://h:8001/x", "http://h:8001/robots.txt"),
        ("http://a:80/", "http://a/robots.txt"),
        ("https://a:443", "https://a/robots.txt"),
        ("http://a:443/", "http://a:443/robots.txt"),
        ("HTTP://EXAMPLE.com?x=1", "http://example.com/robots.txt"),
        ("https://user:secret@example.com/", "https://example.com/robots.txt"),
        ("https://a@b@example.com/", "https://example.com/robots.txt"),
        ("http://[2001:DB8::1]:8080/x", "http://[2001:db8::1]:8080/robots.txt"),
        ("http://[::1]", "http://[::1]/robots.txt"),
        ("ftp://example.com/pub/", "ftp://example.com/robots.txt"),
        ("https://bücher.example/ä", "https://xn--bcher-kva.example/robots.txt"),
        ("http://[v1.A:b]:81/", "http://[v1.a:b]:81/robots.txt"),
        ("http://[::ffff:1.2.3.4]:/", "http://[::ffff:1.2.3.4]/robots.txt"),
        ("http://a~b!c/", "http://a~b!c/robots.txt"),
        ("https://example.com.", "https://example.com./robots.txt"),
        ("https://example.com:/x", "https://example.com/robots.txt"),
        ("https://example.com#x/y", "https://example.com/robots.txt"),
        ("  https://example.com/x \n", "https://example.com/robots.txt"),
    ],
)
def test_robots_url(url, expected):
    assert comity.robots_url(url) == expected


@pytest.mark.parametrize(
    ("url", "says"),
    [
        ("example.com/shop", "has no scheme; write https://example.com/shop"),
        ("/shop", "has no scheme; write a whole URL, such as https://example.com/"),
        ("//example.com/x", "has no scheme"),
        ("", "has no scheme"),
        ("a" * 5000, "has no scheme"),
        ("mailto:" + "a" * 5000, "has no host"),
        ("mailto:x@example.com", "has no host"),
        ("data:text/plain,x", "has no host"),
        ("file:///etc/passwd", "has no host"),
        ("http://", "has no host"),
        ("http://:80/", "has no host"),
        ("http://example.com:port/", "'port' for a port"),
        ("http://example.com:65536/", "'65536' for a port"),
        ("http://bot:secret@example.com:65536/", "a port that is not a number up to 65535"),
        ("http://example.com:" + "9" * 5000, "for a port"),
        ("http://example.com:" + "0" * 5000 + "65536", "for a port"),
        ("http://example.com:00000199999999", "for a port"),
        ("http://example.com\\@evil.example/", "not valid in a host"),
        ("http://exa mple.com/", "not valid in a host"),
        ("http://a\x00b/", "not valid in a host"),
        ("http://" + "ä" * 300 + ".example/", "not a domain name"),
        ("http://a%41/", "not valid in a host"),
        ("http://a]/", "not valid in a host"),
        ("http://a[::1]/", "not valid in a host"),
        ("http://[bad/", "not an IP address in brackets"),
        ("http://[bad]/", "not an IP address in brackets"),
        ("http://[]/", "not an IP address in brackets"),
        ("http://[::1]x/", "not an IP address in brackets"),
        ("http://[::1]]/", "not an IP address in brackets"),
        ("http://[1.2.3.4]/", "not an IP address in brackets"),
        ("http://[é::1]/", "not an IP address in brackets"),
        ("http://[fe80::1%25eth0]/", "not an IP address in brackets"),
        ("http://[" + ":" * 5000 + "]/", "not an IP address in brackets"),
        ("http://[v.a]/", "not an IP address in brackets"),
        ("http://[v1.]/", "not an IP address in brackets"),
        ("http://[vg.a]/", "not an IP address in brackets"),
        ("http://[v1.é]/", "not an IP address in brackets"),
        ("http://[::1]:80:90/", "'80:90' for a port"),
    ],
)
def test_urls_without_robots_txt(url, says):
    with pytest.raises(comity.InvalidURL, match="robots.txt|write|scheme|port|host") as raised:
        comity.robots_url(url)

    assert says in str(raised.value)
    assert len(str(raised.value)) < 500
    assert isinstance(raised.value, comity.ComityError)
    assert isinstance(raised.value, ValueError)


@pytest.mark.parametrize(
    ("name", "host", "authority"),
    [
        ("straße.example", "xn--strae-oqa.example", "rfc"),
        ("STRAßE.example", "xn--strae-oqa.example", "rfc"),
        ("STRA\u1e9eE.example", "xn--strae-oqa.example", "uts46"),
        ("οδος.example", "xn--pxavbm.example", "rfc"),
        ("οδοσ.example", "xn--pxavbq.example", "rfc"),
        ("نامه\u200cای.example", "xn--mgba3gch31f060k.example", "rfc"),
        ("क्\u200dष.example", "xn--11b2ezcw70k.example", "rfc"),
        ("BÜCHER.Example", "xn--bcher-kva.example", "uts46"),
        ("bu\u0308cher.example", "xn--bcher-kva.example", "uts46"),
        ("bücher\u3002example", "xn--bcher-kva.example", "uts46"),
        ("\uff45xample.com", "example.com", "uts46"),
        ("col·lecció.example", "xn--collecci-ioa91d.example", "rfc"),
        ("é.", "xn--9ca.", "rfc"),
        ("i❤.example", "xn--i-7iq.example", "uts46"),
        ("é_.example", "xn--_-9fa.example", "comity"),
    ],
)
def test_international_names(name, host, authority):
    """RFC 5891 and UTS 46 without transition."""
    assert comity.protocol.origin.Origin.of(f"http://{name}/").host == host


@pytest.mark.parametrize(
    ("written", "host"),
    [
        ("2130706433", "127.0.0.1"),
        ("017700000001", "127.0.0.1"),
        ("0x7F000001", "127.0.0.1"),
        ("0177.0.0.1", "127.0.0.1"),
        ("127.1", "127.0.0.1"),
        ("127.0.1", "127.0.0.1"),
        ("127.0.0.1.", "127.0.0.1"),
        ("0X7f.0x1", "127.0.0.1"),
        ("\uff11\uff12\uff17.0.0.1", "127.0.0.1"),
        ("\u2460\u2461\u2466\u30020\uff0e0\uff611", "127.0.0.1"),
        ("127.0.0.0x1", "127.0.0.1"),
        ("0" * 500 + "177.0.0.1", "127.0.0.1"),
        ("0", "0.0.0.0"),
        ("0x", "0.0.0.0"),
        ("0x.0x.0", "0.0.0.0"),
        ("00.1", "0.0.0.1"),
        ("4294967295", "255.255.255.255"),
        ("[0:0::0:1]", "[::1]"),
        ("[2001:DB8:0:0:1:0:0:1]", "[2001:db8::1:0:0:1]"),
        ("[::FFFF:7f00:1]", "[::ffff:127.0.0.1]"),
        ("[::ffff:127.0.0.1]", "[::ffff:127.0.0.1]"),
        ("[::127.0.0.1]", "[::7f00:1]"),
        ("[64:ff9b::10.0.0.1]", "[64:ff9b::a00:1]"),
        ("1.example", "1.example"),
        ("127.0.0.1.example", "127.0.0.1.example"),
        ("0xg", "0xg"),
        ("1e1", "1e1"),
        ("a.0b1", "a.0b1"),
        ("1.2.3.4..", "1.2.3.4.."),
    ],
)
def test_ip_address_has_one_spelling(written, host):
    """WHATWG URL 3.5 (host parser, IPv4 parser) and RFC 5952."""
    assert comity.protocol.origin.Origin.of(f"http://{written}:80/x").host == host


@pytest.mark.parametrize(
    "written",
    ["1.2.3.4.5", "256.0.0.1", "1.256.1", "4294967296", "08.0.0.1", "h.1", "1..2", ".1", "1.0x1g.1", "h.0x"]
    + ["9" * 5000, "0x" + "f" * 5000],
)
def test_number_that_is_not_an_ip_address_raises(written):
    """WHATWG URL 3.5: a host whose last label is a number is an IPv4 address or a failure."""
    with pytest.raises(comity.InvalidURL, match="a number for a host"):
        comity.protocol.origin.Origin.of(f"http://{written}/")


@pytest.mark.parametrize(
    "name",
    [
        "h\u2100.example",  # a/c in one character
        "h\u2048.example",  # ?!
        "h\uff0fx.example",
        "h\uff20x.example",
        "h\uff1a80",
        "h\uff05x",
        "h\u2488x",  # a digit and a dot
        "h\u2026é",
        "é%20",
        "é!",
        "é=\u0338",
        "\u0301e",
        "-é",
        "é-",
        "xn--é",
        "é..example",
        "\u3002",
        "\u3002é",
        "exa\u200cmple",
        "\u200dé",
        "exa\u200dmple",
        "exa\u00admple",
        "é\u034f",
        "❤\ufe0f",
        "é\u00a0",
        "é\u202e",
        "é\x85x",
        "é\ue000",
        "é\U000e0fff",
        "é\ud800",
        "ΟΔΟΣ.example",  # one reader ends it with one sigma, one with another
        "Α.Σ",
        "é" * 64,
        ".".join("é" * 200),
        "\ufdfa" * 10,
        "é" + "\u0301\u0316" * 50_000,
    ],
    ids=ascii,
)
def test_ambiguous_host_names_raise(name):
    with pytest.raises(comity.InvalidURL, match="not a domain name|not valid in a host"):
        comity.protocol.origin.Origin.of(f"http://{name}/")


def agrees(name):
    """Compare a host with the package `idna`, both as the HTTP client uses it and by UTS 46."""
    try:
        host = comity.protocol.origin.Origin.of(f"http://{name}/").host
    except comity.InvalidURL:
        return
    assert set(host) <= set("abcdefghijklmnopqrstuvwxyz0123456789-._~!$&'()*+,;=")
    if ends_in_number(host):
        assert str(ip_address(host)) == host
        return
    if name.isascii():
        assert host == name.lower()
        return
    for written, mapping in ((name, True), (name.lower(), False)):
        try:
            expected = idna.encode(written, uts46=mapping).decode()
        except UnicodeError:
            continue
        assert host == expected


def test_characters_are_mapped_as_by_uts46():
    for character in map(chr, range(128, 0x11_0000)):
        if unicodedata.category(character) == "Cs":
            continue
        if unicodedata.normalize("NFKC", character).casefold() != character:
            agrees(f"é{character}1")


@given(
    st.text(
        st.sampled_from(
            "aZ9-._ßςΣσẞéÜİıſKא\u05d0ا\u0627क\u094d·\u0301\u0345\u200c\u200d\u3002℀①ﬃ\u1100\u1161"
        )
        | st.characters(exclude_characters="/?#@:[]", exclude_categories=["Cs"]),
        min_size=1,
        max_size=12,
    ).filter(lambda name: name.strip() == name)
)
@example("xn--bcher-kva.É")
@example("ΑΣ.Α")
def test_host_names_agree_with_idna(name):
    agrees(name)


def test_origins_are_equal_by_scheme_host_and_port():
    assert comity.protocol.origin.Origin.of("http://A/") == comity.protocol.origin.Origin.of(
        "http://a:80/x?y"
    )
    assert comity.protocol.origin.Origin.of("http://a/") != comity.protocol.origin.Origin.of("https://a/")
    assert comity.protocol.origin.Origin.of("http://a/") != comity.protocol.origin.Origin.of("http://www.a/")
    assert str(comity.protocol.origin.Origin("http", "a", 81)) == "http://a:81"


@pytest.mark.parametrize(
    ("url", "path"),
    [
        ("https://example.com/a/b?c=d#e", "/a/b?c=d"),
        ("http://example.com", "/"),
        ("http://example.com?a=/b", "/?a=/b"),
        ("http://example.com#a/b", "/"),
        ("http://example.com#?a", "/"),
        ("HTTPS://example.com/A", "/A"),
        ("http:///a", "/a"),
        ("https://u:p@h:1/a", "/a"),
        ("ftp://example.com/pub/x", "/pub/x"),
        ("//example.com/a", "/a"),
        ("/a//b", "/a//b"),
        ("http://example.com//a", "//a"),
        ("/a?u=http://b/c", "/a?u=http://b/c"),
        ("", "/"),
        ("?a=b", "/?a=b"),
        ("#a", "/"),
        (" https://example.com/a", "/a"),
        (" /a ", "/a "),
        ("/../a/./b", "/../a/./b"),
    ],
)
def test_path_and_query(url, path):
    assert path_and_query(url) == path


@pytest.mark.parametrize("url", ["mailto:x@example.com", "javascript:void(0)", "data:,x", "http:/x"])
def test_urls_without_authority_raise(url):
    with pytest.raises(comity.InvalidURL, match="has a scheme and no host"):
        comity.parse("User-agent: *\nDisallow: /").allowed(url, agent="x")


@pytest.mark.parametrize(
    ("url", "path"),
    [
        ("", "/"),
        ("a", "/"),
        ("a/b", "/b"),
        ("//a/b", "/b"),
        ("http:///a", "/a"),
        ("http://h?x/y", "/?x/y"),
        ("http://h;p/q", "/;p/q"),
        ("h;x://g/b", "/;x://g/b"),
        ("mailto:x", "/"),
        ("/a?u=http://d/", "/a?u=http://d/"),
        ("http://h#f/g", "/"),
        ("/a\0b", "/a"),
    ],
)
def test_google_accepts_any_text_as_url(url, path):
    rules = comity.parse("User-agent: *\nDisallow: /", dialect="google").rules_for("x")

    assert rules.check(url).path == path


@pytest.mark.parametrize(
    "url", [" /private", "\t/private", " https://h/private", "HTTPS://h/private\r\n", "https://h/private\n"]
)
def test_white_space_around_url_is_ignored(url):
    """But a space at the end is: it is sent as %20."""
    assert comity.parse("User-agent: *\nDisallow: /private$").allowed("https://h/private ", agent="x")
    assert not comity.parse("User-agent: *\nDisallow: /private$").allowed(url, agent="x")


@pytest.mark.parametrize(
    ("url", "closed"),
    [
        ("example.com/private/diary", True),
        ("private/diary", True),
        ("example.com/shop", False),
        ("shop", False),
        ("shop?x=/private/", False),
        ("private?x=1", False),
        ("example.com:80/private/x", True),
        ("1http://h/private/x", True),
        ("\ufeffhttps://h/private/x", True),
    ],
)
def test_ambiguous_reference_is_disallowed_if_either_reading_is(url, closed):
    """A host whose scheme was left out, or a path without its slash: doubt goes to the site."""
    robots = comity.parse("User-agent: *\nDisallow: /private/")

    assert robots.allowed(url, agent="x") is not closed
    assert robots.check(url, agent="x").allowed is not closed


def test_port_may_begin_with_zeros():
    """RFC 3986 3.2.3: a port is any number of digits."""
    assert comity.protocol.origin.Origin.of("http://example.com:" + "0" * 5000 + "80").port == 80
    assert comity.protocol.origin.Origin.of("http://example.com:000").port == 0


@pytest.mark.parametrize("url", [3, None, b"https://example.com/"])
def test_url_of_another_type_is_named(url):
    with pytest.raises(TypeError, match=f"url: expected a str, not {type(url).__name__}"):
        comity.robots_url(url)
