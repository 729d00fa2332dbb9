"""HTTP servers on free loopback ports, with any answer, malformed ones included, and a log of requests."""

import atexit
import base64
import contextlib
import inspect
import socket
import struct
import sys
import threading
import time
from collections.abc import Callable
from typing import NamedTuple

#: Hosts for servers that need queues of their own. macOS has one loopback address; the last two share a name.
HOSTS = ("127.0.0.1", *(["localhost"] * 2 if sys.platform == "darwin" else ["127.0.0.2", "127.0.0.3"]))


class Visit(NamedTuple):
    """A request as the server saw it: start and end, path, and headers in lower case.

    The end is the moment before the last part is sent: no client can finish earlier. If nothing is sent, it is the
    start.
    """

    began: float
    ended: float
    path: str
    headers: dict[str, str]


def answer(status=200, body=b"", headers=(), reason="Whatever", length=None):
    """Return the bytes of a response; the arguments can make it invalid."""
    fields = {"content-type": "text/plain", **dict(headers)}
    if length is None:
        length = len(body)
    if length is not False:
        fields["content-length"] = str(length)
    head = "".join(f"{name}: {value}\r\n" for name, value in fields.items())
    return f"HTTP/1.1 {status} {reason}\r\n{head}connection: close\r\n\r\n".encode("latin-1") + body


def redirect(where, status=301):
    return answer(status, headers={"location": where})


class _Connection:
    """A connection that knows when it sent its last part."""

    def __init__(self, connection, clock):
        self._connection = connection
        self._clock = clock
        self.sent = None

    def sendall(self, part):
        self.sent = self._clock()
        self._connection.sendall(part)

    def __getattr__(self, name):
        return getattr(self._connection, name)


class Server:
    """A server with one thread per connection.

    A route is bytes to send, a function of the connection, or a generator function of the parts to send. The
    log of visits is complete when the server is closed: a visit to a function is recorded when it returns.

    With `login`, a user and a password, requests without them are answered with 401 (RFC 7617).
    """

    def __init__(
        self,
        routes=None,
        tls=None,
        delay=0.0,
        clock=time.time,
        login=None,
        host=HOSTS[0],
        address=None,
    ):
        self.host = host
        self.routes: dict[str, bytes | Callable[[socket.socket], None]] = dict(routes or {})
        self.visits: list[Visit] = []
        # Method and path of each request, and its headers, recorded before the answer.
        self.asked: list[str] = []
        self.heads: list[dict[str, str]] = []
        self.delay = delay
        self._tls = tls
        self._authorization = login and f"Basic {base64.b64encode(':'.join(login).encode()).decode()}"
        self._clock = clock
        self._closing = threading.Event()
        address = address or (host.replace("localhost", HOSTS[0]), 0)
        self._socket = socket.create_server(address, backlog=128)
        self.port = self._socket.getsockname()[1]
        self._threads: list[threading.Thread] = []
        self._connections: list[socket.socket] = []
        self._accepting = threading.Thread(target=self._accept, daemon=True)
        self._accepting.start()

    @property
    def origin(self):
        return f"{'https' if self._tls else 'http'}://{self.host}:{self.port}"

    def paths(self):
        return [visit.path for visit in self.visits]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._closing.set()
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)  # wakes the thread that accepts
        self._socket.close()
        self._accepting.join()
        for connection in self._connections:  # wakes the threads that wait for a client
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
        for thread in self._threads:
            thread.join(20)

    @property
    def closing(self):
        return self._closing.is_set()

    def wait(self, seconds):
        """Wait until the time is over or the server is closed."""
        self._closing.wait(seconds)

    def _accept(self):
        while True:
            try:
                connection, _ = self._socket.accept()
            except OSError:
                return
            self._connections.append(connection)
            self._threads.append(threading.Thread(target=self._serve, args=(connection,), daemon=True))
            self._threads[-1].start()

    def _serve(self, connection):
        with contextlib.suppress(OSError), contextlib.ExitStack() as stack:
            stack.enter_context(connection)
            connection.settimeout(20)
            if self._tls:
                connection = stack.enter_context(self._tls.wrap_socket(connection, server_side=True))
                self._connections.append(connection)
            said = b""
            while b"\r\n\r\n" not in said:
                part = connection.recv(65536)
                if not part:
                    return
                said += part
                if said.startswith(b"\x16"):  # the first message of TLS
                    connection.sendall(answer(400))
                    return
            began = self._clock()
            line, *lines = said.partition(b"\r\n\r\n")[0].decode("latin-1").split("\r\n")
            method, path = line.split(" ")[:2]
            headers = {
                name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)
            }
            self.asked.append(f"{method} {path}")
            self.heads.append(headers)
            route = self.routes.get(path, self.routes.get("*", answer(404)))
            if self._authorization not in (None, headers.get("authorization")):
                route = answer(401, headers={"www-authenticate": 'Basic realm="test"'})
            if inspect.isgeneratorfunction(route):
                *parts, last = route()
                for part in parts:
                    connection.sendall(part)
                self.visits.append(Visit(began, self._clock(), path, headers))
                connection.sendall(last)
                return
            if not callable(route):
                if self.delay:
                    self._closing.wait(self.delay)
                self.visits.append(Visit(began, self._clock(), path, headers))
                connection.sendall(route)
                return
            connection = _Connection(connection, self._clock)
            try:
                route(connection)
            finally:
                self.visits.append(Visit(began, connection.sent or began, path, headers))

    # Faulty servers ------------------------------------------------------------------------------

    def drips(self, octets, seconds=0.05, head=b"HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\n\r\n"):
        """Return a route that sends these bytes again and again, with a pause."""

        def route(connection):
            connection.sendall(head)
            while not self._closing.wait(seconds):
                connection.sendall(octets)

        return route

    def endless(self, octets, **head):
        """Return a route that sends these bytes again and again, without a pause."""
        return self.drips(octets, 0.0, **head)

    def silent(self, connection):
        """Send no answer."""
        self._closing.wait(20)

    def resets(self, said=b""):
        """Return a route that resets the connection after these bytes."""

        def route(connection):
            connection.sendall(said)
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            connection.close()

        return route


#: Bound sockets that do not listen; they reserve their ports.
_taken: list[socket.socket] = []
atexit.register(lambda: [taken.close() for taken in _taken])


def unused_port(host=HOSTS[0]):
    """Return a port of a loopback host without a listener; it stays so while the tests run."""
    taken = socket.socket()
    taken.bind((host.replace("localhost", HOSTS[0]), 0))
    _taken.append(taken)
    return taken.getsockname()[1]
