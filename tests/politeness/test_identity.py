"""The name that a robot must have: its own, in the User-Agent header, and one word.

Authority: RFC 9309 2.2.1 (the product token is part of the User-Agent header).
"""

import re

import httpx2
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import comity
from comity.errors import InvalidArgument
from comity.politeness.identity import names_of_robot
from comity.testing import FakeSite

BROWSER = "the header of a browser"
NAME = "the name of a browser or system"
SPACE = "a name has no spaces"
SIGN = "a name has letters, digits, '-', '_' and '.'"
EMPTY = "expected a name, such as ExampleBot"
ASCII = "expected printable ASCII"

WEBKIT = "AppleWebKit/537.36 (KHTML, like Gecko)"

REFUSED = [
    ("Mozilla/5.0", BROWSER),
    ("Mozilla", BROWSER),
    ("  mOZILLA/4.0  ", BROWSER),
    ("Chrome", BROWSER),
    ("Safari/605.1.15", BROWSER),
    ("Gecko/20100101", BROWSER),
    ("HeadlessChrome/120.0", BROWSER),
    ("Opera/9.80 (Windows NT 6.1; U; en) Presto/2.8.131 Version/11.11", BROWSER),
    (f"Mozilla/5.0 (X11; Linux x86_64) {WEBKIT} Chrome/120.0 Safari/537.36", BROWSER),
    (f"Mozilla/5.0 (X11; Linux x86_64) {WEBKIT} Chrome/120.0 Safari/537.36 Edg/120.0", BROWSER),
    (f"Mozilla/5.0 (X11; Linux x86_64) {WEBKIT} Chrome/120.0 Safari/537.36 Vivaldi/6.5", BROWSER),
    (f"Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X) {WEBKIT} Version/17.0 Mobile/15E148", BROWSER),
    ("Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:121.0) Gecko/20100101 Firefox/121.0", BROWSER),
    ("Mozilla/4.0 (compatible; MSIE 8.0; Windows NT 6.1; Trident/4.0)", BROWSER),
    ("Mozilla/5.0 (X11; Linux x86_64) Unknown/1.0", BROWSER),
    ("Mozilla/5.0 (Acme/1.0)", BROWSER),
    ("Mozilla/5.0 (http://example.com/; Chrome/1)", BROWSER),
    ("Mozilla/4.0 (compatible; Windows NT 6.1)", NAME),
    ("Mozilla/5.0 (compatible; Konqueror/4.5; Linux) KHTML/4.5.4", NAME),
    ("Mozilla/5.0 (X11; Linux x86_64; +https://example.com/) Chrome/120.0", NAME),
    (f"Mozilla/5.0 (Linux; Android 10; CUBOT X30) {WEBKIT} Chrome/99 Mobile Safari/537.36", NAME),
    (f"Mozilla/5.0 (Linux; Android 10; CUBOT_P40) {WEBKIT} Chrome/99 Mobile Safari/537.36", NAME),
    ("Lynx/2.9.0", NAME),
    ("EdgA/120.0", NAME),
    ("Servo/1.0", NAME),
    ("Mozilla5.0", NAME),
    ("Mozilla-5.0", NAME),
    ("My Bot", SPACE),
    ("My  Bot/1.0", SPACE),
    ("My Bot (+https://example.com/bot)", SPACE),
    ("Mozilla/5.0 (compatible; My Bot/1.0; +https://example.com/bot)", SPACE),
    ("*", SIGN),
    ("ExampleBot*", SIGN),
    ("Ex@mple/1.0", SIGN),
    ("ExampleBot:1.0", SIGN),
    ("-", SIGN),
    ("1/1.0", SIGN),
    ("", EMPTY),
    (" ", EMPTY),
    ("/1.0", EMPTY),
    ("*/1", EMPTY),
    ("(+https://example.com/)", EMPTY),
    ("M\N{CYRILLIC SMALL LETTER O}zilla/5.0", ASCII),
    ("Mozilla\N{ZERO WIDTH SPACE}/5.0", ASCII),
    ("\N{FULLWIDTH LATIN CAPITAL LETTER E}xample", ASCII),
    ("Example\tBot", ASCII),
    ("ExampleBot/1.0\r\nHost: example.com", ASCII),
    ("ExampleBot\x00", ASCII),
    ("A" * 1025, "1,025 characters; expected at most 1,024"),
    ("A" * 1_000_000, "1,000,000 characters; expected at most 1,024"),
]

