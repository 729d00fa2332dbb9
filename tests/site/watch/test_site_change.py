"""What a change of a live robots.txt means: tables of the earlier and the new answer."""

import json

import pytest

from comity.protocol.access import Fetch
from comity.site.watch.site_change import ChangeReason, site_change

URL = "https://example.com/robots.txt"
TEXT = [("Content-Type", "text/plain")]
RULES = b"User-agent: *\nDisallow: /cart\n"


def answered(body=RULES, status=200, *, known=None, hops=(), now=100.0):
    """Return the answer of a server; `body` may be a failure."""
    fetch = Fetch(URL, known=known)
    for target in hops:
        fetch.receive(301, [("Location", target)], now=now)
    if fetch.receive(status, TEXT, now=now):
        fetch.data(body)
        fetch.finish(now=now)
    return fetch.access


def looped():
    fetch = Fetch(URL)
    fetch.receive(301, [("Location", URL)], now=100.0)
    return fetch.access


NONE = answered(status=404)
DOWN = answered(status=503)
OTHER = ["https://www.example.com/robots.txt"]


@pytest.mark.parametrize(("before", "after", "codes", "headline"), [
    (None, answered(), ["first"], "this is the first answer that is stored"),
    (None, answered(b"<html>"), ["not-text", "first"],
     "the server sends a web page or binary data as its robots.txt"),
    (None, answered(b"User-agent: *\nDisallow: /"), ["site-closed", "first"],
     "the first answer closes the whole site to all robots"),
    (None, answered(RULES + b"User-agent: bingbot\nDisallow: /"), ["site-closed", "first"],
     "the first answer closes the whole site to bingbot"),
    (None, answered(RULES + b"User-agent: GPTBot\nDisallow: /"), ["first"],
     "this is the first answer that is stored"),
    (None, NONE, ["first"], "this is the first answer that is stored"),
    (None, answered(status=401), ["unavailable", "first"],
     "the server does not send its robots.txt, so everything is allowed: "
     "the server refuses to send its robots.txt"),
    (None, looped(), ["unavailable", "first"],
     "the server does not send its robots.txt, so everything is allowed: "
     "the redirects of the robots.txt form a loop"),
    (None, DOWN, ["unreachable"],
     "the robots.txt is unreachable: the server answers a request for its robots.txt with a server error"),
    (answered(), answered(b"User-agent: *\nDisallow: /"), ["site-closed"], "closes the whole site to all robots"),
    (answered(), answered(RULES + b"User-agent: Googlebot\nDisallow: /"), ["site-closed"],
     "closes the whole site to Googlebot, as Google reads it"),
    (answered(), answered(RULES + b"User-agent: GPTBot\nDisallow: /"), ["rules-changed"],
     "the rules changed for GPTBot"),
    (answered(b"User-agent: *\nDisallow: /"), answered(b"User-agent: *\nDisallow:"), ["site-opened"],
     "opens the whole site to all robots"),
    (answered(b"User-agent: *\nDisallow: /"), answered(b"User-agent: *\nDisallow: /\nAllow: /a"),
     ["rules-changed"], "the rules changed for all robots"),
    (answered(), answered(RULES + b"Sitemap: https://example.com/s.xml"), ["rules-changed"],
     "the fields of the whole file changed: Sitemap"),
    (answered(), answered(b"# new\n" + RULES), ["bytes-changed"], "the bytes changed, and the meaning did not"),
    (answered(), answered(b"User-agent: *\nDisallow: /cart\nDisallow: /cart/x\n"), ["bytes-changed"],
     "the bytes changed, and the meaning did not"),
    (answered(), NONE, ["gone"], "robots.txt was removed, so everything is allowed"),
    (answered(), answered(status=403), ["unavailable"],
     "the server does not send its robots.txt, so everything is allowed: "
     "the server refuses to send its robots.txt"),
    (answered(), looped(), ["unavailable"],
     "the server does not send its robots.txt, so everything is allowed: "
     "the redirects of the robots.txt form a loop"),
    (answered(b""), NONE, ["gone"], "robots.txt was removed, so everything is allowed"),
    (NONE, answered(), ["created"], "robots.txt was added"),
    (NONE, answered(b"User-agent: *\nDisallow: /"), ["site-closed", "created"],
     "closes the whole site to all robots"),
    (NONE, answered(status=403), ["answer-changed"], "the answer changed, and the meaning did not"),
    (answered(), DOWN, ["unreachable"],
     "the robots.txt is unreachable: the server answers a request for its robots.txt with a server error"),
    (answered(), answered(b"<!doctype html><p>sorry"), ["not-text", "rules-changed"],
     "the server sends a web page or binary data as its robots.txt"),
    (answered(), answered(hops=OTHER), ["redirected"],
     "the robots.txt now comes from https://www.example.com/robots.txt"),
    (answered(), answered(b"User-agent: *\nDisallow: /b", hops=OTHER), ["rules-changed", "redirected"],
     "the rules changed for all robots"),
    (answered(), answered(RULES + b"#" * 600_000), ["too-long"],
     "the robots.txt is too long, so that its end is not read"),
])  # fmt: skip
def test_reasons_and_headline(before, after, codes, headline):
    change = site_change(before, after)

    assert ([reason.code for reason in change.reasons], change.headline) == (codes, headline)
    assert change.explain().startswith(f"https://example.com: {headline}")
    assert change.quiet is (set(codes) <= {"first", "bytes-changed", "answer-changed"})
    record = json.loads(json.dumps(change.record()))
    assert (record["reasons"], record["origin"], record["time"]) == (
        codes,
        "https://example.com",
        "1970-01-01T00:01:40Z",
    )


def test_after_a_failure_the_last_answer_of_the_server_is_compared():
    same = site_change(DOWN, answered(), known=answered())
    other = site_change(DOWN, answered(b"User-agent: *\nDisallow: /"), known=answered())
    unknown = site_change(DOWN, answered())

    assert [reason.code for reason in same.reasons] == ["reachable"]
    assert [reason.code for reason in other.reasons] == ["site-closed", "reachable"]
    assert [reason.code for reason in unknown.reasons] == ["reachable"]
    assert not same.quiet


def test_without_the_earlier_body_the_change_is_not_known():
    change = site_change(answered(), answered(b"x: y"), is_stored=False)

    assert change.reasons == (ChangeReason.NOT_COMPARED,)
    assert (change.diff, change.quiet) == (None, False)


def test_urls_are_counted():
    urls = ["https://example.com/a", "https://example.com/b"]
    change = site_change(answered(), answered(b"User-agent: *\nDisallow: /a"), urls=urls)

    assert "closes 1 of 2 URLs to all robots, opens 0" in change.explain()


def test_agents_choose_the_robots():
    change = site_change(answered(), answered(RULES + b"User-agent: A\nDisallow: /"), agents=["B"])

    assert change.quiet


def test_explanation_is_short_and_printable():
    many = b"User-agent: *\n" + b"".join(b"Disallow: /\x1b%d/$\n" % (1000 + n) for n in range(500))
    text = site_change(answered(b""), answered(many)).explain()

    assert len(text.split("\n")) == 102
    assert "\x1b" not in text
    assert text.endswith("more lines")
