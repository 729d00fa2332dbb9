"""Measure whole crawls of a documentation site: `comity crawl`, Wget and stock Scrapy.

python bench/crawling.py           print the figures of this page alone
python bench/crawling.py --quick   fewer pages, once
python bench/crawling.py --large   also rust-doc, which takes ten minutes a round

The sites are on the loopback: nginx serves them if it is installed, and otherwise Python. The pages of one
have links to all pages of their chapter, with fragments, as in manuals; the other has small pages with few
links. With nginx, there are also Debian's manuals that are installed (apt-get install python3-doc
postgresql-doc rust-doc). All programs store the pages, send one request at a time and have no delay; Scrapy
fetches only the pages, and the others also the files that pages embed. The processor time is that of the
program, not of the server, and includes its start.
"""

import argparse
import contextlib
import glob
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
from collections.abc import Iterator
from pathlib import Path

__all__ = ["crawls", "many_links", "write_site"]

#: The sites: linked pages of each page, fragments of each linked page, and lines of text.
_SITES = {"pages of 34 kB with 183 links": (60, 3, 200), "pages of 3 kB with 11 links": (10, 1, 20)}

#: The folders of Debian's manuals, and the one that is large.
_MANUALS = {
    "python3-doc": "/usr/share/doc/python3.*-doc/html",
    "postgresql-doc": "/usr/share/doc/postgresql-doc-*/html",
    "rust-doc": "/usr/share/doc/rust-doc/html",
}
_LARGE = "rust-doc"

#: The robots.txt of each site: three rules about the manuals, and eight others.
_ROBOTS = "User-agent: *\nDisallow: /_sources/\nDisallow: /src/\nDisallow: /search\n" + "".join(
    f"Disallow: /section-{number}/private\n" for number in range(8)
)

#: The links of the largest page, and the different URLs among them.
_MOST_LINKS, _TARGETS = 400_000, 15_000

_TEXT = '<p>It is <em>brewed</em> for <code class="time">three</code> minutes, and drunk at once.</p>\n'

_SCRAPY = """
import sys, scrapy
from pathlib import Path
from scrapy.crawler import CrawlerProcess
from scrapy.linkextractors import LinkExtractor

class Spider(scrapy.Spider):
    name = "bench"
    start_urls = (sys.argv[1],)
    allowed_domains = ("127.0.0.1",)
    extractor = LinkExtractor()
    stored = 0

    def parse(self, response):
        Spider.stored += 1
        Path(f"{Spider.stored}.html").write_bytes(response.body)
        if isinstance(response, scrapy.http.HtmlResponse):
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
http {{ access_log off; keepalive_requests 1000000; default_type application/octet-stream;
  types {{ text/html html; text/plain txt; text/css css; text/javascript js; image/svg+xml svg; }}
  server {{ listen 127.0.0.1:{port}; root {root}; location = /robots.txt {{ root {folder}; }} }} }}
"""


#: The exit status of Wget if a link of the site leads nowhere.
_WGET_404 = 8

#: Runs a command, and prints its exit status, processor time and peak memory. The peak of a process includes
#: that of the process that started it, so a small one starts it.
_MEASURED = """
import json, resource, subprocess, sys
status = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL).returncode
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(json.dumps([status, used.ru_utime + used.ru_stime, used.ru_maxrss]))
"""


def crawls(
    pages: int = 400, rounds: int = 3, *, large: bool = False
) -> dict[str, dict[str, dict[str, float]]] | None:
    """Return the figures of each program per site: pages, seconds, processor time and memory.

    Return None without Scrapy. With `large`, the largest manual is a site too.
    """
    if not _can_crawl():
        return None
    found = {}
    for title, form in _SITES.items():
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder) / "site"
            write_site(root, pages, *form)
            found[title] = _compared(root, "0.html", Path(folder), rounds)
    for title, pattern in _MANUALS.items():
        roots = sorted(glob.glob(pattern)) if shutil.which("nginx") else []
        if roots and (large or title != _LARGE):
            with tempfile.TemporaryDirectory() as folder:
                found[title] = _compared(Path(roots[-1]), "index.html", Path(folder), rounds)
    return found


