"""The stored copies of lists of addresses, and their refresh with responses of a table."""

import json

import pytest

from comity.agents import FeedResponse, FeedStore, refresh_feed
from comity.errors import InvalidArgument, InvalidFeed, StoreUnavailable
from comity.files import private_files

DAY = 86_400.0
URL = "https://example.com/bot.json"


def body(*prefixes, **members):
    return json.dumps({"prefixes": [{"ipv4Prefix": prefix} for prefix in prefixes], **members}).encode()


GOOD = FeedResponse(200, {"ETag": '"1"'}, body("192.0.2.0/24"))


class Site:
    """Answers with one response, and records the header fields of the requests."""

    def __init__(self, response=GOOD):
        self.response = response
        self.requests = []

    def fetch(self, url, headers):
        self.requests.append(dict(headers))
        if isinstance(self.response, Exception):
            raise self.response
        return self.response


@pytest.fixture
def store(tmp_path):
    return FeedStore(tmp_path)


def test_refresh_is_seldom_and_conditional(store):
    site = Site()
    results = []
    for now in (0.0, 1800.0, 3700.0):
        results.append(refresh_feed(URL, store, site.fetch, now=now).result)
        site.response = FeedResponse(304, [], b"")

    assert results == ["fetched", "not-due", "unchanged"]
    assert site.requests == [{}, {"If-None-Match": '"1"'}]
    assert [copy.fetched for copy in FeedStore(store.folder)[URL]] == [3700.0]


@pytest.mark.parametrize(
    ("headers", "wait"),
    [
        ({}, 3600.0),
        ({"Retry-After": "7200"}, 7200.0),
        ({"Cache-Control": "max-age=60"}, 3600.0),
        ({"Cache-Control": "max-age=40000"}, 40_000.0),
        ({"Cache-Control": "max-age=4000000"}, DAY),
    ],
)
def test_server_decides_when_the_list_is_due(store, headers, wait):
    found = refresh_feed(URL, store, Site(GOOD._replace(headers=headers)).fetch, now=0.0)

    assert found.stored.not_before == wait


@pytest.mark.parametrize(
    ("response", "code"),
    [
        (GOOD._replace(status=503), "feed-error"),
        (GOOD._replace(status=404), "feed-error"),
        (GOOD._replace(body=b"<html>log in</html>"), "feed-error"),
        (GOOD._replace(body=b'{"error": "x"}'), "feed-error"),
        (GOOD._replace(body=body("0.0.0.0/0")), "feed-error"),
        (GOOD._replace(body=b" " * (8 << 20) + b"  "), "feed-error"),
        (InvalidFeed("no connection", step="fetch"), "feed-error"),
        (GOOD._replace(body=body("198.51.100.0/24", formatVersion="2.0")), "feed-version"),
        (GOOD._replace(body=body()), "feed-held"),
        (GOOD._replace(body=body("198.51.100.0/24")), "feed-held"),
    ],
    ids=range(10),
)
def test_bad_response_leaves_the_good_copy(store, response, code):
    refresh_feed(URL, store, Site().fetch, now=0.0)
    before = store[URL]
    found = refresh_feed(URL, store, Site(response).fetch, now=DAY)

    assert [problem.code for problem in found.findings] == [code]
    assert found.result == ("held" if code == "feed-held" else "failed")
    assert FeedStore(store.folder)[URL] == before


@pytest.mark.parametrize(
    ("redirects", "moved"),
    [
        ((), False),
        (((302, "https://example.com/new.json"),), False),
        (((301, "https://example.com/new.json"),), True),
        (((302, "https://a.example/new.json"),), True),
        (((302, "https://a.example/"), (302, "https://example.com/new.json")), False),
    ],
)
def test_moved_list_is_reported(store, redirects, moved):
    found = refresh_feed(URL, store, Site(GOOD._replace(redirects=redirects)).fetch, now=0.0)

    assert found.result == "fetched"
    assert [problem.code for problem in found.findings] == ["feed-moved"] * moved


