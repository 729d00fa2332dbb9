"""Crawls by Scrapy itself, in processes of their own, under both of its reactors; sites keep a log."""

import contextlib
import gzip
import json
import random
import subprocess
import sys
import zlib
from pathlib import Path

import pytest
from http_server import Server, answer, redirect, unused_port
from scrapy_harness import REACTORS as REACTOR_SETTINGS
from scrapy_harness import crawl, gaps

import comity

TYPE = {"content-type": "text/html"}
PAGE = answer(200, b"<p>Tea.", TYPE)
REACTORS = pytest.mark.parametrize("reactor", ["asyncio", "classic", "none"])


def robots(*lines):
    return answer(200, "\n".join(["User-agent: *", *lines]).encode())


def paths(told):
    return sorted("/" + item["url"].split("/", 3)[3] for item in told.items)


def refused(told):
    return sorted(("/" + url.split("/", 3)[3], kind) for url, kind, _ in told.errors)


@REACTORS
def test_a_crawl(reactor):
    """Redirects, also those of a page's META, are judged where they lead; links by nofollow."""
    links = (
        b'<a href="/tea">1</a><a href="/no/a">2</a><a href="/hop">3</a><a href="/closed" rel=nofollow>4</a>'
    )
    routes = {
        "/robots.txt": robots("Disallow: /no", "Sitemap: https://example.com/map.xml"),
        "/": answer(200, links, TYPE),
        "/hop": redirect("/no/hop", 302),
        "/refresh": answer(200, b'<meta http-equiv="refresh" content="0; url=/no/refresh">', TYPE),
        "*": PAGE,
    }
    with Server(routes) as site:
        told = crawl(f"{site.origin}/", f"{site.origin}/refresh", reactor=reactor, follow=True)

        assert paths(told) == ["/", "/tea"]
        assert refused(told) == [
            ("/no/a", "Disallowed"),
            ("/no/hop", "Disallowed"),
            ("/no/refresh", "Disallowed"),
        ]
        assert sorted(site.paths()) == ["/", "/hop", "/refresh", "/robots.txt", "/tea"]
        assert told.stats["robotstxt/forbidden"] == 3
        assert told.stats["robotstxt/request_count"] == told.stats["robotstxt/response_count"] == 1
        assert told.stats["robotstxt/response_status_count/200"] == 1
        assert told.stats["comity/nofollow/link"] == 1
        assert [name for _, name in told.parsed] == ["RobotParser"]


@REACTORS
def test_nothing_slips_through_while_robots_txt_is_asked_for(reactor):
    with Server({"/robots.txt": robots("Disallow: /no"), "*": PAGE}, delay=0.05) as site:
        told = crawl(*(f"{site.origin}/no/{number}" for number in range(8)), reactor=reactor)

        assert site.paths() == ["/robots.txt"]
        assert {kind for _, kind in refused(told)} == {"Disallowed"}


@REACTORS
def test_crawl_delay(reactor):
    """As the server sees it, from the end of one request to the start of the next; robots.txt counts."""
    with Server({"/robots.txt": robots("Crawl-delay: 0.2"), "*": PAGE}) as site:
        told = crawl(*(f"{site.origin}/{number}" for number in range(5)), reactor=reactor)

        assert len(told.items) == 5
        assert len(site.visits) == 6
        assert min(gaps(site.visits)) >= 0.2


def test_crawl_delay_holds_against_autothrottle_and_chance():
    with Server({"/robots.txt": robots("Request-rate: 5/1s"), "*": PAGE}) as site:
        crawl(
            *(f"{site.origin}/{number}" for number in range(5)),
            AUTOTHROTTLE_ENABLED=True,
            AUTOTHROTTLE_START_DELAY=0.01,
            AUTOTHROTTLE_MAX_DELAY=0.02,
            DOWNLOAD_DELAY=0.01,
        )

        assert len(site.visits) == 6
        assert min(gaps(site.visits)) >= 0.2


