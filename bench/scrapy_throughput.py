"""Compare Scrapy's own `ROBOTSTXT_OBEY` with the add-on, on the loopback, without a delay.

.venv/bin/python bench/scrapy_throughput.py            3,000 pages in each crawl, seven crawls of each
.venv/bin/python bench/scrapy_throughput.py --quick    1,000 pages, three crawls

Needs Scrapy and Comity (`make lint` installs both in `.venv`). Each crawl is a separate process, the kinds
alternate, and each crawl follows the links of a site of small pages and yields an item for each.
"""

import argparse
import asyncio
import json
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

#: A robots.txt of typical size.
_ROBOTS = b"User-agent: *\n" + b"".join(b"Disallow: /section-%d/private\n" % n for n in range(11))

_PAGE = """<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>Tea {number}</title>
<meta name="description" content="All about tea number {number}"></head><body>
<h1>Tea {number}</h1><p>It is brewed for three minutes, and drunk at once.</p>
<ul>{links}</ul><p>Write to us about it.</p></body></html>"""

_KINDS: dict[str, dict[str, Any]] = {
    "Scrapy": {"ROBOTSTXT_OBEY": True},
    "Comity": {"ADDONS": {"comity.integrations.scrapy.Addon": 500}},
    "Comity, access alone": {
        "ADDONS": {"comity.integrations.scrapy.Addon": 500},
        "COMITY_NOFOLLOW": False,
        "COMITY_MARK": "",
    },
}


def main() -> None:
    """Run the crawls alternately, and print a table."""
    parser = argparse.ArgumentParser(description="Compare Scrapy with itself, made to obey.")
    parser.add_argument("--quick", action="store_true", help="fewer pages, fewer times")
    parser.add_argument("--crawl", nargs=3, metavar=("KIND", "URL", "PAGES"), help=argparse.SUPPRESS)
    parser.add_argument("--serve", type=int, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.serve:
        asyncio.run(_serve(arguments.serve))
    elif arguments.crawl:
        kind, url, pages = arguments.crawl
        print(json.dumps(_crawl(_KINDS[kind], url, int(pages))))
    else:
        pages, rounds = (1_000, 3) if arguments.quick else (3_000, 7)
        print(_table(_measured(pages, rounds), pages, rounds))


def _measured(pages: int, rounds: int) -> dict[str, list[dict[str, float]]]:
    found: dict[str, list[dict[str, float]]] = {kind: [] for kind in _KINDS}
    with _server(pages) as url:
        for number in range(rounds):
            for kind in list(_KINDS)[:: 1 if number % 2 else -1]:
                command = [sys.executable, __file__, "--crawl", kind, url, str(pages)]
                done = subprocess.run(command, capture_output=True, encoding="utf-8", check=True)
                found[kind].append(json.loads(done.stdout))
                assert found[kind][-1]["items"] == pages, found[kind][-1]
    return found


def _table(found: dict[str, list[dict[str, float]]], pages: int, rounds: int) -> str:
    lines = [
        "| | pages a second | of Scrapy's | pages a second of processor time | of Scrapy's "
        "| peak memory, MiB | of Scrapy's |",
        "|---|---|---|---|---|---|---|",
    ]
    for kind, runs in found.items():
        cells = [kind]
        for figure in ("speed", "work", "memory"):
            median, scrapys = (
                statistics.median(run[figure] for run in some) for some in (runs, found["Scrapy"])
            )
            cells += [f"{median:.0f}", f"{median / scrapys:.2f}"]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join([*lines, "", f"Medians of {rounds} crawls of {pages:,} pages each."])


def _crawl(settings: dict[str, Any], url: str, pages: int) -> dict[str, float]:
    """Crawl a site in this process."""
    import resource

    import scrapy
    from scrapy.crawler import CrawlerProcess

    class Spider(scrapy.Spider):
        name = "bench"
        start_urls = (f"{url}/0",)

        def parse(self, response: Any) -> Iterator[Any]:
            yield {"url": response.url, "title": response.css("title::text").get()}
            for link in response.css("a::attr(href)").getall():
                yield response.follow(link)

    process = CrawlerProcess({"LOG_ENABLED": False, "TELNETCONSOLE_ENABLED": False, **settings})
    crawler = process.create_crawler(Spider)
    process.crawl(crawler)
    before = time.process_time()
    process.start()
    taken = time.process_time() - before
    stats = crawler.stats.get_stats()
    assert stats["robotstxt/request_count"] == 1
    items = stats.get("item_scraped_count", 0)
    return {
        "items": items,
        "speed": items / stats["elapsed_time_seconds"],
        "work": items / taken,
        "memory": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }


@contextmanager
def _server(pages: int) -> Iterator[str]:
    command = [sys.executable, __file__, "--serve", str(pages)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, encoding="utf-8") as process:
        try:
            assert process.stdout is not None
            yield f"http://127.0.0.1:{int(process.stdout.readline())}"
        finally:
            process.terminate()


async def _serve(pages: int) -> None:
    """Serve a tree of pages with ten links each, much faster than a crawl."""

    class Answering(asyncio.Protocol):
        def connection_made(self, transport: Any) -> None:
            self.transport, self.received = transport, b""

        def data_received(self, data: bytes) -> None:
            *heads, self.received = (self.received + data).split(b"\r\n\r\n")
            for head in heads:
                self.transport.write(_answer(head.split(b" ", 2)[1], pages))

    server = await asyncio.get_running_loop().create_server(Answering, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


def _answer(path: bytes, pages: int) -> bytes:
    if path == b"/robots.txt":
        kind, body = b"text/plain", _ROBOTS
    else:
        number = int(path[1:])
        below = range(10 * number + 1, min(10 * number + 11, pages))
        links = "".join(f'<li><a href="/{each}">Tea {each}</a></li>' for each in below)
        kind, body = b"text/html", _PAGE.format(number=number, links=links).encode()
    return b"HTTP/1.1 200 OK\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n%s" % (kind, len(body), body)


if __name__ == "__main__":
    main()
