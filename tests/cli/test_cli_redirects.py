"""The redirects that commands follow."""

import pytest

from comity.desk.site_client import RedirectChain
from comity.errors import SiteUnavailable


@pytest.mark.parametrize(
    ("url", "location", "target"),
    [
        ("http://example.com/a/b?c", "d", "http://example.com/a/d"),
        ("http://u:p@Example.com:80/a/b#c", "../d?e", "http://example.com/d?e"),
        ("http://example.com", "d", "http://example.com/d"),
        ("https://example.com/a", "//example.org/b#c", "https://example.org/b"),
        ("https://example.com/a", "http://example.com/a", "http://example.com/a"),
    ],
)
@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_redirect_target(url, location, target, status):
    chain = RedirectChain(url)

    assert chain.follow(status, [("content-type", "text/html"), ("Location", location)])
    assert chain.urls == [url, target]


@pytest.mark.parametrize(("status", "headers"), [(200, [("location", "/a")]), (301, []), (304, [])])
def test_other_response_is_not_followed(status, headers):
    chain = RedirectChain("http://example.com/")

    assert not chain.follow(status, headers)


@pytest.mark.parametrize(
    "location", ["", "http://[/", "ftp://example.com/", "http://u:p@example.com/", "/b\0"]
)
def test_broken_redirect_is_reported(location):
    with pytest.raises(SiteUnavailable, match=r"^http://example\.com/a: redirected, but it"):
        RedirectChain("http://example.com/a").follow(302, [("location", location)])


def test_loop_is_reported():
    chain = RedirectChain("http://example.com/a")
    chain.follow(302, [("location", "/b")])

    with pytest.raises(SiteUnavailable, match=r"^http://example\.com/b: redirect loop$"):
        chain.follow(302, [("location", "/a")])


def test_at_most_ten_redirects_are_followed():
    chain = RedirectChain("http://example.com/0")
    for number in range(1, 11):
        chain.follow(302, [("location", f"/{number}")])

    with pytest.raises(SiteUnavailable, match=r"^http://example\.com/0: more than 10 redirects$"):
        chain.follow(302, [("location", "/11")])
