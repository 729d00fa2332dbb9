"""The store on a Redis server, or a compatible one, for many machines."""

import os
import re
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from hashlib import sha1
from importlib.resources import files
from types import TracebackType
from typing import Any, Self, cast

from redis.asyncio import BlockingConnectionPool, ConnectionPool, Redis, RedisCluster
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import ConnectionError, NoScriptError, RedisError, ResponseError, TimeoutError  # noqa: A004

from ....errors import InvalidArgument, StoreUnavailable
from ....protocol.access.outcome import Access
from ....protocol.userinfo import without_password
from ....protocol.value import brief
from ...concurrency._async import FifoSlots, require_asyncio
from ...concurrency.lease_owner import has_ended
from ...concurrency.termination import END
from ...pace import DAY, GIVEN_UP, UNUSED, Delay, Lease, Wait
from .. import stored_access as entry
from ..pace_words import delay_words, is_busy, joined, lease_or_wait

#: Maximum number of connections of a store, and of seconds that a command waits for one.
CONNECTIONS, CONNECTION_WAIT = 50, 30

#: Maximum number of attempts to connect. On a loaded machine, the first ones can take too long.
CONNECT_ATTEMPTS = 3


class AsyncRedisConnections:
    """The connections that send the commands of one store."""

    def __init__(self, pool: ConnectionPool) -> None:
        """Send commands by new connections with the settings of a `pool`."""
        self._pool: Any = pool  # some of its methods have no types
        self._is_closed = False
        self._renew()

    def _renew(self) -> None:
        self._process = os.getpid()
        self._slots = FifoSlots(CONNECTIONS)
        self._idle: list[Any] = []

    async def execute(self, *arguments: str | bytes | int) -> Any:
        """Send a command, and return the answer. Raises the errors of redis-py.

        It is sent again if the connection is lost: a restarted server has closed those that were idle. It is
        not sent again after a timeout: the server may make the change yet, and a holder would wait for its
        own lease.
        """
        if self._process != os.getpid():  # after a fork, the connections are those of the parent
            self._renew()
        slots, idle, command = self._slots, self._idle, [_packed(arguments)]
        if not (slots.take_now() or await slots.take(CONNECTION_WAIT)):
            raise ConnectionError("No connection available.")
        try:
            try:
                connection = idle.pop()
            except IndexError:
                connection = self._pool.make_connection()
                await _connect(connection)
            try:
                return await _exchange(connection, command, idle)
            except ConnectionError:
                await _connect(connection)
                return await _exchange(connection, command, idle)
        finally:
            slots.give_back()
            if self._is_closed:
                await self.aclose()

    async def aclose(self) -> None:
        """Close the connections. One that is in use is closed after its command."""
        self._is_closed = True
        if self._process == os.getpid():
            while self._idle:
                await self._idle.pop().disconnect()


async def _connect(connection: Any) -> None:
    """Open a connection, again after a timeout: unlike a command, that changes nothing on the server."""
    for attempt in range(CONNECT_ATTEMPTS):
        try:
            await connection.connect()
            return
        except BaseException as error:
            await connection.disconnect(True)
            if not isinstance(error, TimeoutError) or attempt == CONNECT_ATTEMPTS - 1:
                raise


async def _exchange(connection: Any, command: list[bytes], idle: list[Any]) -> Any:
    """Send a command, and return the answer. The connection is `idle` then, unless it is lost."""
    try:
        await connection.send_packed_command(command)
        answer = await connection.read_response()
    except ResponseError:  # the whole answer
        idle.append(connection)
        raise
    except BaseException:  # a part of the answer may be left
        await connection.disconnect(True)
        raise
    idle.append(connection)
    return answer


def _packed(arguments: tuple[str | bytes | int, ...]) -> bytes:
    r"""Return a command as its bytes in the protocol of Redis; `pack_command` of redis-py is slow.

    >>> _packed(("GET", b"key"))
    b'*2\r\n$3\r\nGET\r\n$3\r\nkey\r\n'
    """
    parts = [b"*%d\r\n" % len(arguments)]
    for argument in arguments:
        data = argument if type(argument) is bytes else str(argument).encode()
        parts.append(b"$%d\r\n%b\r\n" % (len(data), data))
    return b"".join(parts)


