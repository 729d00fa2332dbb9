"""The interface of the stores for the state of robots; `comity.stores` has the classes.

For each origin, a store holds the answer to the request for robots.txt (`Access`). For each host, it holds
the pace of the requests. Tasks, processes and machines that use the same store share both: a robots.txt is
fetched once, and all of them together send one request at a time to a host, with its gap.
"""

from typing import Protocol, runtime_checkable

from ...protocol.access.outcome import Access
from ..pace import Delay, Lease, Wait


class Store(Protocol):
    """The interface of a synchronous store.

    `origin` is a scheme, a host and a port, as in "https://example.com". `host` is the host alone, as in
    "example.com": all its ports and schemes share one pace. `holder` is a text that identifies one request.
    `delay` is the delay that the request must observe, and `lease_seconds` how long its lease is valid.
    `status` is the HTTP status code of the answer, None if there was none, and `retry_after` the number of
    seconds that it asked for.

    `now` is the time in seconds since 1970, or `None` for the store's own clock, which all its users share:
    the clock of the machine or of the Redis server.

    A `Delay` states the gap between requests, and `holder` is a text that names one request. A lease ends
    after `lease_seconds`, unless it is renewed or released before.

    Every method raises `StoreUnavailable` if the file or server is unavailable. A store may have the methods
    of `CombinedSteps` too.

    >>> from comity.politeness.pace import Delay, WaitReason
    >>> from comity.stores import MemoryStore
    >>> store: Store = MemoryStore()
    >>> delay = Delay(gap=5.0, why=WaitReason.GAP, visit_wait=0.0, notes=(), slow_down=0.0)
    >>> store.acquire("example.com", delay, "request 1", now=100.0, lease_seconds=60.0)
    Lease(holder='request 1', began=100.0, expires=160.0, ended=None)
    >>> store.release("example.com", "request 1", now=101.0, status=200)
    >>> store.acquire("example.com", delay, "request 2", now=102.0, lease_seconds=60.0)
    Wait(seconds=4.0, why=WaitReason.GAP)
    """

    def load(self, origin: str) -> Access | None:
        """Return the stored answer of an `origin`, fresh or not, or `None`."""

    def save(self, access: Access) -> None:
        """Store an answer, `access`, replacing the previous one of its origin."""

    def acquire(
        self, host: str, delay: Delay, holder: str, now: float | None, lease_seconds: float
    ) -> Lease | Wait:
        """Acquire the lease of a `host`, or return how long to wait; `delay` is the gap to observe."""

    def renew(self, host: str, holder: str, now: float | None, lease_seconds: float) -> None:
        """Extend the lease of a `holder`; without effect if another one has it by now."""

    def release(
        self,
        host: str,
        holder: str,
        now: float | None,
        status: int | None,
        retry_after: float | None = None,
        *,
        ago: float = 0.0,
        response_time: float | None = None,
    ) -> None:
        """Release the lease of a `holder` and record the outcome of its request.

        `status` is the status code, or `None` if there was no response. `retry_after` is the number of
        seconds that a Retry-After field names, or `None`. The request ended `ago` seconds before `now`, or
        ends later if that is negative: a robot releases a lease again if the store was unavailable.
        `response_time` is the response time in seconds, or `None` if it was not measured.
        """

    def wait(self, host: str, delay: Delay, now: float | None) -> Wait | None:
        """Return how long a request to a `host` would have to wait, or None if it could be sent.

        Nothing changes: no lease is acquired. `delay` is the delay that the request would have to observe.
        """

    def visits(self, host: str) -> int:
        """Return how many requests to a `host` have ended, of all users of the store.

        Each lease that was released counts once, unless its status was `pace.UNUSED`. The number may be
        dropped 30 days after the last request.
        """

    def close(self) -> None:
        """Close files and connections; the stored data stays.

        A closed store stays closed: if it needs a file or a connection, every later operation raises
        `StoreUnavailable`.
        """


@runtime_checkable
class CombinedSteps(Protocol):
    """Two steps of a store at once. A store may have these methods; they save round trips and transactions.

    A robot uses them instead of the single methods of `Store`, whose arguments they share.

    >>> import tempfile
    >>> from comity.politeness.pace import required_delay
    >>> from comity.stores import SQLiteStore
    >>> with tempfile.TemporaryDirectory() as folder, SQLiteStore(f"{folder}/robots.sqlite3") as store:
    ...     both: CombinedSteps = store
    ...     wanted = "https://example.com", "example.com", required_delay(None, now=0.0), "request 1"
    ...     both.load_or_acquire(*wanted, now=100.0, lease_seconds=60.0)
    Lease(holder='request 1', began=100.0, expires=160.0, ended=None)
    """

    def load_or_acquire(
        self, origin: str, host: str, delay: Delay, holder: str, now: float | None, lease_seconds: float
    ) -> Access | Lease | Wait:
        """Return the stored answer of an origin, fresh or not; without one, acquire the lease of its host.

        Both are one atomic step: no answer is stored between them.
        """

    def save_and_release(
        self,
        access: Access,
        host: str,
        holder: str,
        now: float | None,
        status: int | None,
        retry_after: float | None = None,
        *,
        ago: float = 0.0,
        response_time: float | None = None,
    ) -> None:
        """Store `access`, and release the lease of a `holder`, in this order or in one step.

        The outcome of its request is `status`, `retry_after`, `ago` and `response_time`; see `Store.release`.
        """


class AsyncStore(Protocol):
    """The interface of an asynchronous store: the methods of `Store` as coroutines."""

    async def load(self, origin: str) -> Access | None:
        """See `Store.load`."""

    async def save(self, access: Access) -> None:
        """See `Store.save`."""

    async def acquire(
        self, host: str, delay: Delay, holder: str, now: float | None, lease_seconds: float
    ) -> Lease | Wait:
        """See `Store.acquire`."""

    async def renew(self, host: str, holder: str, now: float | None, lease_seconds: float) -> None:
        """See `Store.renew`."""

    async def release(
        self,
        host: str,
        holder: str,
        now: float | None,
        status: int | None,
        retry_after: float | None = None,
        *,
        ago: float = 0.0,
        response_time: float | None = None,
    ) -> None:
        """See `Store.release`."""

    async def wait(self, host: str, delay: Delay, now: float | None) -> Wait | None:
        """See `Store.wait`."""

    async def visits(self, host: str) -> int:
        """See `Store.visits`."""

    async def aclose(self) -> None:
        """See `Store.close`."""


@runtime_checkable
class AsyncCombinedSteps(Protocol):
    """Two steps of an asynchronous store at once: the methods of `CombinedSteps` as coroutines."""

    async def load_or_acquire(
        self, origin: str, host: str, delay: Delay, holder: str, now: float | None, lease_seconds: float
    ) -> Access | Lease | Wait:
        """See `CombinedSteps.load_or_acquire`."""

    async def save_and_release(
        self,
        access: Access,
        host: str,
        holder: str,
        now: float | None,
        status: int | None,
        retry_after: float | None = None,
        *,
        ago: float = 0.0,
        response_time: float | None = None,
    ) -> None:
        """Store `access`, and release a lease; see `CombinedSteps.save_and_release`.

        The outcome is `status`, `retry_after`, `ago` and `response_time`.
        """
