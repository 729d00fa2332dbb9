"""The add-on beside other parts of Scrapy: proxies, a stored queue, and a browser that fetches the pages."""

import json
import subprocess
import sys
from base64 import b64encode
from collections import Counter

import pytest
from http_server import Server, answer, redirect
from scrapy_harness import crawl
from system_chromium import launch_options

TYPE = {"content-type": "text/html"}
PAGE = answer(200, b"<p>Tea.", TYPE)
ROBOTS = answer(200, b"User-agent: *\nDisallow: /no\n")
PROXIED = "http://tea.invalid"


def paths(result):
    return sorted("/" + item["url"].split("/", 3)[3] for item in result.items)


@pytest.fixture
def proxy():
    """A proxy that answers for the site http://tea.invalid, which no DNS knows."""
    routes = {
        "/robots.txt": ROBOTS,
        "/ai.txt": answer(404),
        "/.well-known/tdmrep.json": answer(404),
        "/hop": redirect(f"{PROXIED}/tea"),
        "*": PAGE,
    }
    with Server({f"{PROXIED}{path}": route for path, route in routes.items() if path != "*"}) as server:
        server.routes["*"] = PAGE
        yield server


@pytest.mark.parametrize("reactor", ["asyncio", "classic"])
@pytest.mark.parametrize("respect", [[], ["train-ai"]])
def test_site_files_come_through_the_proxy_of_the_page(proxy, reactor, respect):
    """With its user and password, also after a redirect, whose request has them in a header."""
    address = proxy.origin.replace("http://", "http://user:secret@")
    urls = [f"{PROXIED}{path}" for path in ("/", "/hop", "/no/tea")]
    result = crawl(*urls, reactor=reactor, meta={"proxy": address}, COMITY_RESPECT=respect)

    assert paths(result) == ["/", "/tea"]
    assert [kind for _, kind, _ in result.errors] == ["Disallowed"]
    seen = Counter(visit.path.removeprefix(PROXIED) for visit in proxy.visits)
    files = {"/robots.txt", *(("/ai.txt", "/.well-known/tdmrep.json") if respect else ())}
    assert seen == dict.fromkeys({"/", "/hop", "/tea", *files}, 1)
    expected = "Basic " + b64encode(b"user:secret").decode()
    assert {visit.headers["proxy-authorization"] for visit in proxy.visits} == {expected}


def test_proxy_of_the_environment(proxy, monkeypatch):
    monkeypatch.setenv("http_proxy", proxy.origin)
    monkeypatch.delenv("no_proxy", raising=False)
    result = crawl(f"{PROXIED}/", f"{PROXIED}/no/tea")

    assert paths(result) == ["/"]
    assert sorted(visit.path for visit in proxy.visits) == [f"{PROXIED}/", f"{PROXIED}/robots.txt"]


def test_stored_queue_is_judged_by_the_rules_of_the_next_run(tmp_path):
    """`JOBDIR` keeps the requests that a stopped crawl has not sent; no page is lost or fetched twice."""
    with Server({"/robots.txt": ROBOTS, "*": PAGE}) as site:
        urls = [f"{site.origin}/{number}" for number in range(12)]
        settings = {"JOBDIR": str(tmp_path / "job"), "CONCURRENT_REQUESTS": 1}
        first = crawl(*urls, f"{site.origin}/no/1", CLOSESPIDER_PAGECOUNT=4, **settings)
        site.routes["/robots.txt"] = answer(200, b"User-agent: *\nDisallow: /no\nDisallow: /11\n")
        second = crawl(**settings)

        fetched = [*paths(first), *paths(second)]
        assert 2 <= len(paths(first)) <= 6
        assert sorted(fetched) == sorted(f"/{number}" for number in range(11))
        assert {kind for _, kind, _ in (*first.errors, *second.errors)} == {"Disallowed"}
        assert Counter(site.paths())["/robots.txt"] == 2
        assert "/11" not in site.paths()


#: A spider whose pages are loaded by a Chromium, as docs/how-to/scrapy.md shows.
BROWSER_SPIDER = """
import json, sys
import scrapy
from scrapy.crawler import CrawlerProcess

import comity
from comity.integrations.playwright import AsyncRobotsRoute

urls, launch = json.loads(sys.argv[1])
AGENT = "ExampleBot/1.0 (+https://example.com/bot)"
told = {"items": [], "errors": []}

class Spider(scrapy.Spider):
    name = "example"

    async def start(self):
        robot = comity.AsyncRobot(AGENT, contact="https://example.com/bot", delay=0, trust_env=False)
        robots = AsyncRobotsRoute(robot)

        async def obey(page, request):
            await robots.install(page.context)

        for url in urls:
            meta = {"playwright": True, "playwright_page_init_callback": obey}
            yield scrapy.Request(url, meta=meta, errback=self.error)

    def parse(self, response):
        told["items"].append([response.url, response.css("h1::text").get()])

    def error(self, failure):
        told["errors"].append([failure.request.url, type(failure.value).__name__])

process = CrawlerProcess({
    "LOG_LEVEL": "ERROR", "TELNETCONSOLE_ENABLED": False, "REMOTE_CONTROL_ENABLED": False, "RETRY_ENABLED": False,
    "USER_AGENT": AGENT,
    "ADDONS": {"comity.integrations.scrapy.Addon": 500},
    "TWISTED_REACTOR": "twisted.internet.asyncioreactor.AsyncioSelectorReactor",
    "DOWNLOAD_HANDLERS": dict.fromkeys(["http", "https"], "scrapy_playwright.handler.ScrapyPlaywrightDownloadHandler"),
    "PLAYWRIGHT_LAUNCH_OPTIONS": launch,
})
process.crawl(Spider)
process.start()
print(json.dumps(told))
"""


def test_browser_of_scrapy_playwright_obeys():
    """Pages, what they embed, and steps of redirects, which the browser follows without Scrapy."""
    pytest.importorskip("scrapy_playwright")
    launch = launch_options()
    script = b"<h1></h1><img src=/no/image><img src=/image><script>document.querySelector('h1').append('Tea')</script>"
    routes = {
        "/robots.txt": ROBOTS,
        "/": answer(200, script, TYPE),
        "/hop": redirect("/no/hop"),
        "/image": answer(404),
        "*": PAGE,
    }
    with Server(routes) as site:
        urls = [f"{site.origin}{path}" for path in ("/", "/hop", "/no/page")]
        run = subprocess.run(
            [sys.executable, "-c", BROWSER_SPIDER, json.dumps([urls, launch])],
            capture_output=True, encoding="utf-8", timeout=110,
        )  # fmt: skip
        assert run.returncode == 0, run.stderr
        told = json.loads(run.stdout)

        assert told["items"] == [[f"{site.origin}/", "Tea"]], run.stderr
        assert dict(told["errors"]) == {urls[1]: "Error", urls[2]: "Disallowed"}
        assert set(site.paths()) == {"/robots.txt", "/", "/image", "/hop"}