def test_failures_count_too():
    """What the crawl itself breaks off is a visit as well."""
    with Server({"/robots.txt": robots("Crawl-delay: 0.2"), "*": answer(200, bytes(5000), TYPE)}) as site:
        told = crawl(*(f"{site.origin}/{number}" for number in range(4)), DOWNLOAD_MAXSIZE=4000)

        assert [kind for _, kind in refused(told)] == ["DownloadCancelledError"] * 4
        assert len(site.visits) == 5
        assert min(gaps(site.visits, since="began")) >= 0.2


@REACTORS
@pytest.mark.parametrize("failure", ["resets", 503])
def test_a_server_that_refuses_or_is_silent_is_left_alone(reactor, failure):
    """For half a minute, which is longer here than anybody waits: who stands in a queue is told as well."""
    with Server({"/robots.txt": robots("Crawl-delay: 0.1")}) as site:
        site.routes["*"] = site.resets() if failure == "resets" else answer(failure)
        urls = [f"{site.origin}/{number}" for number in range(4)]
        told = crawl(*urls, reactor=reactor, COMITY_MAX_WAIT=5)

        # aiohttp, which Scrapy has without a reactor, asks once more by itself where a connection breaks.
        twice = reactor == "none" and failure == "resets"
        assert site.paths() == ["/robots.txt", "/0"] + ["/0"] * twice
        assert [kind for path, kind in refused(told) if path != "/0"] == ["MustWait"] * 3
        assert (told.stats["comity/back_off"], told.stats["comity/too_early"]) == (1, 3)


@REACTORS
def test_after_a_pause_no_more_are_sent_at_once_than_before(reactor):
    """Who waited for the end of it is not sent all together."""
    busy = answer(503, b"", {"retry-after": "1"})
    routes = {"/robots.txt": answer(404), "/busy": busy, "*": PAGE}
    with Server(routes) as site:
        urls = [f"{site.origin}/busy", *(f"{site.origin}/{number}" for number in range(12))]
        site.delay = 0.1
        crawl(*urls, reactor=reactor, CONCURRENT_REQUESTS_PER_DOMAIN=3)

        pages = [visit for visit in site.visits if visit.path != "/robots.txt"]
        at_once = [sum(other.began <= visit.began < other.ended for other in pages) for visit in pages]
        assert max(at_once) == 3


@REACTORS
def test_retry_after_is_waited_for(reactor):
    busy = answer(503, b"", {"retry-after": "1"})
    said = []

    def first_busy(connection):
        connection.sendall(PAGE if said else busy)
        said.append(1)

    with Server({"/robots.txt": answer(404), "/a": first_busy}) as site:
        told = crawl(f"{site.origin}/a", reactor=reactor, RETRY_ENABLED=True)

        assert paths(told) == ["/a"]
        assert site.paths() == ["/robots.txt", "/a", "/a"]
        assert gaps(site.visits, since="began")[1] >= 1.0
        assert told.stats["comity/retry_after"] == 1


def test_retry_after_that_is_too_long_ends_it():
    with Server({"/robots.txt": answer(404), "*": answer(429, b"", {"retry-after": "3600"})}) as site:
        told = crawl(f"{site.origin}/a", RETRY_ENABLED=True)

        assert site.paths() == ["/robots.txt", "/a"]
        assert refused(told) == [("/a", "MustWait")]
        assert told.stats["comity/too_early"] == 1


def test_robots_txt_that_asks_for_a_long_pause_keeps_nobody():
    """It is not retried before the pause is over, so that its pages are refused at once."""
    with Server({"*": answer(429, b"", {"retry-after": "3600"})}) as site:
        told = crawl(f"{site.origin}/a", f"{site.origin}/b", RETRY_ENABLED=True)

        assert site.paths() == ["/robots.txt"]
        assert {kind for _, kind in refused(told)} <= {"Unreachable", "MustWait"}
        assert len(told.errors) == 2
        assert told.stats["robotstxt/response_status_count/429"] == 1


@pytest.mark.parametrize(
    ("status", "body", "allowed"),
    [
        (404, b"User-agent: *\nDisallow: /", True),
        (403, b"<p>No", True),
        (500, b"", False),
        (503, b"<p>Busy", False),
    ],
)
def test_what_a_status_means(status, body, allowed):
    with Server({"/robots.txt": answer(status, body, TYPE), "*": PAGE}) as site:
        told = crawl(f"{site.origin}/a")

        assert paths(told) == (["/a"] if allowed else [])
        assert refused(told) == ([] if allowed else [("/a", "Unreachable")])
        assert told.stats[f"robotstxt/response_status_count/{status}"] == 1


