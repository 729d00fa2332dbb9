"""Servers of our own on free loopback ports, which answer as they are told, badly if need be, and keep a log."""

import atexit
import contextlib
import socket
import struct
import threading
import time
from collections.abc import Callable
from typing import NamedTuple


class Visit(NamedTuple):
    """A request as the server saw it: when it began and ended, its path and its headers in lower case.

    What is to be sent at once ends before it is sent, so that no client can be done earlier.
    """

    began: float
    ended: float
    path: str
    headers: dict[str, str]


def answer(status=200, body=b"", headers=(), reason="Whatever", length=None):
    """Answer properly, but for what the arguments say."""
    fields = {"content-type": "text/plain", **dict(headers)}
    if length is None:
        length = len(body)
    if length is not False:
        fields["content-length"] = str(length)
    head = "".join(f"{name}: {value}\r\n" for name, value in fields.items())
    return f"HTTP/1.1 {status} {reason}\r\n{head}connection: close\r\n\r\n".encode("latin-1") + body


def redirect(where, status=301):
    return answer(status, headers={"location": where})


class Server:
    """Serves each connection in a thread; `routes` are octets to send, or what does with the connection."""

    def __init__(self, routes=None, tls=None, delay=0.0, clock=time.time):
        self.routes: dict[str, bytes | Callable[[socket.socket], None]] = dict(routes or {})
        self.visits: list[Visit] = []
        # Method and path of each request, and its headers, before it is answered.
        self.asked: list[str] = []
        self.heads: list[dict[str, str]] = []
        self.delay = delay
        self._tls = tls
        self._clock = clock
        self._closing = threading.Event()
        self._socket = socket.create_server(("127.0.0.1", 0), backlog=128)
        self.port = self._socket.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def origin(self):
        return f"{'https' if self._tls else 'http'}://127.0.0.1:{self.port}"

    def paths(self):
        return [visit.path for visit in self.visits]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._closing.set()
        self._socket.close()

    @property
    def closing(self):
        return self._closing.is_set()

    def wait(self, seconds):
        """Let so many seconds go by, or less where the server is closed."""
        self._closing.wait(seconds)

    def _accept(self):
        while True:
            try:
                connection, _ = self._socket.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection):
        with contextlib.suppress(OSError), contextlib.ExitStack() as stack:
            stack.enter_context(connection)
            connection.settimeout(20)
            if self._tls:
                connection = stack.enter_context(self._tls.wrap_socket(connection, server_side=True))
            said = b""
            while b"\r\n\r\n" not in said:
                part = connection.recv(65536)
                if not part:
                    return
                said += part
                if said.startswith(b"\x16"):  # a greeting of TLS
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
            if not callable(route):
                if self.delay:
                    self._closing.wait(self.delay)
                self.visits.append(Visit(began, self._clock(), path, headers))
                connection.sendall(route)
                return
            try:
                route(connection)
            finally:
                self.visits.append(Visit(began, self._clock(), path, headers))

    # What servers do wrong ------------------------------------------------------------------------

    def drips(self, octets, seconds=0.05, head=b"HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\n\r\n"):
        """Send a few octets at a time, for ever."""

        def route(connection):
            connection.sendall(head)
            while not self._closing.wait(seconds):
                connection.sendall(octets)

        return route

    def endless(self, octets, **head):
        """Send octets for ever, as quickly as they are taken."""
        return self.drips(octets, 0.0, **head)

    def silent(self, connection):
        """Say nothing at all."""
        self._closing.wait(20)

    def resets(self, said=b""):
        """Break the connection off, after some octets."""

        def route(connection):
            connection.sendall(said)
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            connection.close()

        return route


#: Sockets that have a port each and do not listen, so that nobody else gets it.
_taken: list[socket.socket] = []
atexit.register(lambda: [taken.close() for taken in _taken])


def unused_port():
    """Give a port that nobody listens on, and nobody will while the tests run."""
    taken = socket.socket()
    taken.bind(("127.0.0.1", 0))
    _taken.append(taken)
    return taken.getsockname()[1]