def many_links(rounds: int = 3) -> float | None:
    """Return the seconds of processor time that a page with 400,000 links takes, without the start.

    Return None without Scrapy.
    """
    if not _can_crawl():
        return None
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "site"
        root.mkdir()
        for name, number in (("0.html", 1), ("many.html", _MOST_LINKS)):
            links = "".join(f'<a href="/{link % _TARGETS}#{link}">x</a>\n' for link in range(number))
            (root / name).write_text(f"<!DOCTYPE html><title>Links</title>{links}", encoding="utf-8")
        with _served(root, Path(folder)) as url:
            one, many = (
                statistics.median(
                    _run([*_comity(f"{url}/{name}", "batch"), "--limit", "1"], Path(folder))["processor"]
                    for _ in range(rounds)
                )
                for name in ("0.html", "many.html")
            )
    return many - one


def _can_crawl() -> bool:
    return None not in (importlib.util.find_spec("scrapy"), importlib.util.find_spec("tinycss2"))


def _compared(root: Path, page: str, folder: Path, rounds: int) -> dict[str, dict[str, float]]:
    """Return the figures of each program for the site below `root`; `folder` is for other files."""
    with _served(root, folder) as url:
        start = f"{url}/{page}"
        commands: dict[str, list[str]] = {
            "`comity crawl`": _comity(start, "batch"),
            "`comity crawl --durability page`": _comity(start, "page"),
            "Scrapy": [sys.executable, "-c", _SCRAPY, start],
        }
        if shutil.which("wget"):
            commands["Wget"] = ["wget", "-q", "-r", "-l", "inf", start]
        found: dict[str, list[dict[str, float]]] = {name: [] for name in commands}
        for number in range(rounds):
            for name in list(commands)[:: 1 if number % 2 else -1]:
                found[name].append(_run(commands[name], folder))
    return {
        name: {key: statistics.median(run[key] for run in runs) for key in runs[0]}
        for name, runs in found.items()
    }


def _comity(url: str, durability: str) -> list[str]:
    options = ["--delay", "0", "--depth", "1000", "--contact", "bench@example.com", "--job", "job"]
    return [sys.executable, "-m", "comity", "crawl", url, *options, "--durability", durability]


def write_site(root: Path, pages: int, chapter: int, fragments: int, lines: int) -> None:
    """Write pages with links to all pages of their chapter, and to the first of the next one."""
    root.mkdir()
    (root / "robots.txt").write_text(_ROBOTS, encoding="utf-8")
    for number in range(pages):
        first = number - number % chapter
        linked = [*range(first, min(first + chapter, pages)), min(first + chapter, pages - 1)]
        links = "".join(
            f'<li><a class="reference internal" href="{page}.html#part-{part}">Tea {page}.{part}</a></li>\n'
            for page in linked
            for part in range(fragments)
        )
        (root / f"{number}.html").write_text(
            f'<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>Tea {number}</title></head>'
            f"<body><ul>{links}</ul>{_TEXT * lines}</body></html>",
            encoding="utf-8",
        )


@contextlib.contextmanager
def _served(root: Path, folder: Path) -> Iterator[str]:
    """Serve the files below `root` until the end of the block; `folder` is for the files of the server."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    command = [sys.executable, "-c", _SERVER, str(port), str(root)]
    if shutil.which("nginx"):
        settings = folder / "nginx.conf"
        settings.write_text(_NGINX.format(port=port, root=root, folder=folder), encoding="utf-8")
        (folder / "robots.txt").write_text(_ROBOTS, encoding="utf-8")
        folder.chmod(0o755)  # the server may run as another user
        command = ["nginx", "-p", str(folder), "-c", str(settings)]
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
        done = subprocess.run(
            [sys.executable, "-c", _MEASURED, *command],
            cwd=folder,
            env=environment,
            stdout=subprocess.PIPE,
            check=True,
        )
        seconds = time.perf_counter() - began
        stored = sum(1 for _ in Path(folder).rglob("*.html"))
    status, processor, memory = json.loads(done.stdout)
    assert status == 0 or (command[0] == "wget" and status == _WGET_404), command
    return {
        "pages": stored,
        "seconds": seconds,
        "processor": processor,
        "memory": memory * (1 if sys.platform == "darwin" else 1024),
    }


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description="Compare whole crawls of a site.")
    parser.add_argument("--quick", action="store_true", help="fewer pages, once")
    parser.add_argument("--large", action="store_true", help="also the largest manual of Debian")
    options = parser.parse_args()
    pages, rounds = (100, 1) if options.quick else (400, 3)
    figures = {"crawls": crawls(pages, rounds, large=options.large), "links": many_links(rounds)}
    print(json.dumps(figures, indent=1))


if __name__ == "__main__":
    main()
