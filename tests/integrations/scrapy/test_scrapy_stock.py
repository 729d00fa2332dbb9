"""The middleware compared with Scrapy's own: each difference has its source in docs/reference/scrapy.md."""

import asyncio
import logging
from pathlib import Path
from typing import NamedTuple
from unittest.mock import MagicMock

import pytest
from scrapy import Request, signals
from scrapy.downloadermiddlewares.robotstxt import RobotsTxtMiddleware as Stock
from scrapy.exceptions import (
    CannotResolveHostError,
    DownloadConnectionRefusedError,
    DownloadTimeoutError,
    IgnoreRequest,
    NotConfigured,
    ResponseDataLossError,
)
from scrapy.http import Response
from scrapy.http.request import NO_CALLBACK
from scrapy_harness import ROBOTS, Crawler

from comity import agents
from comity.integrations.scrapy import Disallowed, RobotParser, Unreachable
from comity.integrations.scrapy import RobotsTxtMiddleware as Ours

DOCS = Path(__file__).parents[3] / "docs/reference/scrapy.md"
SITE = "http://site.local"
HTML = b"<!DOCTYPE html><html><body>Not found, sorry</body></html>"
CLOSED = b"User-agent: *\nDisallow: /"


def reply(status=200, body=b"", **headers):
    return lambda request: Response(
        request.url, status=status, body=body, headers={n.replace("_", "-"): v for n, v in headers.items()}
    )


def judged(kind, answer, *urls, headers=None, meta=None, **settings):
    """Return whether each URL is allowed, and the crawler."""
    crawler = Crawler({f"{SITE}/robots.txt": answer}, **settings)

    async def judge():
        middleware = kind.from_crawler(crawler)
        verdicts = []
        for url in urls:
            try:
                await middleware.process_request(Request(url, headers=headers, meta=dict(meta or {})))
            except IgnoreRequest as refusal:
                verdicts.append(not str(refusal).startswith("Forbidden by robots.txt"))
            else:
                verdicts.append(True)
        return verdicts

    return asyncio.run(judge()), crawler


#: Equal behaviour: the answer for robots.txt, the URLs, and whether each is allowed.
SAME = {
    "allowed": (ROBOTS, ["/allowed"], [True]),
    "disallowed": (ROBOTS, ["/admin/main", "/static/"], [False, False]),
    "escapes as written": (ROBOTS, ["/wiki/K%C3%A4ytt%C3%A4j%C3%A4:"], [False]),
    "other characters": (ROBOTS, ["/wiki/Käyttäjä:"], [False]),
    "garbage": (b"GIF89a\xd3\xfe\x00\xa2", ["/allowed", "/admin/main", "/static/"], [True, True, True]),
    "an empty file": (b"", ["/allowed", "/admin/main", "/static/"], [True, True, True]),
    "a page of HTML": (HTML, ["/allowed"], [True]),
    "no such file": (reply(404), ["/admin/main"], [True]),
    "no such file, with an HTML page": (reply(404, HTML), ["/admin/main"], [True]),
    "robots.txt itself": (CLOSED, ["/robots.txt", "/"], [True, False]),
    "a page of HTML with 403": (reply(403, HTML), ["/"], [True]),
    "a byte order mark": (b"\xef\xbb\xbf" + CLOSED, ["/allowed"], [False]),
}


@pytest.mark.parametrize("case", SAME)
@pytest.mark.parametrize("kind", [Stock, Ours])
def test_stock_and_addon_agree(kind, case):
    answer, paths, expected = SAME[case]

    assert judged(kind, answer, *(SITE + path for path in paths))[0] == expected


class Difference(NamedTuple):
    """A difference: the answer, the path, the verdict of Scrapy and of the add-on, and the authority."""

    answer: object
    path: str
    stock: bool
    ours: bool
    section: str
    agent: str = "Scrapy"