#: The functions of `pace` as a script for the server.
PACE_LUA = (files("comity.politeness") / "pace.lua").read_text("utf-8")


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
        """Create a store. It connects on first use; commands and attempts to connect have five seconds.

        Raises `InvalidArgument` for a URL that redis-py cannot use, and for a client that decodes responses.
        """
        self._closed = False
        # Any: the types of redis-py are unions of synchronous and asynchronous results.
        self._client: Any = _client(server)
        if self._client.get_encoder().decode_responses:
            raise InvalidArgument(
                "invalid server: bodies are bytes; create the client without decode_responses=True",
                name="server",
            )
        #: the connections of the store itself, None if it uses the client of the caller
        self._connections: AsyncRedisConnections | None = None
        self._execute: Callable[..., Any] = self._client.execute_command
        if isinstance(server, str):
            self._connections = AsyncRedisConnections(self._client.connection_pool)
            self._execute = self._connections.execute
        self._prefix = prefix
        self._rejected = entry.RejectedEntries()
        self._digest = sha1(PACE_LUA.encode()).hexdigest()  # noqa: S324  # by which the server knows a script
        #: whether one script can use two keys, which a cluster may have on two servers
        self._is_one_server = not isinstance(self._client, RedisCluster)

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
        return f"{type(self).__name__}({brief(address, 150)})"

    @property
    def client(self) -> Redis:
        """The client of redis-py, for other uses of the same server."""
        return cast(Redis, self._client)

    def pace_key(self, host: str) -> str:
        """Return the key of the pace of a `host`, for scripts that read it."""
        return f"{self._prefix}pace:{host}"

    def _answer_key(self, origin: str) -> str:
        return f"{self._prefix}answer:{origin}"

    async def load(self, origin: str) -> Access | None:
        """Return the stored answer of an origin, fresh or not, or `None`."""
        key = self._answer_key(origin)
        with self._available():
            try:
                # A range, so that a huge value cannot fill the memory.
                found = await self._execute("GETRANGE", key, 0, entry.LIMIT)
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
                await self._execute("SET", self._answer_key(access.origin), data, "EX", seconds)

    async def acquire(
        self, host: str, delay: Delay, holder: str, now: float | None, lease_seconds: float
    ) -> Lease | Wait:
        """Acquire the lease of a host; see `pace.acquire`. The store's clock is the server's."""
        wanted = (*delay_words(delay), min(lease_seconds, DAY))
        answer = (await self._step("acquire", host, holder, now, *wanted)).split(b" ", 3)
        if is_busy(answer) and has_ended(answer[3].decode("utf-8", "replace")):
            # The end of its request is not known, and the server may notice it a moment later.
            await self._step("release", host, answer[3], now, GIVEN_UP, None, -END)
            answer = (await self._step("acquire", host, holder, now, *wanted)).split(b" ", 3)
        return lease_or_wait(answer, holder)

    async def load_or_acquire(
        self, origin: str, host: str, delay: Delay, holder: str, now: float | None, lease_seconds: float
    ) -> Access | Lease | Wait:
        """Return the stored answer of an origin, or acquire the lease of its host, in one round trip."""
        wanted = (*delay_words(delay), min(lease_seconds, DAY), entry.LIMIT)
        keys = self.pace_key(host), self._answer_key(origin)
        answer = await self._run_with_two(keys, "load_or_acquire", holder, joined(now, *wanted))
        if answer is None:
            return await self._load_and_acquire(origin, host, delay, holder, now, lease_seconds)
        if isinstance(answer, list):
            known = entry.restore(answer[0], origin, self._rejected)
            if known is not None:
                return known
        elif not is_busy(words := answer.split(b" ", 3)):
            return lease_or_wait(words, holder)
        return await self.acquire(host, delay, holder, now, lease_seconds)

    async def _load_and_acquire(
        self, origin: str, host: str, delay: Delay, holder: str, now: float | None, lease_seconds: float
    ) -> Access | Lease | Wait:
        """Do the same with several commands, for keys that may be on two servers."""
        known = await self.load(origin)
        if known is not None:
            return known
        granted = await self.acquire(host, delay, holder, now, lease_seconds)
        if isinstance(granted, Lease) and (known := await self.load(origin)) is not None:
            await self.release(host, holder, now, UNUSED)
            return known
        return granted

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
        """Store the answer `access` and release a lease, in one round trip.

        The outcome of its request is `status`, `retry_after`, `ago` and `response_time`; see `release`.
        """
        data = entry.encode(access)
        done = None
        if data is not None:
            pause = None if retry_after is None else min(retry_after, DAY)
            kept = int(entry.lifetime_of(access, time.time()))
            words = joined(now, status, pause, ago, response_time, kept)
            keys = self.pace_key(host), self._answer_key(access.origin)
            done = await self._run_with_two(keys, "save_and_release", holder, words, data)
        if done is None:
            await self.save(access)
            outcome = now, status, retry_after
            await self.release(host, holder, *outcome, ago=ago, response_time=response_time)

    async def wait(self, host: str, delay: Delay, now: float | None) -> Wait | None:
        """Return how long a request would have to wait; see `pace.wait`."""
        answer = await self._step("wait", host, "", now, *delay_words(delay))
        if answer == b"none":
            return None
        found = lease_or_wait(answer.split(b" ", 3), "")
        assert isinstance(found, Wait)  # noqa: S101  # the script has no other answer
        return found

    async def visits(self, host: str) -> int:
        """Return how many requests to a host have ended."""
        return int(await self._step("visits", host, "", None))

    async def _step(
        self, step: str, host: str, holder: str | bytes, now: float | None, *arguments: float | str | None
    ) -> Any:
        return await self._run((self.pace_key(host),), step, holder, joined(now, *arguments))

    async def _run(self, keys: tuple[str, ...], *arguments: str | bytes) -> Any:
        """Run the script. It is sent again if the server does not know it, for example after a restart."""
        # Not with `register_script`, which costs more processor time than the rest of the call.
        command = ("EVALSHA", self._digest, len(keys), *keys, *arguments)
        with self._available():
            try:
                return await self._execute(*command)
            except NoScriptError:
                if self._connections is None:
                    await self._client.script_load(PACE_LUA)
                else:
                    await self._execute("SCRIPT", "LOAD", PACE_LUA)
                return await self._execute(*command)

    async def _run_with_two(self, keys: tuple[str, str], *arguments: str | bytes) -> Any:
        """Run the script with two keys. Return None if they may be on two servers of a cluster."""
        if self._is_one_server:
            try:
                return await self._run(keys, *arguments)
            except StoreUnavailable as error:
                if not str(error.__cause__).startswith("CROSSSLOT"):  # by a proxy before a cluster
                    raise
                self._is_one_server = False
        return None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Close the connections, unless the caller created the client.

        Every later operation raises `StoreUnavailable`: the client would connect again.
        """
        self._closed = True
        if self._connections is not None:
            with _ErrorsAsUnavailable():
                await self._connections.aclose()
                await self._client.aclose()

    def _available(self) -> AbstractContextManager[None]:
        require_asyncio("AsyncRedisStore", "AsyncSQLiteStore")  # redis-py does
        if self._closed:
            raise StoreUnavailable("the Redis server of the store: the store is closed; create another one")
        return _ErrorsAsUnavailable()


def _client(server: "str | Redis") -> Any:
    if isinstance(server, str):
        # Retry immediately: a restarted server has closed the idle connections. Not after a timeout: the
        # server may make the change yet, and a holder would wait for its own lease.
        again = Retry(NoBackoff(), 1, supported_errors=(ConnectionError,))
        try:
            # More requests than connections wait; the default pool would raise an error.
            pool: Any = BlockingConnectionPool.from_url(
                server,
                max_connections=CONNECTIONS,
                timeout=CONNECTION_WAIT,
                socket_timeout=5.0,
                socket_connect_timeout=5.0,
                retry=again,
            )
            pool.make_connection()  # which is not opened: it checks the query
            _check_database(server)
            return Redis.from_pool(pool)
        except (TypeError, ValueError, RedisError) as error:
            address = without_password(server).partition("?")[0]  # the query may have a password too
            shown = f"invalid server {address!r:.200}"
            expected = "expected a URL such as redis://localhost:6379/0"
            unknown = re.search(r"unexpected keyword argument ('[^']{1,50}')", str(error))
            why = f"unknown parameter {unknown[1]}" if unknown else str(error)
            why = "" if "@" in server else f" ({why})"  # it may quote a part of a password
            raise InvalidArgument(f"{shown}: {expected}{why}", name="server") from None
    if not hasattr(server, "get_encoder"):
        raise InvalidArgument(
            f"invalid server {server!r:.200}: expected a URL, or a client of redis-py", name="server"
        )
    return server


def _check_database(server: str) -> None:
    """Raise `ValueError` for a path that is not the number of a database: redis-py ignores it."""
    scheme, _, rest = server.partition("://")
    path = rest.partition("?")[0].partition("/")[2]
    if scheme != "unix" and path and not re.fullmatch("[0-9]{1,9}", path):
        raise ValueError("the path is not the number of a database")


class _ErrorsAsUnavailable(AbstractContextManager[None]):
    """Raises `StoreUnavailable` for the errors of redis-py. A generator would cost several times as much."""

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if isinstance(error, (RedisError, OSError)):
            raise StoreUnavailable(f"the Redis server of the store: {error}") from error
