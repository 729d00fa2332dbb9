"""Measure the overhead of politeness: the robot compared with its HTTP client, on the loopback.

The server is a separate process with fixed answers, much faster than the clients.
"""

import asyncio
import importlib.util
import statistics
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import Any

__all__ = ["HEADERS", "PAGE", "ROBOTS", "WHO", "overhead", "server"]

#: A robots.txt of typical size.
ROBOTS = b"User-agent: *\n" + b"".join(b"Disallow: /section-%d/private\n" % n for n in range(11))
PAGE = b"x" * 10_000

WHO = {"user_agent": "ExampleBot/1.0", "contact": "bot@example.com"}
HEADERS = {"User-Agent": "ExampleBot/1.0", "From": "bot@example.com"}

#: Measured times per round, in seconds of one request or one question.
Rounds = dict[str, list[float]]


def overhead(rounds: int, requests: int = 20) -> dict[str, dict[str, float]] | None:
    """Return the requests a second of the client and of the robot, and the cost of a question.

    They alternate in rounds. Return `None` if the client is not installed.
    """
    if importlib.util.find_spec("httpx2") is None:
        return None
    with server() as url:
        taken = {
            "Robot": _sync(url, rounds, requests),
            "AsyncRobot": asyncio.run(_async(url, rounds, requests)),
        }
    return {name: _figures(some) for name, some in taken.items()}


def _figures(taken: Rounds) -> dict[str, float]:
    median = {kind: statistics.median(times) for kind, times in taken.items()}
    return {
        "bare": 1 / median["bare"],
        "robot": 1 / median["robot"],
        "share": median["bare"] / median["robot"],
        "question": median["question"],
        "part": median["question"] / median["bare"],
    }


def _sync(url: str, rounds: int, requests: int) -> Rounds:
    import httpx2

    from comity import Robot
    from comity.stores import MemoryStore

    store = MemoryStore()
    taken: Rounds = {"bare": [], "robot": [], "question": []}
    with (
        httpx2.Client(headers=HEADERS, follow_redirects=True) as bare,
        Robot(**WHO, store=store, delay=0.0) as robot,
    ):
        access = robot.access(url)
        origin, rules = access.origin, access.robots.rules_for("ExampleBot")

        def question() -> bool:
            found = store.load(origin)
            return found is not None and found.fresh(time.time()) and rules.allowed(url)

        actions: dict[str, Callable[[], object]] = {
            "bare": lambda: bare.get(url),
            "robot": lambda: robot.get(url),
            "question": question,
        }
        for number in range(rounds + 1):
            for kind in list(actions)[:: 1 if number % 2 else -1]:
                action, begin = actions[kind], time.perf_counter()
                for _ in range(requests):
                    action()
                taken[kind].append((time.perf_counter() - begin) / requests)
    return _warm(taken)


async def _async(url: str, rounds: int, requests: int) -> Rounds:
    import httpx2

    from comity import AsyncRobot
    from comity.stores import AsyncMemoryStore

    store = AsyncMemoryStore()
    taken: Rounds = {"bare": [], "robot": [], "question": []}
    async with (
        httpx2.AsyncClient(headers=HEADERS, follow_redirects=True) as bare,
        AsyncRobot(**WHO, store=store, delay=0.0) as robot,
    ):
        access = await robot.access(url)
        origin, rules = access.origin, access.robots.rules_for("ExampleBot")

        async def question() -> bool:
            found = await store.load(origin)
            return found is not None and found.fresh(time.time()) and rules.allowed(url)

        actions: dict[str, Callable[[], Awaitable[object]]] = {
            "bare": lambda: bare.get(url),
            "robot": lambda: robot.get(url),
            "question": question,
        }
        for number in range(rounds + 1):
            for kind in list(actions)[:: 1 if number % 2 else -1]:
                action, begin = actions[kind], time.perf_counter()
                for _ in range(requests):
                    await action()
                taken[kind].append((time.perf_counter() - begin) / requests)
    return _warm(taken)


def _warm(taken: Rounds) -> Rounds:
    """Drop the first round, which opens the connection."""
    return {kind: times[1:] for kind, times in taken.items()}


@contextmanager
def server() -> Iterator[str]:
    """Run the server, and yield the URL of a page."""
    with subprocess.Popen([sys.executable, __file__], stdout=subprocess.PIPE, encoding="utf-8") as process:
        try:
            assert process.stdout is not None
            yield f"http://127.0.0.1:{int(process.stdout.readline())}/section-1/public/page.html"
        finally:
            process.terminate()


class _Answering(asyncio.Protocol):
    def connection_made(self, transport: Any) -> None:
        self._transport = transport
        self._received = b""

    def data_received(self, data: bytes) -> None:
        *heads, self._received = (self._received + data).split(b"\r\n\r\n")
        for head in heads:
            body = ROBOTS if head.startswith(b"GET /robots.txt ") else PAGE
            fields = b"content-type: text/plain\r\ncontent-length: %d" % len(body)
            self._transport.write(b"HTTP/1.1 200 OK\r\n" + fields + b"\r\n\r\n" + body)


async def _serve() -> None:
    server = await asyncio.get_running_loop().create_server(_Answering, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(_serve())