DIFFERENCES = {
    "rules in the body of a 404": Difference(reply(404, CLOSED), "/", False, True, "RFC 9309 2.3.1.3"),
    "rules in the body of a 403": Difference(reply(403, CLOSED), "/", False, True, "RFC 9309 2.3.1.3"),
    "500": Difference(reply(500, HTML), "/", True, False, "RFC 9309 2.3.1.4"),
    "503": Difference(reply(503), "/", True, False, "RFC 9309 2.3.1.4"),
    "429": Difference(reply(429), "/", True, False, "[access](access.md#answers)"),
    "no such host": Difference(CannotResolveHostError("?"), "/", True, False, "RFC 9309 2.3.1.4"),
    "connection refused": Difference(
        DownloadConnectionRefusedError("?"), "/", True, False, "RFC 9309 2.3.1.4"
    ),
    "timeout": Difference(DownloadTimeoutError("?"), "/", True, False, "RFC 9309 2.3.1.4"),
    "the response breaks off": Difference(ResponseDataLossError("?"), "/", True, False, "RFC 9309 2.3.1.4"),
    "any other error": Difference(RuntimeError("?"), "/", True, False, "RFC 9309 2.3.1.4"),
    "a middleware drops the request for robots.txt": Difference(
        IgnoreRequest("?"), "/", True, False, "RFC 9309 2.3.1.4"
    ),
    "names of robots": Difference(
        b"User-agent: ExampleBot\nDisallow: /", "/", False, True, "RFC 9309 2.2.1", "ExampleBot-News/1"
    ),
    "Crawl-delay between two User-agent lines": Difference(
        b"User-agent: ExampleBot\nCrawl-delay: 1\nUser-agent: OtherBot\nDisallow: /",
        "/",
        True,
        False,
        "RFC 9309 2.2.4",
        "ExampleBot",
    ),
    "a compressed file is read as sent": Difference(
        reply(200, b"\x1f\x8b no gzip", Content_Encoding="gzip"),
        "/",
        True,
        False,
        "[access](access.md#answers)",
    ),
}


@pytest.mark.parametrize("case", DIFFERENCES)
def test_addon_differs_from_stock(case):
    row = DIFFERENCES[case]

    assert judged(Stock, row.answer, SITE + row.path, USER_AGENT=row.agent)[0] == [row.stock]
    assert judged(Ours, row.answer, SITE + row.path, USER_AGENT=row.agent)[0] == [row.ours]


def test_each_difference_is_documented():
    page = DOCS.read_text(encoding="utf-8")
    for case, row in DIFFERENCES.items():
        (line,) = [line for line in page.splitlines() if line.startswith(f"| {case} |")]
        assert row.section in line


#: Scrapy's own tests that do not pass with ours, each with the difference that it stumbles over.
NOT_PASSED = {
    "test_robotstxt_error": "no such host",
    "test_robotstxt_immediate_error": "no such host",
    "test_ignore_robotstxt_request": "a middleware drops the request for robots.txt",
}


def test_failing_scrapy_tests_are_documented():
    page = DOCS.read_text(encoding="utf-8")
    for name, case in NOT_PASSED.items():
        (line,) = [line for line in page.splitlines() if line.startswith(f"| `{name}` |")]
        assert line.endswith(f"| {DIFFERENCES[case].section} |")


def test_parser_answers_for_an_agent_of_the_catalogue():
    body = b"User-agent: Googlebot\nDisallow: /a\nCrawl-delay: 3\n\nUser-agent: *\nDisallow: /"
    parser, applebot = RobotParser.from_crawler(None, body), agents.find("Applebot")

    assert parser.rules_for(applebot) == parser.robots.rules_for(applebot)
    assert parser.check("/a", applebot) == parser.robots.check("/a", agent=applebot)
    assert (parser.allowed("/a", applebot), parser.allowed("/b", applebot)) == (False, True)
    assert (parser.crawl_delay(applebot), parser.allowed("/", agents.find("AdsBot-Google"))) == (3.0, True)