@REACTORS
def test_what_no_answer_means(reactor):
    told = crawl(f"http://127.0.0.1:{unused_port()}/a", reactor=reactor)

    assert refused(told) == [("/a", "Unreachable")]
    assert "Cause" not in told.errors[0][2]
    assert [name for name in told.stats if name.startswith("robotstxt/exception_count/")]


@pytest.mark.parametrize(("redirects", "reached"), [(5, True), (6, False)])
def test_redirects_of_robots_txt(redirects, reached):
    """RFC 9309 2.3.1.2: five are followed, to other authorities too; after that there is none."""
    with Server({"/robots.txt": robots("Disallow: /no")}) as other, Server({"*": PAGE}) as site:
        site.routes["/robots.txt"] = redirect("/1.txt")
        for number in range(1, redirects - 1):
            site.routes[f"/{number}.txt"] = redirect(f"/{number + 1}.txt")
        site.routes[f"/{redirects - 1}.txt"] = redirect(f"{other.origin}/robots.txt")
        told = crawl(f"{site.origin}/no/a")

        assert refused(told) == ([("/no/a", "Disallowed")] if reached else [])
        assert len(site.paths()) == redirects + (not reached)
        assert other.paths() == (["/robots.txt"] if reached else [])


def test_a_robots_txt_without_an_end_is_cut():
    """RFC 9309 2.5: what is in the first 500 KiB holds."""
    with Server({"*": PAGE}) as site:
        site.routes["/robots.txt"] = site.endless(
            b"Disallow: /else\n" * 4096, head=b"HTTP/1.1 200 OK\r\n\r\nUser-agent: *\nDisallow: /no\n"
        )
        told = crawl(f"{site.origin}/no", f"{site.origin}/a")

        assert refused(told) == [("/no", "Disallowed")]
        assert paths(told) == ["/a"]


@REACTORS
@pytest.mark.parametrize(("cut", "refusals"), [(0, ["Disallowed"]), (40, ["Unreachable", "Unreachable"])])
def test_a_compressed_robots_txt(reactor, cut, refusals):
    """What Scrapy would make of half a file is not asked: the rest may close more."""
    whole = gzip.compress(b"User-agent: *\nDisallow: /no\n" + bytes(random.Random(1).randbytes(300)))
    body = answer(200, whole[: len(whole) - cut], {"content-encoding": "gzip"})
    with Server({"/robots.txt": body, "*": PAGE}) as site:
        told = crawl(f"{site.origin}/no", f"{site.origin}/a", reactor=reactor)

        assert [kind for _, kind in refused(told)] == refusals


@REACTORS
def test_a_robots_txt_that_would_fill_the_memory(reactor):
    """RFC 9309 2.5: of the 200 MB that are sent as a few hundred octets, no more than the first are made."""
    compressor = zlib.compressobj(9, wbits=31)
    pieces = [compressor.compress(b"User-agent: *\nDisallow: /no\n")]
    pieces += [compressor.compress(bytes(1 << 20)) for _ in range(200)]
    body = gzip.compress(b"".join([*pieces, compressor.flush()]))
    assert len(body) < 1000
    with Server({"/robots.txt": answer(200, body, {"content-encoding": "gzip, gzip"}), "*": PAGE}) as site:
        told = crawl(f"{site.origin}/no", f"{site.origin}/a", reactor=reactor)

        assert (paths(told), refused(told)) == (["/a"], [("/no", "Disallowed")])
        assert "httpcompression/response_bytes" not in told.stats  # Scrapy has not decoded it


HOSTILE = {
    "drips": lambda site: site.drips(b"D"),
    "drips header fields": lambda site: site.drips(b"X-A: b\r\n", head=b"HTTP/1.1 200 OK\r\n"),
    "says nothing": lambda site: site.silent,
    "names a thousand codings": lambda _: answer(200, b"", {"content-encoding": "gzip," * 1000}),
    "is no HTTP": lambda _: b"nonsense\r\n\r\n",
    "leads to no host": lambda _: redirect("http://[/"),
    "is a part": lambda _: answer(206, b"User-agent: *\nAllow: /"),
    "promises too much": lambda _: answer(200, b"User-agent: *\nAllow: /", length=10**12),
}


