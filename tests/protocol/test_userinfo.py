"""A user name and password in a URL appear in no message, value or record."""

import pickle
import sys
import traceback

import pytest
from hypothesis import given
from hypothesis import strategies as st

import comity
from comity.protocol.access.redirects import BrokenRedirect, redirected
from comity.protocol.origin import Origin
from comity.protocol.userinfo import without_password

MARK = "hunter2"

CASES = [
    ("http://user:hunter2@site.example/a?b#c", "http://site.example/a?b#c"),
    ("http://hunter2@site.example", "http://site.example"),
    ("http://user:hunter2@site.example:8080/", "http://site.example:8080/"),
    ("http://a@b:hunter2@site.example/", "http://site.example/"),
    ("http://user:hunter2@[::1]:80/x", "http://[::1]:80/x"),
    ("  http://user:hunter2@site.example/", "  http://site.example/"),
    ("//user:hunter2@site.example/x", "//site.example/x"),
    ("http:/user:hunter2@site.example/x", "http:/site.example/x"),
    ("http:\\\\user:hunter2@site.example/x", "http:\\\\site.example/x"),
    ("user:hunter2@site.example/x", "site.example/x"),
    ("us_er:hunter2@site.example", "site.example"),
    # A password with characters that end the host.
    ("http://user:hunter2/x@site.example/", "http://site.example/"),
    ("http://user:a?hunter2@site.example/", "http://site.example/"),
    ("http://user:a#hunter2@site.example/", "http://site.example/"),
    ("user:hunter2/x@site.example/", "site.example/"),
    # Signs that are written for the at sign.
    ("http://user:hunter2\N{FULLWIDTH COMMERCIAL AT}site.example/", "http://site.example/"),
    ("http://user:hunter2\N{SMALL COMMERCIAL AT}site.example:80", "http://site.example:80"),
    ("http://user:hun@ter2\N{FULLWIDTH COMMERCIAL AT}site.example/", "http://site.example/"),
    ("user:hunter2\N{FULLWIDTH COMMERCIAL AT}site.example/b", "site.example/b"),
    ("http://user:hunter2%40site.example/", "http://site.example/"),
    ("http://user:hunter2/%40site.example/", "http://site.example/"),
    ("http://user%40corp.example:hunter2@site.example/", "http://site.example/"),
]

#: Texts with an @ that follows no password.
UNCHANGED = [
    "http://site.example/@b",
    "http://site.example:8080/@b",
    "http://[::1]:80/@b",
    "http://site.example/?mail=a@b",
    "http://site.example/%40b",
    "http://site.example/\N{FULLWIDTH COMMERCIAL AT}b",
    "/a:b@c",
    "a/b:c@d",
    "site.example:8080/@b",
    "mailto:bot@site.example",
    "bot@site.example",
    "",
]


@pytest.mark.parametrize(("url", "shown"), CASES)
def test_user_name_and_password_are_removed(url, shown):
    assert without_password(url) == shown


@pytest.mark.parametrize("url", UNCHANGED)
def test_other_signs_remain(url):
    assert without_password(url) == url


HOSTS = st.sampled_from(
    ["site.example", "[::1]", "site.example:80", "b\u00fccher.example", "a_b", "[x", "", "h:x", "h h", "h%41"]
)
URLS = st.builds(
    lambda scheme, user, before, after, host, path: f"{scheme}{user}:{before}{MARK}{after}@{host}{path}",
    st.sampled_from(["http://", "https://", "HTTP://", " http://", "ftp://", "http:/", "//", ""]),
    st.text("abc_-%20", min_size=1, max_size=5),
    st.sampled_from(["", "a", "%40", ":", "!$&'()*+,;=", "\u00e9", " "]),
    st.sampled_from(["", "a", "/", "?", "#", "@", ":", '"', "/x?y"]),
    HOSTS,
    st.sampled_from(["", "/", "/private/x", "?a=b", "/@b"]),
)  # fmt: skip

ROBOTS = "User-agent: *\nDisallow: /private\nContent-Usage: train-ai=n\n"


def everything_about(url):
    """Yield texts from each function that takes a URL: results, records, messages and tracebacks."""
    is_absolute = "://" in url
    access = comity.Fetch("http://site.example/")
    access.receive(404, [], now=0.0)
    robots = comity.parse(ROBOTS)
    questions = [
        lambda: Origin.of(url),
        lambda: comity.robots_url(url),
        lambda: comity.Fetch(url).request,
        lambda: access.access.check(url, agent="ABot"),
        lambda: robots.check(url, agent="ABot"),
        lambda: comity.usage(url, agent="ABot"),
        lambda: robots.rules_for("ABot").usage(url),
        lambda: comity.page_directives(html="<a href=x>", agent="ABot", url=url),
        lambda: comity.page_directives(html="<a href=x>", agent="ABot", url=url).links,
        lambda: comity.errors.Disallowed(url, robots.check("/private", agent="ABot")),
        lambda: comity.errors.MustWait(url, 1.0, "a pause", None),
        lambda: comity.errors.UsageDisallowed(url, "search", robots.rules_for("ABot").usage("/"), "why"),
        lambda: redirected("http://site.example/", url),
    ]
    for question in questions:
        try:
            found = question()
        except (comity.InvalidURL, BrokenRedirect):
            yield traceback.format_exception_only(*sys.exc_info()[:2])[0]
            continue
        if not is_absolute and not isinstance(found, comity.ComityError):
            continue  # a relative reference is a path
        yield f"{found!r} {found}"
        if isinstance(found, comity.ComityError):
            yield f"{found.url} {pickle.loads(pickle.dumps(found))}"
        if hasattr(found, "record"):
            yield str(found.record())
        if isinstance(found, comity.Verdict):
            yield found.explain()


@given(URLS)
def test_no_value_or_message_shows_a_password(url):
    for text in everything_about(url):
        assert MARK not in text