def test_longest_rule_wins():
    """RFC 9309 2.2.2. Scrapy's default parser does not pass `test_order_based_precedence` either."""
    parser = RobotParser.from_crawler(None, b"User-agent: * \nDisallow: / \nAllow: /page")

    assert parser.allowed("https://www.site.local/page", "*")
    assert "| `test_order_based_precedence` |" in DOCS.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("failure", "refusal"), [(CannotResolveHostError("?"), Unreachable), (IgnoreRequest("?"), Unreachable)]
)
def test_immediate_download_error(failure, refusal):
    """RFC 9309 2.3.1.4, as in Scrapy's `test_robotstxt_immediate_error`."""

    class Failing(Crawler):
        async def download_async(self, request):
            raise failure

    async def ask():
        middleware = Ours.from_crawler(Failing())
        return await asyncio.gather(
            *(middleware.process_request(Request(f"{SITE}/{number}")) for number in range(3)),
            return_exceptions=True,
        )

    assert [type(each) for each in asyncio.run(ask())] == [refusal] * 3


@pytest.mark.parametrize("kind", [Stock, Ours])
def test_subclass_supplies_parser(kind):
    class Closed:
        def allowed(self, url, user_agent):
            return (url, user_agent) != (f"{SITE}/closed", "ExampleBot")

    class Subclass(kind):
        async def robot_parser(self, request):
            return Closed()

    settings = {"ROBOTSTXT_USER_AGENT": "ExampleBot"}
    assert judged(Subclass, ROBOTS, f"{SITE}/closed", f"{SITE}/admin/", **settings)[0] == [False, True]


@pytest.mark.parametrize("kind", [Stock, Ours])
def test_subclass_judges_requests(kind):
    judged_by_it = []

    class Subclass(kind):
        def process_request_2(self, rp, request):
            judged_by_it.append((rp is None, request.url))

    urls = [f"{SITE}/admin/", "data:text/plain,Hello", "file:///tea"]

    assert judged(Subclass, ROBOTS, *urls)[0] == [True, True, True]
    assert judged_by_it == [(False, f"{SITE}/admin/")]


@pytest.mark.parametrize("kind", [Stock, Ours])
@pytest.mark.parametrize("settings", [{"ROBOTSTXT_OBEY": False}, {"ROBOTSTXT_OBEY": "0"}])
def test_not_configured_without_robotstxt_obey(kind, settings):
    with pytest.raises(NotConfigured):
        kind.from_crawler(Crawler(**settings))


@pytest.mark.parametrize("kind", [Stock, Ours])
def test_dont_obey_robotstxt(kind):
    urls = [f"{SITE}/admin/main", f"{SITE}/static/"]

    verdicts, crawler = judged(kind, ROBOTS, *urls, meta={"dont_obey_robotstxt": True})

    assert verdicts == [True, True]
    assert crawler.urls == []


@pytest.mark.parametrize("kind", [Stock, Ours])
@pytest.mark.parametrize(
    "url", ["data:text/plain,Hello", "file:///tests/sample_data/test_site/nothinghere.html"]
)
def test_local_urls_have_no_robots_txt(kind, url):
    verdicts, crawler = judged(kind, ROBOTS, url)

    assert verdicts == [True]
    assert crawler.urls == []


def test_schemes_without_a_robots_txt():
    """RFC 9309 2.3: stock Scrapy requests s3://bucket/robots.txt."""
    verdicts, crawler = judged(Ours, ROBOTS, "s3://bucket/key")

    assert (verdicts, crawler.urls) == ([True], [])