@REACTORS
def test_a_robots_txt_that_is_none_closes_its_site_in_time(reactor):
    """RFC 9309 2.3.1.4."""
    with contextlib.ExitStack() as stack:
        sites = [stack.enter_context(Server({"*": PAGE})) for _ in HOSTILE]
        for site, how in zip(sites, HOSTILE.values(), strict=True):
            site.routes["/robots.txt"] = how(site)
        told = crawl(
            *(f"{site.origin}/{how}" for site, how in zip(sites, HOSTILE, strict=True)),
            reactor=reactor,
            DOWNLOAD_TIMEOUT=2,
        )

        assert refused(told) == sorted((f"/{how.replace(' ', '%20')}", "Unreachable") for how in HOSTILE)
        assert told.stats["robotstxt/request_count"] == told.stats["robotstxt/forbidden"] == len(HOSTILE)


AGAIN = """
import scrapy
from scrapy.crawler import AsyncCrawlerProcess
from comity.protocol.access.policy import access_policy

{recipe}

class Spider(scrapy.Spider):
    name = "again"
    errback = errback

    async def start(self):
        for path in ("/a", "/no", "/b"):
            yield scrapy.Request("{origin}" + path, errback=self.errback)

    def parse(self, response):
        print(response.url)

process = AsyncCrawlerProcess({{
    "ADDONS": {{"comity.integrations.scrapy.Addon": 500}},
    "COMITY_POLICY": access_policy("rfc9309").replace(name="hasty", retry=0.2),
    "RETRY_ENABLED": False, "TELNETCONSOLE_ENABLED": False, "REMOTE_CONTROL_ENABLED": False, **{settings},
}})
process.crawl(Spider)
process.start()
"""


@pytest.mark.parametrize("reactor", ["asyncio", "none"])
def test_what_the_documentation_says_of_sites_that_fail_for_a_while_loses_nothing(reactor):
    page = (Path(__file__).parents[3] / "docs" / "scrapy.md").read_text()
    (recipe,) = [block for block in page.split("```python\n") if block.startswith("import asyncio")]
    answers = [answer(500), answer(500), robots("Disallow: /no")]
    with Server({"*": PAGE}) as site:
        site.routes["/robots.txt"] = lambda connection: connection.sendall(answers.pop(0))
        code = AGAIN.format(
            recipe=recipe.partition("```")[0], origin=site.origin, settings=repr(REACTOR_SETTINGS[reactor])
        )
        run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)

        assert sorted(run.stdout.split()) == [f"{site.origin}/a", f"{site.origin}/b"], run.stderr
        assert sorted(site.paths()) == ["/a", "/b", *["/robots.txt"] * 3]


@REACTORS
def test_the_middleware_by_hand(reactor):
    """Without the add-on, and with what Scrapy has in its place."""
    stock = "scrapy.downloadermiddlewares.robotstxt.RobotsTxtMiddleware"
    settings = {
        "ADDONS": {},
        "ROBOTSTXT_OBEY": True,
        "DOWNLOADER_MIDDLEWARES": {stock: None, "comity.integrations.scrapy.RobotsTxtMiddleware": 100},
    }
    links = b'<a href="/a" rel=nofollow>a</a> <a href="/no">no</a>'
    routes = {
        "/robots.txt": robots("Disallow: /no", "Crawl-delay: 0.4"),
        "/": answer(200, links, TYPE),
        "*": PAGE,
    }
    with Server(routes) as site, Server({"/robots.txt": answer(503)}) as failing:
        told = crawl(f"{site.origin}/", f"{failing.origin}/", reactor=reactor, follow=True, **settings)

        assert paths(told) == ["/", "/a"]  # what pages say is for another middleware
        assert refused(told) == [("/", "Unreachable"), ("/no", "Disallowed")]
        assert sorted(site.paths()) == ["/", "/a", "/robots.txt"]
        assert failing.paths() == ["/robots.txt"]
        assert min(gaps(site.visits)) >= 0.4
        assert [name for _, name in told.parsed] == ["RobotParser", "RobotParser"]
        assert "WARNING" not in told.log.replace("is experimental and", "") or reactor == "none"


