"""The store on a Redis server, or a compatible one, for many machines."""

import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from importlib.resources import files
from typing import Any, Self, cast

from redis.asyncio import BlockingConnectionPool, Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import ConnectionError, RedisError, ResponseError  # noqa: A004

from ....errors import InvalidArgument, StoreUnavailable
from ....protocol.access.outcome import Access
from ....protocol.userinfo import without_password
from ...concurrency._async import require_asyncio
from ...concurrency.holder import has_ended
from ...pace import DAY, GIVEN_UP, Delay, Lease, Wait, WaitReason
from .. import entry

#: The functions of `pace` as a script for the server.
PACE_LUA = (files("comity.politeness") / "pace.lua").read_text("utf-8")

#: Maximum number of connections of a store, and of seconds that an operation waits for one.
_CONNECTIONS, _CONNECTION_WAIT = 50, 30


class AsyncRedisStore:
    """A store on a Redis server, for all machines that use it.

    `server` is a URL such as "redis://localhost:6379/0", or a client of redis-py, which the caller closes.
    Every key begins with `prefix` and expires: an answer 30 days after it was saved, or when it ceases to
    hold, if that is later; a pace with the number of visits 30 days after the last request. Each change of a
    lease is one script on the server. It uses the clock of the server unless a time is given, so that
    machines with different clocks keep the same gaps.

    The methods are those of `comity.stores.Store`.
    """

    def __init__(self, server: "str | Redis", *, prefix: str = "comity:") -> None:
        """Create a store. It connects on first use; commands have a timeout of five seconds.

        Raises `InvalidArgument` for a URL that redis-py cannot use, and for a client that decodes responses.
        """
        self._ours = isinstance(server, str)
        self._closed = False
        # Any: the types of redis-py are unions of synchronous and asynchronous results.
        self._client: Any = _client(server)
        if self._client.get_encoder().decode_responses:
            raise InvalidArgument(
                "invalid server: bodies are bytes; create the client without decode_responses=True",
                name="server",
            )
        self._prefix = prefix
        self._rejected = entry.RejectedEntries()
        self._script = self._client.register_script(PACE_LUA)

    def __repr__(self) -> str:
        """Return the class and the address, without user name and password."""
        pool = getattr(self._client, "connection_pool", None)
        if pool is None or hasattr(pool, "service_name"):  # a cluster, or Sentinel
            return f"{type(self).__name__}(<{type(self._client).__name__}>)"
        where = pool.connection_kwargs
        database = where.get("db") or 0
        if "path" in where:
            address = f"unix://{where['path']}?db={database}"
        else:
            scheme = "rediss" if "SSL" in pool.connection_class.__name__ else "redis"
            address = f"{scheme}://{where.get('host', 'localhost')}:{where.get('port', 6379)}/{database}"
        return f"{type(self).__name__}({address!r})"

    @property
    def client(self) -> Redis:
        """The client of redis-py, for other uses of the same server."""
        return cast(Redis, self._client)

    def pace_key(self, host: str) -> str:
        """Return the key of the pace of a `host`, for scripts that read it."""
        return f"{self._prefix}pace:{host}"

    async def load(self, origin: str) -> Access | None:
        """Return the stored answer of an origin, fresh or not, or `None`."""
        key = f"{self._prefix}answer:{origin}"
        with self._available():
            try:
                # A range, so that a huge value cannot fill the memory.
                found = await self._client.getrange(key, 0, entry.LIMIT)
            except ResponseError as error:
                if not str(error).startswith("WRONGTYPE"):
                    raise
                return None
        return entry.restore(found, origin, self._rejected) if found else None

    async def save(self, access: Access) -> None:
        """Store the answer `access`, replacing the previous one of its origin."""
        data = entry.encode(access)
        if data is not None:
            with self._available():
                seconds = int(entry.lifetime_of(access, time.time()))
                await self._client.set(f"{self._prefix}answer:{access.origin}", data, ex=seconds)

    async def acquire(
        self, host: str, delay: Delay, holder: str, now: float | None, lease_seconds: float
    ) -> Lease | Wait:
        """Acquire the lease of a host; see `pace.acquire`. The store's clock is the server's."""
        wanted = (delay.gap, delay.why.name, delay.visit_wait, delay.slow_down, min(lease_seconds, DAY))
        kind, first, second, *held = await self._step("acquire", host, holder, now, *wanted)
        if held and has_ended(held[0].decode("utf-8", "replace")):
            # The end of its request is not known, so the gap begins now.
            await self._step("release", host, held[0], now, GIVEN_UP, None, 0.0)
            kind, first, second, *_ = await self._step("acquire", host, holder, now, *wanted)
        if kind == b"lease":
            return Lease(holder, float(first), float(second))
        return Wait(float(first), WaitReason[second.decode()])

    async def renew(self, host: str, holder: str, now: float | None, lease_seconds: float) -> None:
        """Extend a lease; see `pace.renew`."""
        await self._step("renew", host, holder, now, min(lease_seconds, DAY))

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
        """Release a lease and record the outcome of its request; see `pace.release`."""
        seconds = None if retry_after is None else min(retry_after, DAY)
        await self._step("release", host, holder, now, status, seconds, ago, response_time)

    async def wait(self, host: str, delay: Delay, now: float | None) -> Wait | None:
        """Return how long a request would have to wait; see `pace.wait`."""
        wanted = (delay.gap, delay.why.name, delay.visit_wait, delay.slow_down)
        kind, *answer = await self._step("wait", host, "", now, *wanted)
        return Wait(float(answer[0]), WaitReason[answer[1].decode()]) if kind == b"wait" else None

    async def visits(self, host: str) -> int:
        """Return how many requests to a host have ended."""
        return int(await self._step("visits", host, "", None))

    async def _step(
        self, step: str, host: str, holder: str | bytes, now: float | None, *arguments: float | str | None
    ) -> Any:
        with self._available():
            return await self._script(
                keys=[self.pace_key(host)], args=[step, holder, *map(_text, (now, *arguments))]
            )

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Close the connections, unless the caller created the client.

        Every later operation raises `StoreUnavailable`: the client would connect again.
        """
        self._closed = True
        if self._ours:
            with _errors_as_unavailable():
                await self._client.aclose()

    def _available(self) -> AbstractContextManager[None]:
        require_asyncio("AsyncRedisStore", "AsyncSQLiteStore")  # redis-py does
        if self._closed:
            raise StoreUnavailable("the Redis server of the store: the store is closed; create another one")
        return _errors_as_unavailable()


def _client(server: "str | Redis") -> Any:
    if isinstance(server, str):
        # Retry immediately: a restarted server has closed the idle connections. Not after a timeout: the
        # server may make the change yet, and a holder would wait for its own lease.
        again = Retry(NoBackoff(), 1, supported_errors=(ConnectionError,))
        try:
            # More requests than connections wait; the default pool would raise an error.
            pool = BlockingConnectionPool.from_url(
                server,
                max_connections=_CONNECTIONS,
                timeout=_CONNECTION_WAIT,
                socket_timeout=5.0,
                socket_connect_timeout=5.0,
                retry=again,
            )
            return Redis.from_pool(pool)
        except ValueError as error:
            address = without_password(server.partition("?")[0])  # the query may have a password too
            shown = f"invalid server {address!r:.200}"
            expected = "expected a URL such as redis://localhost:6379/0"
            why = "" if "@" in server else f" ({error})"  # it may quote a part of a password
            raise InvalidArgument(f"{shown}: {expected}{why}", name="server") from None
    if not hasattr(server, "get_encoder"):
        raise InvalidArgument(
            f"invalid server {server!r:.200}: expected a URL, or a client of redis-py", name="server"
        )
    return server


def _text(value: float | str | None) -> str:
    return "" if value is None else value if isinstance(value, str) else repr(value)


@contextmanager
def _errors_as_unavailable() -> Iterator[None]:
    try:
        yield
    except (RedisError, OSError) as error:
        raise StoreUnavailable(f"the Redis server of the store: {error}") from error