@pytest.mark.parametrize("kind", [Stock, Ours])
@pytest.mark.parametrize(
    ("settings", "headers", "expected"),
    [
        ({"ROBOTSTXT_USER_AGENT": "ExampleBot"}, {}, False),
        ({"ROBOTSTXT_USER_AGENT": "ExampleBot"}, {"User-Agent": "Other"}, False),
        ({"USER_AGENT": "ExampleBot"}, {}, False),
        ({"USER_AGENT": "ExampleBot"}, {"User-Agent": "Other"}, True),
        ({}, {"User-Agent": "ExampleBot"}, False),
        ({}, {}, True),
    ],
)
def test_robot_name_selects_rules(kind, settings, headers, expected):
    url = f"{SITE}/some/randome/page.html"

    assert judged(kind, ROBOTS, url, headers=headers, **settings)[0] == [expected]


@pytest.mark.parametrize(
    ("robots", "headers", "expected"),
    [
        (b"User-agent: ExampleBot\nDisallow: /x\n\nUser-agent: NewsBot\nAllow: /", {}, False),
        (b"User-agent: ExampleBot\nAllow: /\n\nUser-agent: NewsBot\nDisallow: /x", {}, False),
        (b"User-agent: ExampleBot\nDisallow: /y\n\nUser-agent: *\nAllow: /", {}, True),
        (b"User-agent: *\nDisallow: /x\n\nUser-agent: NewsBot\nAllow: /", {}, True),
        (b"User-agent: TeaBot\nDisallow: /x", {}, True),
        (b"User-agent: TeaBot\nDisallow: /x", {"User-Agent": "TeaBot/1.0 NewsBot/2.0"}, False),
    ],
)
def test_group_for_the_token_of_the_header_counts_too(robots, headers, expected):
    names = {"USER_AGENT": "ExampleBot/1.0 NewsBot/2.0", "ROBOTSTXT_USER_AGENT": "NewsBot"}

    assert judged(Ours, robots, f"{SITE}/x", headers=headers, **names)[0] == [expected]


@pytest.mark.parametrize("kind", [Stock, Ours])
def test_the_request_for_robots_txt(kind):
    _, crawler = judged(kind, ROBOTS, f"{SITE}/allowed", f"{SITE}/admin/")
    (request,) = crawler.asked

    assert request.url == f"{SITE}/robots.txt"
    assert request.priority == kind.DOWNLOAD_PRIORITY == 1000
    assert request.meta["dont_obey_robotstxt"] is True
    assert request.callback is NO_CALLBACK


@pytest.mark.parametrize("kind", [Stock, Ours])
@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (
            ROBOTS,
            {"request_count": 1, "response_count": 1, "response_status_count/200": 1, "forbidden": 1},
        ),
        (
            DownloadTimeoutError("?"),
            {"request_count": 1, f"exception_count/{DownloadTimeoutError}": 1, "forbidden": 2},
        ),
        (IgnoreRequest("?"), {"request_count": 1, "forbidden": 2}),
    ],
    ids=["answered", "failed", "dropped"],
)
def test_stats(kind, answer, expected):
    """Stock Scrapy allows everything if the robots.txt is not known."""
    _, crawler = judged(kind, answer, f"{SITE}/admin/", f"{SITE}/allowed")
    told = {name: value for name, value in crawler.stats.get_stats().items() if name.startswith("robotstxt/")}
    if kind is Stock and answer is not ROBOTS:
        del (expected := dict(expected))["forbidden"]

    assert told == {f"robotstxt/{name}": value for name, value in expected.items()}


@pytest.mark.parametrize("kind", [Stock, Ours])
def test_engine_can_be_a_mock(kind):
    """Tests of projects use mocks."""
    crawler = Crawler({f"{SITE}/robots.txt": ROBOTS})
    crawler.downloader = MagicMock()
    asyncio.run(kind.from_crawler(crawler).process_request(Request(f"{SITE}/allowed")))
    assert crawler.urls == [f"{SITE}/robots.txt"]