@REACTORS
@pytest.mark.parametrize("url", ["{}", "sqlite:///{}"])
def test_a_store_is_shared_by_two_runs(reactor, url, tmp_path):
    store = url.format(tmp_path / "robots.sqlite3")
    with Server({"/robots.txt": robots("Disallow: /no"), "*": PAGE}) as site:
        first, second = (
            crawl(f"{site.origin}/a", f"{site.origin}/no", reactor=reactor, COMITY_STORE=store)
            for _ in range(2)
        )

        assert site.paths().count("/robots.txt") == 1
        assert (
            (paths(first), refused(first))
            == (paths(second), refused(second))
            == (["/a"], [("/no", "Disallowed")])
        )
        assert "robotstxt/request_count" not in second.stats


@REACTORS
def test_pages_are_read(reactor):
    routes = {
        "/robots.txt": robots("Allow: /"),
        "/": answer(200, b"<meta name=robots content='noindex, nofollow'><a href=/a>1</a>", TYPE),
        "/header": answer(200, b"<a href=/b>1</a>", {**TYPE, "x-robots-tag": "scrapy: nofollow, noarchive"}),
        "/text": answer(200, b"<meta name=robots content=noindex>", {"content-type": "text/plain"}),
    }
    with Server(routes) as site:
        told = crawl(
            *(f"{site.origin}{path}" for path in ("/", "/header", "/text")), reactor=reactor, follow=True
        )
        marks = {item["url"].removeprefix(site.origin): sorted(item.get("comity", ())) for item in told.items}

        assert marks == {"/": ["follow", "index"], "/header": ["archive", "follow"], "/text": []}
        assert len(site.visits) == 4


@REACTORS
def test_uses_are_respected(reactor):
    routes = {
        "/robots.txt": robots("Allow: /", "Content-Usage: /news train-ai=n"),
        "/meta": answer(200, b"<meta name=robots content=noai>", TYPE),
        "/header": answer(200, b"<p>", {**TYPE, "content-usage": "train-ai=n"}),
        "/.well-known/tdmrep.json": answer(404),
        "/ai.txt": answer(404),
        "*": PAGE,
    }
    with Server(routes) as site:
        asked = [f"{site.origin}{path}" for path in ("/news", "/meta", "/header", "/tea")]
        told = crawl(*asked, reactor=reactor, COMITY_RESPECT=["train-ai"])

        assert paths(told) == ["/tea"]
        assert refused(told) == [(path, "UsageDisallowed") for path in ("/header", "/meta", "/news")]
        assert "/news" not in site.paths()
        assert told.stats["comity/usage_disallowed/train-ai"] == 3


@REACTORS
def test_each_decision_is_written_down(reactor, tmp_path):
    log = tmp_path / "decisions.jsonl"
    routes = {
        "/robots.txt": robots("Disallow: /no"),
        "/hop": redirect("/no/hop"),
        "/index": answer(200, b"<meta name=robots content=noindex>", TYPE),
        "*": PAGE,
    }
    with Server(routes) as site:
        asked = [f"{site.origin}{path}" for path in ("/no", "/hop", "/index", "/tea")]
        crawl(*asked, reactor=reactor, COMITY_LOG=str(log))
        lines = [json.loads(line) for line in log.read_text().splitlines()]
        told = sorted(
            (line["url"].removeprefix(site.origin), line["made"], line["reason"], line["status"])
            for line in lines
        )

        assert told == [
            ("/hop", True, "no-rule-matches", 301),
            ("/index", True, "no-rule-matches", 200),
            ("/index", True, "page-read", 200),
            ("/no", False, "longest-match", None),
            ("/no/hop", False, "longest-match", None),
            ("/robots.txt", True, "robots-txt-itself", 200),
            ("/tea", True, "no-rule-matches", 200),
        ]
        assert {line["waited"] is None for line in lines if line["reason"] != "robots-txt-itself"} == {False}
        assert [line["page"]["forbids"] for line in lines if line["page"]] == [
            {"index": "noindex (meta robots, line 1)"}
        ]


