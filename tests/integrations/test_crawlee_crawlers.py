"""Crawlers of Crawlee whose robots.txt answers and requests are those of a robot, on real servers."""

import asyncio

import pytest
from http_server import answer
from polite_sites import PAGES, assert_polite, page, polite_sites

import comity
from comity.stores import AsyncRedisStore

crawlers = pytest.importorskip("crawlee.crawlers")
from crawlee import ConcurrencySettings  # noqa: E402
from crawlee.storage_clients import MemoryStorageClient  # noqa: E402

from comity.integrations import crawlee as integration  # noqa: E402

OPTIONS = {"contact": "bot@example.com", "delay": 0.0, "trust_env": False}

CONCURRENCY = ConcurrencySettings(min_concurrency=PAGES, desired_concurrency=PAGES, max_concurrency=PAGES)


class PoliteCrawler(integration.RobotsCrawlerMixin, crawlers.HttpCrawler):
    """A crawler of a user."""


@pytest.fixture
def sites():
    with polite_sites() as both:
        yield both


async def crawl(robot, urls, **options):
    """Crawl URLs. Return the URLs of the pages, of those that were skipped, and the errors of the others."""
    pages, skipped, errors = [], [], []
    storage = MemoryStorageClient()
    crawler = PoliteCrawler(
        robot=robot,
        concurrency_settings=CONCURRENCY,
        storage_client=storage,
        configure_logging=False,
        max_request_retries=0,
        **options,
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
            result = await crawl(robot, [*urls, *more])
        if store is not None:
            await store.aclose()
        return urls, result

    urls, (pages, skipped, errors) = asyncio.run(main())
    assert sorted(pages) == sorted([*urls, f"{other.origin}/page/1"])
    assert skipped == [(f"{site.origin}/private", "robots_txt")]
    assert [type(error).__name__ for error in errors] == ["Disallowed"] * 2
    assert_polite(site)
    assert_polite(other)


def test_answers_are_those_of_the_robot(sites):
    site, other = sites
    rules = b"User-agent: ExampleBot\nDisallow: /private\nCrawl-delay: 2.5\n"
    rules = b"User-agent: ExampleBot\nDisallow: /private\nCrawl-delay: 2.5\n"
    site.routes["/robots.txt"] = answer(body=rules)

    async def main():
        async with comity.AsyncRobot("ExampleBot/1.0", **OPTIONS) as robot:
            crawler = PoliteCrawler(robot=robot, configure_logging=False)
            return await crawler._get_robots_txt_file_for_url(f"{site.origin}/page/1")

    robots = asyncio.run(main())
    assert robots.get_crawl_delay() == 3
    assert not robots.is_allowed(f"{site.origin}/x/../private")
    assert robots.is_allowed(f"{other.origin}/private")  # judged by its own file


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
