"""Stores of every backend and flavour for tests, and a Redis server."""

import shutil
import socket
import subprocess
from contextlib import ExitStack, contextmanager
from functools import partial

import pytest
from anyio.from_thread import start_blocking_portal

from comity import stores as store
from comity.protocol.access.outcome import Access, Cause, Outcome

ORIGIN = "https://example.com"


def make_access(origin=ORIGIN, body=b"User-agent: *\nDisallow: /x\n", **changes):
    return Access(
        origin=origin,
        policy="rfc9309",
        dialect="rfc9309",
        outcome=Outcome.RULES,
        cause=Cause.OK,
        detail="status 200",
        status=200,
        url=f"{origin}/robots.txt",
        hops=(),
        checked=1000.0,
        expires=87_400.0,
        failing_since=None,
        body=body,
        truncated=False,
        fetched=1000.0,
        etag='"1"',
        last_modified=None,
        content_type="text/plain",
    ).replace(**changes)


class BlockingStore:
    """An asynchronous store whose methods block."""

    def __init__(self, portal, made):
        self._portal = portal
        self._store = made

    def __getattr__(self, name):
        method = getattr(self._store, "aclose" if name == "close" else name)
        return lambda *arguments, **named: self._portal.call(partial(method, *arguments, **named))


#: Backend and event loop; None is the synchronous store. redis-py supports asyncio only.
FLAVOURS = [
    ("Memory", None),
    ("Memory", "asyncio"),
    ("Memory", "trio"),
    ("SQLite", None),
    ("SQLite", "asyncio"),
    ("SQLite", "trio"),
    ("Redis", None),
    ("Redis", "asyncio"),
]


@contextmanager
def open_store(backend, loop, *arguments, **options):
    """Yield a store of a backend and flavour with blocking methods, and close it."""
    with ExitStack() as stack:
        if loop is None:
            made = getattr(store, f"{backend}Store")(*arguments, **options)
        else:
            portal = stack.enter_context(start_blocking_portal(loop))
            kind = getattr(store, f"Async{backend}Store")
            made = BlockingStore(portal, portal.call(partial(kind, *arguments, **options)))
        stack.callback(made.close)
        yield made


@contextmanager
def redis_server(folder, *, on_disk=False, killed=False):
    """Run a Redis server, and yield its URL. It stores each change on disk if asked to.

    At the end it is stopped, or killed.
    """
    program = shutil.which("redis-server")
    if program is None:
        pytest.skip("needs redis-server: apt-get install redis-server")
    pytest.importorskip("redis")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    stored = "yes" if on_disk else "no"
    options = {"port": port, "bind": "127.0.0.1", "save": "", "appendonly": stored, "dir": folder}
    command = [program, *(word for name, value in options.items() for word in (f"--{name}", str(value)))]
    with subprocess.Popen(command, stdout=subprocess.PIPE, encoding="utf-8") as server:
        try:
            for line in server.stdout:
                if "Ready to accept connections" in line:
                    break
            else:
                pytest.fail("the Redis server did not start")
            yield f"redis://127.0.0.1:{port}/0"
        finally:
            (server.kill if killed else server.terminate)()
            server.communicate()
