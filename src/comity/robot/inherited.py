"""The connections that a process inherits when it is forked.

The parent goes on to use them. If both sent requests on one connection, each could receive the answers to the
requests of the other, such as a page instead of a robots.txt. So the forked process opens its own.
"""

import copy
import os
from contextlib import suppress
from typing import Any
from weakref import WeakSet

import httpx2

_transports: WeakSet[httpx2.HTTPTransport | httpx2.AsyncHTTPTransport] = WeakSet()


def leave_to_parent(transport: object) -> None:
    """Let forked processes open connections of their own, if this is a transport of httpx2."""
    if isinstance(transport, httpx2.HTTPTransport | httpx2.AsyncHTTPTransport):
        _transports.add(transport)


def _forget_connections() -> None:
    for transport in list(_transports):
        pool: Any = transport._pool  # httpx2 does not publish it
        own = transport._pool = copy.copy(pool)
        own._connections, own._requests = [], []
        for each in (own, pool):  # an open response is closed by the old pool
            each._optional_thread_lock = type(pool._optional_thread_lock)()  # another thread may hold it
        if isinstance(transport, httpx2.HTTPTransport):
            for connection in pool._connections:
                with suppress(Exception):
                    connection.close()  # only here: nothing is sent


if hasattr(os, "register_at_fork"):  # not on Windows
    os.register_at_fork(after_in_child=_forget_connections)
