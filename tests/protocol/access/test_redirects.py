"""Redirects of a robots.txt: RFC 9309 2.3.1.2, and hostile Locations."""

import pytest
from fetch_driver import RULES, URL, drive, redirect, response
from hypothesis import given
from hypothesis import strategies as st

import comity
from comity.protocol.access.fetch import Fetch
from comity.protocol.access.outcome import Cause, Outcome
from comity.protocol.access.redirects import BrokenRedirect, redirected


def test_rules_apply_to_the_origin_requested_first():
    access = drive(
        redirect("https://b.example/robots.txt"), response(200, body=RULES), url="http://a.example/x"
    )

    assert access.origin == "http://a.example"
    assert access.url == "https://b.example/robots.txt"
    assert access.hops == (("http://a.example/robots.txt", 301),)
    assert not access.allowed("http://a.example/closed", agent="x")
    with pytest.raises(comity.InvalidURL):
        access.allowed("https://b.example/closed", agent="x")


def test_five_redirect_statuses_in_a_row():
    hops = [redirect(f"/{status}", status) for status in (301, 302, 307, 301, 308)]
    hops[3] = redirect("/again", 301)
    access = drive(*hops, response(200, body=RULES))

    assert [status for _, status in access.hops] == [301, 302, 307, 301, 308]
    assert access.outcome is Outcome.RULES


@pytest.mark.parametrize(
    ("location", "url"),
    [
        ("/x", "https://example.com/x"),
        ("x", "https://example.com/x"),
        ("./x", "https://example.com/x"),
        ("../../x", "https://example.com/x"),
        ("a/../b/.", "https://example.com/b/"),
        ("a/..", "https://example.com/"),
        ("?x=1", "https://example.com/robots.txt?x=1"),
        ("x?a/../b#c", "https://example.com/x?a/../b"),
        ("//b.example/x", "https://b.example/x"),
        ("http://B.example:80", "http://b.example/"),
        ("HTTPS://b.example:8443/x y", "https://b.example:8443/x%20y"),
        ("https://b.example/é", "https://b.example/%C3%A9"),
        ("https://bücher.example/", "https://xn--bcher-kva.example/"),
        ("https://b.example/%zz[", "https://b.example/%zz%5B"),
        ("https://b.example/x\\..\\y?q=\\", "https://b.example/y?q=%5C"),  # WHATWG URL 4.4
        ("\\en\\x", "https://example.com/en/x"),
        ("\\\\b.example\\x", "https://b.example/x"),
        ("https://b.example//x", "https://b.example//x"),
        ("  /x\t", "https://example.com/x"),
        ("/x:y", "https://example.com/x:y"),
    ],
)
def test_location(location, url):
    fetch = Fetch(URL)
    fetch.receive(302, [("lOCATION", location.encode())], now=0.0)

    assert fetch.request.url == url


@pytest.mark.parametrize(
    "location",
    [
        "",
        " ",
        "#x",
        "http:x",
        "http:/x",
        "https://",
        "//",
        "http://a b/",
        "http://a:x/",
        "http://a:99999/",
        "data:,x",
    ]
    + [
        "javascript:x",
        "https://u@b/",
        "/\r\nSet-Cookie: x",
        "/\0",
        "https://[::1",
        "http://b.example:" + "0" * 8000,
        "http://b.example:" + "9" * 8000,
        "x" * 9000,
        "https://a\\b/",
        "https:\\\\b.example\\x",
        "ws://b/",
    ],
)
def test_location_that_cannot_be_followed(location):
    access = drive(response(302)[:1] + ((("Location", location),), []))

    assert access.cause in (Cause.BROKEN_REDIRECT, Cause.REDIRECT_LOOP)


def test_location_decoded_as_latin_1_by_the_client():
    fetch = Fetch(URL)
    fetch.receive(302, [("Location", "/é".encode().decode("latin-1"))], now=0.0)
    assert fetch.request.url == "https://example.com/%C3%A9"
    fetch.receive(302, [("Location", b"/\xe8")], now=0.0)
    assert fetch.request.url == "https://example.com/%C3%A8"


def test_conditions_are_sent_only_to_the_url_of_the_copy():
    known = drive(redirect("/real.txt"), response(200, 'ETag: "1"', body=RULES))
    fetch = Fetch(URL, known=known)
    assert "If-None-Match" not in dict(fetch.request.headers)
    fetch.receive(301, [("Location", "/real.txt")], now=9.0)
    assert dict(fetch.request.headers)["If-None-Match"] == '"1"'
    fetch.receive(304, [], now=9.0)

    assert fetch.access.body == RULES
    assert fetch.access.hops == ((URL, 301),)


_pieces = st.sampled_from(
    [
        "http",
        "https",
        "ftp",
        ":",
        "//",
        "/",
        "..",
        ".",
        "a",
        "b.example",
        ":80",
        "?",
        "#",
        "%",
        " ",
        "@",
        "é",
        "\\",
        "[",
        "]",
    ]
)


@given(st.lists(_pieces, max_size=9).map("".join) | st.text(max_size=40))
def test_any_location_is_a_url_or_broken(location):
    try:
        url = redirected("https://example.com/a/robots.txt", location)
    except BrokenRedirect:
        return

    assert url.startswith(("http://", "https://"))
    assert url.isascii()
    assert url.isprintable()
    assert not set(url) & set(' #"<>\\^`{|}')
    assert comity.protocol.origin.Origin.of(url)
    assert redirected("https://example.com/", url) == url