def test_list_is_not_fetched_without_https(store):
    site = Site()
    found = refresh_feed("http://example.com/bot.json", store, site.fetch, now=0.0)

    assert (found.result, site.requests) == ("failed", [])
    assert found.findings[0].message == "http://example.com/bot.json: it is not an https URL"


def test_wrong_argument_is_an_error(store):
    with pytest.raises(InvalidArgument, match="unknown shape 'xml'"):
        refresh_feed(URL, store, Site().fetch, shape="xml", now=0.0)
    with pytest.raises(InvalidArgument, match="invalid now"):
        refresh_feed(URL, store, Site().fetch, now="today")
    with pytest.raises(InvalidArgument, match="invalid folder ' '"):
        FeedStore(" ")


def test_replaced_copies_stay_in_the_store(store):
    for day, prefix in enumerate(("198.51.100.0/24", "203.0.113.0/24", "203.0.113.0/24")):
        response = GOOD._replace(body=body("192.0.2.0/24", prefix))
        refresh_feed(URL, store, Site(response).fetch, now=day * DAY)

    copies = FeedStore(store.folder)[URL]
    assert [(copy.since, copy.fetched) for copy in copies] == [(DAY, 2 * DAY), (0.0, 0.0)]
    assert copies[0].feed.prefixes == ("192.0.2.0/24", "203.0.113.0/24")


def test_list_without_a_copy_is_not_in_the_store(store):
    assert store.get(URL) is None
    assert (list(store), len(store), store.problems) == ([], 0, [])
    refresh_feed(URL, store, Site(GOOD._replace(status=503)).fetch, now=0.0)
    assert (URL in store, list(store), store.problems) == (False, [], [])


def test_store_has_the_urls_of_its_files(store):
    other = "https://example.com/other.json"
    for day, prefix in enumerate(("192.0.2.0/24", "192.0.2.0/23")):
        for url in (URL, other):
            refresh_feed(url, store, Site(GOOD._replace(body=body(prefix))).fetch, now=day * DAY)

    assert (sorted(FeedStore(store.folder)), len(store)) == ([URL, other], 2)


@pytest.mark.parametrize(
    "content", [b"", b"{", b"[]", b"[" * 100_000, b'{"format": 1}', b"\xff", b'{"format": 2}']
)
def test_damaged_file_is_reported_and_counts_as_missing(store, content):
    refresh_feed(URL, store, Site().fetch, now=0.0)
    (file,) = store.folder.glob("example.com-*.json")
    file.write_bytes(content)
    damaged = FeedStore(store.folder)

    assert damaged.get(URL) is None
    assert [problem.startswith(f"{file}: not valid, so it is ignored") for problem in damaged.problems] == [
        True
    ]
    assert refresh_feed(URL, damaged, Site().fetch, now=60.0).result == "fetched"


@pytest.mark.parametrize(
    "change",
    [{"prefixes": []}, {"prefixes": ["0.0.0.0/0"]}, {"fetched": "x"}, {"services": []}, {"count": 7}],
)
def test_changed_copy_counts_as_missing(store, change):
    refresh_feed(URL, store, Site().fetch, now=0.0)
    (file,) = store.folder.glob("example.com-*.json")
    stored = json.loads(file.read_text("utf-8"))
    file.write_text(json.dumps(stored | {"copy": stored["copy"] | change}), encoding="utf-8")

    assert FeedStore(store.folder).get(URL) is None


def test_default_folder_is_in_the_cache_folder(monkeypatch, tmp_path):
    monkeypatch.setattr("comity.agents.feed_store.cache_folder", lambda: tmp_path / "comity")

    assert FeedStore().folder == tmp_path / "comity" / "feeds"


def test_missing_home_folder_raises(monkeypatch):
    def homeless():
        raise RuntimeError("no home")

    monkeypatch.setattr(private_files.Path, "home", homeless)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.delenv("LOCALAPPDATA", raising=False)

    with pytest.raises(StoreUnavailable, match="no home; name a folder"):
        FeedStore()