ACCEPTED = {
    "ExampleBot": "ExampleBot",
    "ExampleBot/1.0": "ExampleBot",
    "ExampleBot 1.0": "ExampleBot",
    "ExampleBot/1.0 libwww-perl/6.05": "ExampleBot",
    "ExampleBot (+https://example.com/bot)": "ExampleBot",
    "ExampleBot https://example.com/bot": "ExampleBot",
    "ExampleBot bot@example.com": "ExampleBot",
    "ExampleBot/1.0 (Mozilla/5.0 compatible)": "ExampleBot",
    "Mozilla/5.0 (compatible; ExampleBot/1.0; +https://example.com/bot)": "ExampleBot",
    f"Mozilla/5.0 {WEBKIT[:-1]}; compatible; ExampleBot/1.0; +https://example.com) Chrome/1": "ExampleBot",
    "Mozilla/5.0 (Macintosh) Safari/605.1.15 (Acme/0.1; +https://example.com/)": "Acme",
    "Mozilla/5.0 (X11) examplebot/1.0": "examplebot",
    "my_project (+http://www.example.com)": "my_project",
    "MJ12bot/v1.4.8": "MJ12bot",
    "panscient.com": "panscient.com",
    "Chrome-Lighthouse": "Chrome-Lighthouse",
    # Tools are no browsers, and robots.txt files have groups for them.
    "Wget/1.21": "Wget",
    "curl/8.0": "curl",
    "python-requests/2.31": "python-requests",
}


@pytest.mark.parametrize(("header", "problem"), REFUSED, ids=lambda text: ascii(text[:40]))
def test_header_that_names_no_robot_is_refused(header, problem):
    with pytest.raises(InvalidArgument, match=re.escape(problem)) as caught:
        names_of_robot(header)
    assert caught.value.name == "user_agent"
    assert len(str(caught.value)) < 400


@pytest.mark.parametrize(("header", "name"), ACCEPTED.items(), ids=lambda text: text[:40])
def test_header_that_names_a_robot_is_accepted(header, name):
    assert names_of_robot(header) == (name,)


@pytest.mark.parametrize(
    ("header", "agent", "problem"),
    [
        ("ExampleBot/1.0", "*", SIGN),
        ("ExampleBot/1.0", "", EMPTY),
        ("ExampleBot/1.0", (), EMPTY),
        ("ExampleBot/1.0", ("ExampleBot", ""), EMPTY),
        ("ExampleBot/1.0 Chrome/1", "Chrome", NAME),
        ("ExampleBot/1.0", ("ExampleBot", "Mozilla/5.0"), NAME),
        ("My Bot/1.0", "My Bot", SPACE),
        ("Mozilla/5.0 Firefox/121.0", "ExampleBot", "expected a product of the User-Agent"),
        ("kangaroo/1.0", "\N{KELVIN SIGN}angaroo", SIGN),
        ("ExampleBot/1.0", [3], "expected a str"),
    ],
)
def test_agent_that_is_not_the_name_of_the_robot_is_refused(header, agent, problem):
    with pytest.raises(InvalidArgument, match=re.escape(problem)) as caught:
        names_of_robot(header, agent)
    assert caught.value.name == "agent"


def test_agent_replaces_the_name_of_the_header():
    assert names_of_robot("Mozilla/5.0 (Acme/1.0)", "Acme") == ("Acme",)
    assert names_of_robot("News/1.0", ("News", "ExampleBot")) == ("News", "ExampleBot")


@settings(max_examples=60)
@given(st.text(max_size=20) | st.text(st.sampled_from("Bot/1.0 (;,)*Mozilla"), max_size=20))
def test_accepted_names_are_tokens_of_the_header(header):
    try:
        (name,) = names_of_robot(header)
    except InvalidArgument:
        return
    assert re.fullmatch(r"[A-Za-z0-9._-]+", name)
    assert name in header


@pytest.mark.parametrize(
    "made",
    [
        lambda name: comity.Robot(name, contact="bot@example.com"),
        lambda name: comity.AsyncRobot(name, contact="bot@example.com"),
        lambda name: comity.RobotsTransport(FakeSite(), name, contact="bot@example.com"),
        lambda name: comity.AsyncRobotsTransport(FakeSite(), name, contact="https://example.com/bot"),
    ],
)
@pytest.mark.parametrize("name", ["Mozilla/5.0", "My Bot", "*", ""])
def test_every_client_needs_a_name_of_its_own(made, name):
    with pytest.raises(comity.InvalidArgument, match="invalid user_agent"):
        made(name)


