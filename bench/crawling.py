"""Measure whole crawls of a documentation site: `comity crawl`, Wget and stock Scrapy.

python bench/crawling.py           print the figures of this page alone
python bench/crawling.py --quick   fewer pages, once

The site is on the loopback: nginx serves it if it is installed, and otherwise Python. Each page has links to
all pages of its chapter, with fragments, as manuals have. All programs store the pages, send one request at a
time and have no delay. The processor time is that of the program, not of the server.
"""

import argparse
import contextlib
import importlib.util
import json
import os
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

__all__ = ["crawls"]

#: Links of each page, and fragments of each linked page.
_LINKS, _FRAGMENTS = 60, 3

_TEXT = '<p>It is <em>brewed</em> for <code class="time">three</code> minutes, and drunk at once.</p>\n'

_SCRAPY = """
import sys, scrapy
from pathlib import Path
from scrapy.crawler import CrawlerProcess
from scrapy.linkextractors import LinkExtractor

class Spider(scrapy.Spider):
    name = "bench"
    start_urls = (sys.argv[1],)
    extractor = LinkExtractor()
    stored = 0

    def parse(self, response):
        Spider.stored += 1
        Path(f"{Spider.stored}.html").write_bytes(response.body)
        for link in self.extractor.extract_links(response):
            yield response.follow(link)

settings = {"LOG_ENABLED": False, "TELNETCONSOLE_ENABLED": False, "ROBOTSTXT_OBEY": True, "DOWNLOAD_DELAY": 0,
            "CONCURRENT_REQUESTS_PER_DOMAIN": 1}
process = CrawlerProcess(settings)
process.crawl(Spider)
process.start()
"""

_SERVER = """
import functools, http.server, sys
class Handler(http.server.SimpleHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def log_message(self, *_): pass
handler = functools.partial(Handler, directory=sys.argv[2])
http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), handler).serve_forever()
"""

_NGINX = """daemon off; worker_processes 1; pid nginx.pid; error_log stderr crit;
events {{ worker_connections 64; }}
http {{ access_log off; types {{ text/html html; text/plain txt; }} keepalive_requests 1000000;
  server {{ listen 127.0.0.1:{port}; root {root}; }} }}
"""


def crawls(pages: int = 400, rounds: int = 3) -> dict[str, dict[str, float]] | None:
    """Return the figures of each program: pages, seconds, processor time and memory; None without Scrapy."""
    if importlib.util.find_spec("scrapy") is None or importlib.util.find_spec("tinycss2") is None:
        return None
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "site"
        _write_site(root, pages)
        with _served(root) as url:
            commands: dict[str, Callable[[], list[str]]] = {
                "`comity crawl`": lambda: _comity(url, "batch"),
                "`comity crawl --durability page`": lambda: _comity(url, "page"),
                "Scrapy": lambda: [sys.executable, "-c", _SCRAPY, f"{url}/0.html"],
            }
            if shutil.which("wget"):
                commands["Wget"] = lambda: ["wget", "-q", "-r", "-l", "inf", f"{url}/0.html"]
            found: dict[str, list[dict[str, float]]] = {name: [] for name in commands}
            for number in range(rounds):
                for name in list(commands)[:: 1 if number % 2 else -1]:
                    found[name].append(_run(commands[name](), Path(folder)))
    return {
        name: {key: statistics.median(run[key] for run in runs) for key in runs[0]}
        for name, runs in found.items()
    }


def _comity(url: str, durability: str) -> list[str]:
    options = ["--delay", "0", "--depth", "1000", "--contact", "bench@example.com", "--job", "job"]
    return [sys.executable, "-m", "comity", "crawl", f"{url}/0.html", *options, "--durability", durability]


def _write_site(root: Path, pages: int) -> None:
    root.mkdir()
    rules = "".join(f"Disallow: /section-{number}/private\n" for number in range(11))
    (root / "robots.txt").write_text(f"User-agent: *\n{rules}", encoding="utf-8")
    for number in range(pages):
        first = number - number % _LINKS
        linked = [*range(first, min(first + _LINKS, pages)), min(first + _LINKS, pages - 1)]
        links = "".join(
            f'<li><a class="reference internal" href="{page}.html#part-{part}">Tea {page}.{part}</a></li>\n'
            for page in linked
            for part in range(_FRAGMENTS)
        )
        (root / f"{number}.html").write_text(
            f'<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>Tea {number}</title></head>'
            f"<body><ul>{links}</ul>{_TEXT * 200}</body></html>",
            encoding="utf-8",
        )


@contextlib.contextmanager
def _served(root: Path) -> Iterator[str]:
    """Serve a folder until the end of the block."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    command = [sys.executable, "-c", _SERVER, str(port), str(root)]
    if shutil.which("nginx"):
        settings = root.parent / "nginx.conf"
        settings.write_text(_NGINX.format(port=port, root=root), encoding="utf-8")
        root.parent.chmod(0o755)  # the server may run as another user
        command = ["nginx", "-p", str(root.parent), "-c", str(settings)]
    with subprocess.Popen(command) as process:
        try:
            for _ in range(100):
                with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port)):
                    break
                time.sleep(0.1)
            yield f"http://127.0.0.1:{port}"
        finally:
            process.terminate()


def _run(command: list[str], parent: Path) -> dict[str, float]:
    """Run a program in a new folder, and return its figures."""
    with tempfile.TemporaryDirectory(dir=parent) as folder:
        environment = {**os.environ, "XDG_CONFIG_HOME": folder}
        began = time.perf_counter()
        with subprocess.Popen(command, cwd=folder, env=environment, stdout=subprocess.DEVNULL) as process:
            _, status, used = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        seconds = time.perf_counter() - began
        assert process.returncode == 0, command
        stored = sum(1 for _ in Path(folder).rglob("*.html"))
    return {
        "pages": stored,
        "seconds": seconds,
        "processor": used.ru_utime + used.ru_stime,
        "memory": used.ru_maxrss * (1 if sys.platform == "darwin" else 1024),
    }


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description="Compare whole crawls of a site.")
    parser.add_argument("--quick", action="store_true", help="fewer pages, once")
    pages, rounds = (100, 1) if parser.parse_args().quick else (400, 3)
    print(json.dumps(crawls(pages, rounds), indent=1))


if __name__ == "__main__":
    main()