@pytest.mark.parametrize("kind", [Stock, Ours])
@pytest.mark.parametrize("failure", [RuntimeError("no luck"), IgnoreRequest("no luck")])
def test_download_failures_are_logged_as_errors(kind, failure, caplog):
    judged(kind, failure, f"{SITE}/allowed")
    told = [record for record in caplog.records if record.name == Stock.__module__]
    errors = [record.getMessage() for record in told if record.levelno >= logging.ERROR]

    # Stock Scrapy names the page here, which was not asked for.
    at = {Stock: "allowed", Ours: "robots.txt"}[kind]
    assert errors == (
        [] if isinstance(failure, IgnoreRequest) else [f"Error downloading <GET {SITE}/{at}>: no luck"]
    )


@pytest.mark.parametrize(("kind", "allowed"), [(Stock, [False, False, True, True]), (Ours, [False] * 4)])
def test_concurrent_requests_fetch_robots_txt_once(kind, allowed):
    """RFC 9309 2.3.1.1: stock Scrapy judges the first two requests and sends the others unjudged."""

    async def many():
        crawler = Crawler({f"{SITE}/robots.txt": ROBOTS})
        middleware = kind.from_crawler(crawler)
        waiting = [middleware.process_request(Request(f"{SITE}/admin/{number}")) for number in range(4)]
        return crawler, await asyncio.gather(*waiting, return_exceptions=True)

    crawler, found = asyncio.run(many())

    assert [each is None for each in found] == allowed
    assert crawler.urls == [f"{SITE}/robots.txt"]


def test_cancelled_request_does_not_cancel_others():
    async def many():
        crawler = Crawler({f"{SITE}/robots.txt": ROBOTS})
        middleware = Ours.from_crawler(crawler)
        first, *others = (
            asyncio.ensure_future(middleware.process_request(Request(f"{SITE}/{path}")))
            for path in ("admin/", "admin/", "allowed")
        )
        await asyncio.sleep(0)
        first.cancel()
        return await asyncio.gather(first, *others, return_exceptions=True)

    cancelled, disallowed, allowed = asyncio.run(many())

    assert isinstance(cancelled, asyncio.CancelledError)
    assert (type(disallowed), allowed) == (Disallowed, None)


@pytest.mark.parametrize("kind", [Stock, Ours])
def test_log_message_of_refusal(kind, caplog):
    with caplog.at_level(logging.DEBUG):
        judged(kind, ROBOTS, f"{SITE}/admin/")
    told = [record.getMessage() for record in caplog.records if record.name == Stock.__module__]

    assert told == [f"Forbidden by robots.txt: <GET {SITE}/admin/>"]


@pytest.mark.parametrize("kind", [Stock, Ours])
def test_robots_parsed_signal(kind):
    heard = []

    async def listen():
        crawler = Crawler({f"{SITE}/robots.txt": ROBOTS})

        def hear(robotparser, request):
            heard.append((robotparser, request))

        crawler.signals.connect(hear, signals.robots_parsed)
        request = Request(f"{SITE}/allowed")
        await kind.from_crawler(crawler).process_request(request)
        return request

    request = asyncio.run(listen())
    ((parser, asked_for),) = heard

    assert asked_for is request
    assert not parser.allowed(f"{SITE}/admin/", "Any")
    assert parser.crawl_delay(b"ExampleBot") == 4


@pytest.mark.parametrize("kind", [Stock, Ours])
def test_parser_of_request(kind):
    async def ask():
        middleware = kind.from_crawler(Crawler({f"{SITE}/robots.txt": ROBOTS}))
        return await middleware.robot_parser(Request(f"{SITE}/allowed"))

    assert not asyncio.run(ask()).allowed(f"{SITE}/static/", "Any")


@pytest.mark.parametrize("kind", [Stock, Ours])
def test_invalid_parser_setting_raises(kind):
    with pytest.raises((ImportError, ValueError, NameError)):
        kind.from_crawler(Crawler(ROBOTSTXT_PARSER="no.such.Parser"))


def test_other_parser_is_ignored_with_warning(caplog):
    judged(Ours, ROBOTS, f"{SITE}/allowed", ROBOTSTXT_PARSER="scrapy.robotstxt.PythonRobotParser")

    assert "ROBOTSTXT_PARSER is not used" in caplog.text