@pytest.mark.parametrize(
    ("header", "agent"),
    [
        ("ExampleBot/1.0", "e"),
        ("ExampleBot/1.0", "Example"),
        ("ExampleBot/1.0", "bot"),
        ("ExampleBot/1.0 (+https://example.com/tea)", "tea"),
        ("ExampleBot/1.0 (+https://example.com/tea)", "example.com"),
        ("ExampleBot/1.0 (bot@tea.example)", "tea.example"),
        ("ExampleBot/1.0", "1.0a"),
        ("ExampleBot/1.0", ["e", "ExampleBot"]),
        ("Example-Bot/1.0", "Bot"),
    ],
)
def test_agent_is_a_whole_product_of_the_header(header, agent):
    with pytest.raises(InvalidArgument, match="expected a product of the User-Agent header"):
        names_of_robot(header, agent)


@pytest.mark.parametrize("agent", ["NewsBot", "newsbot", "ExampleBot"])
def test_agent_may_be_any_product_of_the_header(agent):
    assert names_of_robot("ExampleBot/1.0 (compatible; NewsBot/2.0)", agent) == (agent,)


@pytest.mark.parametrize(
    ("robots", "path", "allowed"),
    [
        ("User-agent: ExampleBot\nDisallow: /\n\nUser-agent: NewsBot\nAllow: /", "/x", False),
        ("User-agent: ExampleBot\nAllow: /\n\nUser-agent: NewsBot\nDisallow: /", "/x", False),
        ("User-agent: ExampleBot\nDisallow: /x", "/x", False),
        ("User-agent: ExampleBot\nDisallow: /x", "/y", True),
        ("User-agent: *\nDisallow: /x\n\nUser-agent: NewsBot\nAllow: /", "/x", True),
    ],
)
@pytest.mark.parametrize("agent", ["NewsBot", ["NewsBot", "ExampleBot"]])
def test_group_for_the_token_of_the_header_counts_too(robots, path, allowed, agent):
    site = FakeSite({"*": "page"}, robots=robots)
    options = {"contact": "bot@example.com", "transport": site, "clock": site.clock}
    with comity.Robot("ExampleBot/1.0 NewsBot/2.0", agent=agent, **options) as robot:
        assert robot.allowed(f"https://example.com{path}") is allowed
        assert robot.check(f"https://example.com{path}").allowed is allowed


def test_delay_for_the_token_of_the_header_counts_too():
    site = FakeSite(robots="User-agent: ExampleBot\nCrawl-delay: 9\n\nUser-agent: NewsBot\nCrawl-delay: 2")
    options = {"contact": "bot@example.com", "transport": site, "clock": site.clock, "agent": "NewsBot"}
    with comity.Robot("ExampleBot/1.0 NewsBot/2.0", **options) as robot:
        robot.get("https://example.com/")
        assert site.clock.slept == [9.0]


@pytest.mark.parametrize(
    ("robots", "header", "allowed"),
    [
        ("User-agent: ExampleBot\nContent-Usage: train-ai=n\n\nUser-agent: NewsBot\nAllow: /", None, False),
        ("User-agent: ExampleBot\nContent-Signal: ai-train=no\n\nUser-agent: NewsBot\nAllow: /", None, False),
        ("User-agent: ExampleBot\nContent-Usage: train-ai=n\n", None, False),
        ("User-agent: ExampleBot\nAllow: /\n\nUser-agent: NewsBot\nContent-Usage: train-ai=n", None, False),
        ("User-agent: *\nContent-Usage: train-ai=n\n\nUser-agent: NewsBot\nAllow: /", None, True),
        ("User-agent: *\nContent-Usage: train-ai=n", None, False),
        ("", "examplebot: noai", False),
        ("", "newsbot: noai", False),
        ("", "otherbot: noai", True),
    ],
)
def test_preferences_for_the_token_of_the_header_count_too(robots, header, allowed):
    headers = {} if header is None else {"X-Robots-Tag": header}
    site = FakeSite({"/x": httpx2.Response(200, headers=headers)}, robots=robots)
    options = {"contact": "bot@example.com", "transport": site, "clock": site.clock, "agent": "NewsBot"}
    with comity.Robot("ExampleBot/1.0 NewsBot/2.0", respect="train-ai", **options) as robot:
        if allowed:
            assert robot.page("https://example.com/x").usage.permits("train-ai")
        else:
            with pytest.raises(comity.UsageDisallowed):
                robot.get("https://example.com/x")
    with comity.Robot("ExampleBot/1.0 NewsBot/2.0", **options) as robot:
        assert robot.page("https://example.com/x").usage.permits("train-ai") is allowed