def lines_of(path, site):
    """Give what a decision log has of each request for a page, but for the times."""
    for line in map(json.loads, path.read_text().splitlines()):
        line["url"] = line["url"].removeprefix(site.origin)
        for key in ("time", "age", "waited"):
            del line[key]
        if line["robots"] is not None:
            del line["robots"]["fetched"]
        yield line


ALLOWED = {"/.well-known/tdmrep.json": answer(404), "/ai.txt": answer(404), "*": PAGE}
TDMREP = json.dumps([{"location": "/", "tdm-reservation": 1}]).encode()


@pytest.mark.parametrize(
    ("use", "routes"),
    [
        ("train-ai", {}),
        ("train-ai", {"/robots.txt": robots("Allow: /", "Content-Usage: /tea train-ai=n")}),
        ("train-ai", {"/robots.txt": robots("Allow: /", "Content-Signal: ai-train=no, search=yes")}),
        ("train-ai", {"*": answer(200, b"<p>", {**TYPE, "content-usage": "train-ai=n"})}),
        ("search", {"*": answer(200, b"<p>", {**TYPE, "content-usage": "search=y"})}),
        ("train-ai", {"*": answer(200, b"<meta name=robots content=noai>", TYPE)}),
        ("tdm", {"/.well-known/tdmrep.json": answer(200, TDMREP)}),
        ("train-ai", {"/ai.txt": answer(200, b"User-agent: *\nDisallow: /")}),
        ("train-ai", {"/ai.txt": answer(503)}),
        ("tdm", {"/.well-known/tdmrep.json": answer(429)}),
        ("train-ai", {"/ai.txt": answer(200, b"User-agent: *\nDisallow: /", TYPE)}),
        ("train-ai", {"/ai.txt": answer(200, b"User-agent: *\nDisallow: /tea\n" + b"# more\n" * 100_000)}),
    ],
)
def test_uses_are_respected_as_a_robot_does(use, routes, tmp_path):
    """What is handed out, why not, what was asked for, and what the log has of it."""
    ours, theirs = tmp_path / "scrapy", tmp_path / "robot"
    with Server({"/robots.txt": robots("Allow: /"), **ALLOWED, **routes}) as site:
        name = "ExampleBot/1.0"
        told = crawl(f"{site.origin}/tea", USER_AGENT=name, COMITY_RESPECT=[use], COMITY_LOG=str(ours))
        asked, refusal = site.paths(), None
        site.visits.clear()
        with comity.Robot(name, contact="a@example.com", respect=use, log=theirs, delay=0) as robot:
            try:
                robot.page(f"{site.origin}/tea")
            except comity.UsageDisallowed as error:
                refusal = str(error)

        assert [said for _, _, said in told.errors] == ([] if refusal is None else [refusal])
        assert asked == site.paths()
        mine, its = (list(lines_of(path, site)) for path in (ours, theirs))
        assert [line for line in mine if line["reason"] == "usage-disallowed"] == [
            line for line in its if line["reason"] == "usage-disallowed"
        ]
        assert [line for line in its if line not in mine and line["reason"] != "page-read"] == []


def test_a_request_that_need_not_obey():
    with Server({"/robots.txt": robots("Disallow: /"), "*": PAGE}) as site:
        told = crawl(f"{site.origin}/a", meta={"dont_obey_robotstxt": True})

        assert paths(told) == ["/a"]
        assert site.paths() == ["/a"]


def test_a_crawl_that_need_not_obey():
    with Server({"/robots.txt": robots("Disallow: /"), "*": PAGE}) as site:
        told = crawl(f"{site.origin}/a", ROBOTSTXT_OBEY=False, COMITY_RESPECT="search")

        assert (paths(told), site.paths()) == (["/a"], ["/a"])


def test_the_parser_alone():
    parser = {
        "ADDONS": {},
        "ROBOTSTXT_OBEY": True,
        "ROBOTSTXT_PARSER": "comity.integrations.scrapy.RobotParser",
    }
    with Server({"/robots.txt": robots("Disallow: /*.php$"), "*": PAGE}) as site:
        told = crawl(f"{site.origin}/a.php", **parser)

        assert refused(told) == [("/a.php", "IgnoreRequest")]
        assert site.paths() == ["/robots.txt"]
