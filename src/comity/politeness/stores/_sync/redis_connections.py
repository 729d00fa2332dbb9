# Generated from _async/redis_connections.py by `make generate`; change that file.
"""The connections of one store to its Redis server.

The clients of redis-py poll a connection before each command, and record metrics of it. That takes several
times as much processor time as to send a command, so a store only uses their connections.
"""

import os
from typing import Any

from redis import ConnectionPool
from redis.exceptions import ConnectionError, ResponseError, TimeoutError  # noqa: A004

from ...concurrency._sync import FifoSlots

#: Maximum number of connections of a store, and of seconds that a command waits for one.
CONNECTIONS, CONNECTION_WAIT = 50, 30

#: Maximum number of attempts to connect. On a loaded machine, the first ones can take too long.
CONNECT_ATTEMPTS = 3


class RedisConnections:
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

    def execute(self, *arguments: str | bytes | int) -> Any:
        """Send a command, and return the answer. Raises the errors of redis-py.

        It is sent again if the connection is lost: a restarted server has closed those that were idle. It is
        not sent again after a timeout: the server may make the change yet, and a holder would wait for its
        own lease.
        """
        if self._process != os.getpid():  # after a fork, the connections are those of the parent
            self._renew()
        slots, idle, command = self._slots, self._idle, [_packed(arguments)]
        if not (slots.take_now() or slots.take(CONNECTION_WAIT)):
            raise ConnectionError("No connection available.")
        try:
            try:
                connection = idle.pop()
            except IndexError:
                connection = self._pool.make_connection()
                _connect(connection)
            try:
                return _exchange(connection, command, idle)
            except ConnectionError:
                _connect(connection)
                return _exchange(connection, command, idle)
        finally:
            slots.give_back()
            if self._is_closed:
                self.close()

    def close(self) -> None:
        """Close the connections. One that is in use is closed after its command."""
        self._is_closed = True
        if self._process == os.getpid():
            while self._idle:
                self._idle.pop().disconnect()


def _connect(connection: Any) -> None:
    """Open a connection, again after a timeout: unlike a command, that changes nothing on the server."""
    for attempt in range(CONNECT_ATTEMPTS):
        try:
            connection.connect()
            return
        except BaseException as error:
            connection.disconnect(True)
            if not isinstance(error, TimeoutError) or attempt == CONNECT_ATTEMPTS - 1:
                raise


def _exchange(connection: Any, command: list[bytes], idle: list[Any]) -> Any:
    """Send a command, and return the answer. The connection is `idle` then, unless it is lost."""
    try:
        connection.send_packed_command(command)
        answer = connection.read_response()
    except ResponseError:  # the whole answer
        idle.append(connection)
        raise
    except BaseException:  # a part of the answer may be left
        connection.disconnect(True)
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
