"""Measure the processor time of a robot that visits many sites, for each store, and for each request.

python bench/many_sites.py           print the figures of this page alone
python bench/many_sites.py --quick   fewer sites and rounds

`sites` visits each site once: its robots.txt and two pages, from a transport in memory, by a robot with each
store, by an asynchronous robot, and by `httpx2` alone. `requests` fetches
pages of one site on the loopback with `httpx2` and with robots, alternating. Only the processor time of this
process counts, not that of the servers.
"""

import asyncio
import contextlib
import importlib.util
import json
import shutil
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import politeness
from redis_server import redis_server

__all__ = ["requests", "sites"]

#: The pages of each site.
_PAGES = ("section-1/public/one.html", "section-1/public/two.html")

#: Requests per round of one client. The first rounds open connections, and are dropped.
_REQUESTS, _WARM_UP = 200, 2


def sites(numbers: tuple[int, ...] = (1_000, 10_000)) -> dict[str, dict[str, float]] | None:
    """Return the seconds of processor time a site, by client or store, and number of sites.

    Return None if httpx2 is not installed. Redis needs redis-py and a `redis-server`.
    """
    if importlib.util.find_spec("httpx2") is None:
        return None
    with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as stack:
        found: dict[str, dict[str, float]] = {
            "httpx2 alone": {str(number): _visit_alone(number) for number in numbers},
            "AsyncRobot": {str(number): asyncio.run(_visit_async(number)) for number in numbers},
        }
        for name, stores in _stores(Path(folder), stack).items():
            found[name] = {str(number): _visit(stores(), number) for number in numbers}
        return found


def _visit(store: Any, number: int) -> float:
    """Visit sites with two pages each, and return the seconds of processor time for one."""
    from comity import Robot

    with store, Robot(**politeness.WHO, transport=_transport(), store=store, delay=0.0) as robot:
        robot.get("https://first.example/")
        began = time.process_time()
        for site in range(number):
            for page in _PAGES:
                robot.get(f"https://{site}.example/{page}")
        return (time.process_time() - began) / number


async def _visit_async(number: int) -> float:
    """Do the same with an asynchronous robot and its own store in memory."""
    from comity import AsyncRobot

    async with AsyncRobot(**politeness.WHO, transport=_transport(), delay=0.0) as robot:
        await robot.get("https://first.example/")
        began = time.process_time()
        for site in range(number):
            for page in _PAGES:
                await robot.get(f"https://{site}.example/{page}")
        return (time.process_time() - began) / number


def _visit_alone(number: int) -> float:
    """Do the same with httpx2 alone, which requests the robots.txt too and does not read it."""
    import httpx2

    with httpx2.Client(headers=politeness.HEADERS, follow_redirects=True, transport=_transport()) as client:
        client.get("https://first.example/")
        began = time.process_time()
        for site in range(number):
            for page in ("robots.txt", *_PAGES):
                client.get(f"https://{site}.example/{page}")
        return (time.process_time() - began) / number


def _transport() -> Any:
    """Return a transport that answers from memory."""
    import httpx2

    def respond(request: httpx2.Request) -> httpx2.Response:
        body = politeness.ROBOTS if request.url.path == "/robots.txt" else politeness.PAGE
        return httpx2.Response(200, headers={"content-type": "text/plain"}, content=body)

    return httpx2.MockTransport(respond)


def _stores(folder: Path, stack: contextlib.ExitStack) -> dict[str, Any]:
    """Return functions that create each store that is available here."""
    from comity import stores

    files = (folder / f"{number}.sqlite3" for number in range(100))
    found: dict[str, Any] = {
        "MemoryStore": stores.MemoryStore,
        "SQLiteStore": lambda: stores.SQLiteStore(next(files)),
    }
    if shutil.which("redis-server") and importlib.util.find_spec("redis"):
        address = stack.enter_context(redis_server(folder))
        prefixes = (f"{number}:" for number in range(100))
        found["RedisStore"] = lambda: stores.RedisStore(address, prefix=next(prefixes))
    return found


def requests(rounds: int) -> dict[str, float] | None:
    """Return the requests a second of processor time of httpx2, a robot, and a robot with a log."""
    if importlib.util.find_spec("httpx2") is None:
        return None
    import httpx2

    from comity import Robot

    with tempfile.TemporaryDirectory() as folder, politeness.server() as url, contextlib.ExitStack() as stack:
        log = Path(folder) / "log.jsonl"
        clients = {
            "httpx2": httpx2.Client(headers=politeness.HEADERS, follow_redirects=True),
            "robot": Robot(**politeness.WHO, delay=0.0),
            "logged": Robot(**politeness.WHO, delay=0.0, log=log),
        }
        taken: dict[str, list[float]] = {name: [] for name in clients}
        for client in clients.values():
            stack.enter_context(client)
        for number in range(rounds + _WARM_UP):
            for name in list(clients)[:: 1 if number % 2 else -1]:
                get, began = clients[name].get, time.process_time()
                for _ in range(_REQUESTS):
                    get(url)
                taken[name].append((time.process_time() - began) / _REQUESTS)
    return {name: 1 / statistics.median(times[_WARM_UP:]) for name, times in taken.items()}


if __name__ == "__main__":
    _quick = "--quick" in sys.argv
    json.dump(
        {
            "sites": sites((200, 2_000)) if _quick else sites(),
            "requests": requests(8 if _quick else 30),
        },
        sys.stdout,
        indent=2,
    )
