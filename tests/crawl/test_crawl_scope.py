"""URLs in stored form, and the scope of a crawl."""

import pytest

from comity.crawl.private_hosts import is_private
from comity.crawl.scope import Scope
from comity.crawl.urls import host_of, normalized

SITE = "http://example.com"


@pytest.mark.parametrize(
    ("url", "stored_url"),
    [
        ("http://example.com", "http://example.com/"),
        ("http://EXAMPLE.com:80/a#b", "http://example.com/a"),
        ("http://u:p@example.com/a?b#c?d", "http://example.com/a?b"),
        ("http://example.com/a/../../b/./c/..", "http://example.com/b/"),
        ("http://example.com/%2e%2E/a", "http://example.com/a"),
        ("http://example.com?a=/../b", "http://example.com/?a=/../b"),
        ("http://example.com//a", "http://example.com//a"),
        ("https://example.com:8080/", "https://example.com:8080/"),
    ],
)
def test_normalized_urls(url, stored_url):
    assert normalized(url)[1] == stored_url
    assert normalized(stored_url) == normalized(url)


@pytest.mark.parametrize("pattern", ["shop", "", "/a b", "/a#b", "/a\nDisallow: /", "/\x1b"])
def test_invalid_patterns(pattern):
    with pytest.raises(ValueError, match="invalid pattern"):
        Scope(depth=1, span_hosts=False, include=(pattern,), exclude=())


def test_skip_reasons():
    scope = Scope(depth=1, span_hosts=True, include=(), exclude=("/no$",))
    assert scope.skip_reason("http://other.example", "http://other.example/", 1) is None
    assert scope.skip_reason(SITE, f"{SITE}/no", 1) == "excluded"
    assert scope.skip_reason(SITE, f"{SITE}/no/more", 1) is None
    assert scope.skip_reason(SITE, f"{SITE}/{'a' * 9000}", 0) == "too-long"
    assert host_of("http://example.com") == host_of("https://example.com")


PRIVATE = [
    "127.0.0.1", "127.0.0.1:8080", "10.1.2.3", "169.254.169.254", "192.168.0.1", "100.64.0.1", "0.0.0.0", "127.1",
    "2130706433", "0x7f000001", "017700000001", "[::1]", "[::ffff:127.0.0.1]:80", "[fe80::1]", "[fd00::1]",
    "localhost", "localhost:80", "a.localhost", "printer.local", "db.internal", "wiki", "LOCALHOST.",
]  # fmt: skip


@pytest.mark.parametrize("host", PRIVATE)
@pytest.mark.parametrize("start", ["example.com", "127.0.0.1:8000"])
def test_links_to_private_hosts_are_skipped_unless_a_person_named_them(host, start):
    scope = Scope(depth=1, span_hosts=True, include=(), exclude=())
    scope.hosts.add(start)
    assert scope.skip_reason(f"http://{host}", f"http://{host}/", 1) == "private-host"
    assert scope.skip_reason("http://example.net", "http://example.net/", 1) is None
    scope.private_hosts.add(host)
    assert scope.skip_reason(f"http://{host}", f"http://{host}/", 1) is None


@pytest.mark.parametrize(
    "host", ["example.com", "8.8.8.8", "[2606:4700::1111]", "local.example", "1e100.net"]
)
def test_public_hosts(host):
    assert not is_private(f"https://{host}:8443")
