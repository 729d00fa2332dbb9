"""Crawlers of Crawlee whose robots.txt answers and requests are those of a robot, on real servers."""

import asyncio
from typing import ClassVar

import pytest
from http_server import answer
from polite_sites import GAP, PAGES, assert_polite, page

import comity
from comity.stores import AsyncRedisStore

crawlers = pytest.importorskip("crawlee.crawlers")
from crawlee import ConcurrencySettings  # noqa: E402
from crawlee.http_clients import ImpitHttpClient  # noqa: E402
from crawlee.request_loaders import ThrottlingRequestManager  # noqa: E402
from crawlee.storage_clients import MemoryStorageClient  # noqa: E402
from crawlee.storages import RequestQueue  # noqa: E402

from comity.integrations import crawlee as integration  # noqa: E402

OPTIONS = {"contact": "bot@example.com", "delay": 0.0, "trust_env": False}

CONCURRENCY = ConcurrencySettings(min_concurrency=PAGES, desired_concurrency=PAGES, max_concurrency=PAGES)


class PoliteCrawler(integration.RobotsCrawlerMixin, crawlers.HttpCrawler):
    """A crawler of a user."""


async def crawl(robot, urls, **options):
    """Crawl URLs. Return the URLs of the pages, of those that were skipped, and the errors of the others."""
    pages, skipped, errors = [], [], []
    storage = MemoryStorageClient()
    crawler = PoliteCrawler(
        robot=robot,
        concurrency_settings=CONCURRENCY,
        storage_client=storage,
        configure_logging=False,
        **{"max_request_retries": 0} | options,
    )

    @crawler.router.default_handler
    async def handle(context):
        pages.append(context.request.loaded_url)

    @crawler.failed_request_handler
    async def failed(context, error):
        errors.append(error)

    @crawler.on_skipped_request
    async def on_skipped(url, reason):
        skipped.append((url, reason))

    await crawler.run(urls)
    return pages, skipped, errors


@pytest.mark.parametrize("redis", [False, True])
def test_crawl(sites, redis, request):
    site, other = sites
    url = request.getfixturevalue("redis_url") if redis else None

    async def main():
        store = None if url is None else AsyncRedisStore(url)
        async with comity.AsyncRobot("ExampleBot/1.0", store=store, **OPTIONS) as robot:
            urls = [site.origin + page(number) for number in range(PAGES)]
            more = [site.origin + path for path in ("/private", "/trap", "/far-trap", "/moved")]
            result = await crawl(robot, [*urls, *more], max_request_retries=3)
        if store is not None:
            await store.aclose()
        return urls, result

    urls, (pages, skipped, errors) = asyncio.run(main())
    assert sorted(pages) == sorted([*urls, f"{other.origin}/page/1"])
    assert skipped == [(f"{site.origin}/private", "robots_txt")]
    assert [type(error).__name__ for error in errors] == ["Disallowed"] * 2
    assert {site.paths().count(path) for path in ("/trap", "/far-trap")} == {1}, "refused, so not tried again"
    assert_polite(site)
    assert_polite(other)


async def open_in_memory(**options):
    return await RequestQueue.open(**options | {"storage_client": MemoryStorageClient()})


class RecordingManager(ThrottlingRequestManager):
    """A manager that records the delays that a crawler sets."""

    delays: ClassVar[set[float]] = set()

    def set_crawl_delay(self, url, delay_seconds):
        self.delays.add(delay_seconds)
        super().set_crawl_delay(url, delay_seconds)


@pytest.mark.parametrize("throttling", [False, True])
def test_delays_are_kept_and_not_reported_as_missing(sites, throttling, caplog):
    """Crawlee would round the delay to whole seconds, and would warn if it had no manager."""

    async def main():
        options = {}
        async with comity.AsyncRobot("ExampleBot/1.0", **OPTIONS) as robot:
            if throttling:
                queue = await open_in_memory()
                options["request_manager"] = RecordingManager(
                    queue,
                    domains=[site.origin for site in sites],
                    request_manager_opener=open_in_memory,
                )
            urls = [site.origin + path for site in sites for path in (page(1), page(2), page(3), "/private")]
            return urls, await crawl(robot, [*urls, "http://a b/"], **options)

    RecordingManager.delays.clear()
    urls, (pages, skipped, errors) = asyncio.run(main())
    assert sorted(pages) == sorted(url for url in urls if "/private" not in url)
    assert {url for url, _ in skipped} == {"http://a b/", *(url for url in urls if "/private" in url)}
    assert errors == []
    assert RecordingManager.delays == ({GAP} if throttling else set())
    assert "Crawl-delay directives" not in caplog.text
    for site in sites:
        assert_polite(site)


def test_client_that_keeps_no_delays_is_reported(caplog):
    async def main():
        async with comity.AsyncRobot("ExampleBot/1.0", **OPTIONS) as robot:
            await crawl(robot, [], http_client=ImpitHttpClient())

    asyncio.run(main())
    assert "Crawl-delay directives from robots.txt will not be enforced" in caplog.text


def test_crawler_must_respect_robots_txt():
    with pytest.raises(
        comity.InvalidArgument, match="respect_robots_txt_file False: the robot judges each URL"
    ):
        PoliteCrawler(robot=comity.AsyncRobot("ExampleBot/1.0", **OPTIONS), respect_robots_txt_file=False)


def test_answers_are_those_of_the_robot(sites):
    site, other = sites
    site.routes["/robots.txt"] = answer(body=b"User-agent: ExampleBot\nDisallow: /private\n")

    async def main():
        async with comity.AsyncRobot("ExampleBot/1.0", **OPTIONS) as robot:
            crawler = PoliteCrawler(robot=robot, configure_logging=False)
            return await crawler._get_robots_txt_file_for_url(f"{site.origin}/page/1")

    robots = asyncio.run(main())
    assert not robots.is_allowed(f"{site.origin}/x/../private")
    assert robots.is_allowed(f"{other.origin}/private")  # judged by its own file
    assert robots.is_allowed("http://a b/")  # not an error of the page: it is skipped when enqueued


def test_other_client(sites):
    site, _ = sites

    async def main():
        async with comity.AsyncRobot("ExampleBot/1.0", **OPTIONS) as robot:
            client = integration.RobotsHttpClient(robot, persist_cookies_per_session=False)
            response = await client.send_request(f"{site.origin}/moved")
            assert await response.read() == b"page"
            async with client.stream(f"{site.origin}/stream") as streamed:
                assert b"".join([part async for part in streamed.read_stream()]) == b"abcdef"
            with pytest.raises(comity.Disallowed):
                await client.send_request(f"{site.origin}/trap")
            with pytest.raises(comity.InvalidArgument, match="invalid header User-Agent 'Other/1'"):
                await client.send_request(f"{site.origin}/page/1", headers={"User-Agent": "Other/1"})
            await client.cleanup()

    asyncio.run(main())
    assert_polite(site)
