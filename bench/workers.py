"""Measure how a crawl of 100 sites with delays scales with the number of workers on a Redis server.

python bench/workers.py           1, 2, 4 and 8 workers, in about six minutes
python bench/workers.py --quick   1 and 8 workers, fewer pages

It needs Linux, nginx and redis-server. Each site is a loopback address. A worker alone would request as many
pages as the delays allow, so each has a limited bandwidth, like a machine with a network of its own. The
first and the last tenth of the pages do not count, because the workers start and end one after the other.
"""

import argparse
import contextlib
import json
import os
import resource
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import crawling
from redis_server import redis_server

__all__ = ["scaling"]

#: Number of sites, seconds between two requests to each, and the bandwidth of a worker: seven pages a second.
_SITES, _DELAY, _BANDWIDTH = 100, 1.0, "170k"

_NGINX = """daemon off; worker_processes 1; pid nginx.pid; error_log stderr crit;
events {{ worker_connections 4096; }}
http {{ log_format pages '$msec $uri'; access_log pages.log pages; types {{ text/html html; text/plain txt; }}
  server {{ {listen} root {root}; }} }}
"""


def scaling(numbers: tuple[int, ...], pages: int) -> dict[int, dict[str, float]]:
    """Return the figures per number of workers; each site has some `pages`."""
    return {number: _crawl(number, pages) for number in numbers}


def _crawl(workers: int, pages: int) -> dict[str, float]:
    """Crawl the sites, and return pages a second, and per page the processor time and round trips."""
    with tempfile.TemporaryDirectory() as name, contextlib.ExitStack() as stack:
        folder = Path(name)
        crawling.write_site(folder / "site", pages, 60, 3, 200)
        urls = stack.enter_context(_sites(folder))
        (folder / "urls.txt").write_text("\n".join(urls), encoding="utf-8")
        redis = stack.enter_context(redis_server(folder))
        words = [
            *(sys.executable, "-m", "comity", "crawl", "-i", "urls.txt", "--job", "job", "--depth", "1000"),
            *("--delay", str(_DELAY), "--limit-rate", _BANDWIDTH, "--contact", "bench@example.com"),
            *("--redis", redis),
        ]
        output = folder / "out.txt"
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        environment = {**os.environ, "XDG_CONFIG_HOME": str(folder)}
        with output.open("w", encoding="utf-8") as out:
            options: dict[str, Any] = {"cwd": folder, "env": environment, "stdout": out, "stderr": out}
            crawls = [subprocess.Popen(words, **options) for _ in range(workers)]
            assert [crawl.wait() for crawl in crawls] == [0] * workers, output.read_text("utf-8")
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        lines = (folder / "pages.log").read_text(encoding="utf-8").splitlines()
        times = sorted(float(line.split()[0]) for line in lines if line.endswith(".html"))
        assert len(times) == pages * _SITES
        counted = times[len(times) // 10 : -len(times) // 10]
        processor = used.ru_utime + used.ru_stime - before.ru_utime - before.ru_stime
        return {
            "pages a second": len(counted) / (counted[-1] - counted[0]),
            "processor time a page": processor / len(times),
            "round trips a page": _round_trips(redis) / len(times),
        }


@contextlib.contextmanager
def _sites(folder: Path) -> Iterator[list[str]]:
    """Serve the folder `site` at many loopback addresses, and yield their URLs."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    hosts = [f"127.0.1.{number}" for number in range(1, _SITES + 1)]
    listen = " ".join(f"listen {host}:{port};" for host in hosts)
    (folder / "nginx.conf").write_text(_NGINX.format(listen=listen, root=folder / "site"), encoding="utf-8")
    folder.chmod(0o755)  # the server may run as another user
    command = ["nginx", "-p", str(folder), "-c", str(folder / "nginx.conf")]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as server:
        try:
            while True:
                with contextlib.suppress(OSError), socket.create_connection((hosts[0], port)):
                    break
                assert server.poll() is None, command
                time.sleep(0.05)
            yield [f"http://{host}:{port}/0.html" for host in hosts]
        finally:
            server.terminate()


def _round_trips(url: str) -> int:
    """Return how often a Redis server has read from its clients; it reads a pipeline or a script once."""
    import redis

    with redis.Redis.from_url(url) as client:
        found: dict[str, Any] = client.info("stats")
        return int(found["total_reads_processed"])


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description="Measure how a crawl scales with its workers.")
    parser.add_argument("--quick", action="store_true", help="1 and 8 workers, fewer pages")
    found = scaling(*(((1, 8), 4) if parser.parse_args().quick else ((1, 2, 4, 8), 12)))
    alone = found[1]["pages a second"]
    for number, figures in found.items():
        figures["share of linear"] = figures["pages a second"] / number / alone
    print(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
