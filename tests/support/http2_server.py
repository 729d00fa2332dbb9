"""A small HTTP/2 server with TLS on a free loopback port, and a log of connections and streams."""

import contextlib
import socket
import threading

import h2.config
import h2.connection
import h2.errors
import h2.events

#: A frame with a byte of data of stream 99.
_STRAY = b"\0\0\1\0\0\0\0\0\x63x"


class Http2Server:
    """A server that answers by HTTP/2 only. A route is a status and a body, or a word.

    "reset" resets the stream, "goaway" refuses it and closes the connection, "last" answers and then announces
    that it accepts no other stream, "half" resets the stream within the body, and "closed" cuts the connection.
    "word" has a status that is not a number, and "fields" more header fields than clients accept. "stray" sends
    a part of the body, and then data of a stream that does not exist.
    """

    def __init__(self, tls, routes):
        self.routes = dict(routes)
        #: (number of the connection, path) of each request
        self.requests = []
        #: the number of streams that were open when each request arrived
        self.open_streams = []
        self.connections = 0
        tls.set_alpn_protocols(["h2"])
        self._tls = tls
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.port = self._socket.getsockname()[1]
        self.origin = f"https://127.0.0.1:{self.port}"
        threading.Thread(target=self._accept, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()

    @property
    def paths(self):
        return [path for _, path in self.requests]

    def _accept(self):
        with contextlib.suppress(OSError):
            while True:
                connection, _ = self._socket.accept()
                self.connections += 1
                arguments = connection, self.connections
                threading.Thread(target=self._serve, args=arguments, daemon=True).start()

    def _serve(self, connection, number):
        with contextlib.suppress(OSError, h2.exceptions.ProtocolError), contextlib.ExitStack() as stack:
            stack.enter_context(connection)
            connection.settimeout(10)
            connection = stack.enter_context(self._tls.wrap_socket(connection, server_side=True))
            state = h2.connection.H2Connection(
                h2.config.H2Configuration(client_side=False, validate_outbound_headers=False)
            )
            state.initiate_connection()
            connection.sendall(state.data_to_send())
            while part := connection.recv(65536):
                for event in state.receive_data(part):
                    if isinstance(event, h2.events.RequestReceived):
                        path = dict(event.headers)[b":path"].decode()
                        self.requests.append((number, path))
                        self.open_streams.append(state.open_inbound_streams)
                        if not self._answer(state, event.stream_id, self.routes.get(path, (404, b""))):
                            connection.sendall(state.data_to_send())
                            return
                    elif isinstance(event, h2.events.PingAckReceived):  # the client has read what came before
                        connection.sendall(_STRAY)
                connection.sendall(state.data_to_send())

    def _answer(self, state, stream, route):
        """Answer a request. Return whether the connection stays open."""
        if route == "reset":
            state.reset_stream(stream, h2.errors.ErrorCodes.INTERNAL_ERROR)
        elif route == "goaway":
            state.close_connection(last_stream_id=0)
            return False
        elif route == "closed":
            return False
        elif route == "stray":
            state.send_headers(stream, [(":status", "200"), ("content-type", "text/plain")])
            state.send_data(stream, b"User-agent: *\n")
            state.ping(b"received")
        elif route == "word":
            state.send_headers(stream, [(":status", "good")], end_stream=True)
        elif route == "fields":
            fields = [(f"x-{n}", "x" * 1000) for n in range(100)]
            state.send_headers(stream, [(":status", "200"), *fields], end_stream=True)
        elif route == "half":
            state.send_headers(stream, [(":status", "200"), ("content-type", "text/plain")])
            state.send_data(stream, b"User-agent: *\nDisallow: /private\n")
            state.reset_stream(stream, h2.errors.ErrorCodes.CANCEL)
        else:
            status, body = (200, b"last") if route == "last" else route
            state.send_headers(stream, [(":status", str(status)), ("content-type", "text/plain")])
            state.send_data(stream, body, end_stream=True)
            if route == "last":
                state.close_connection(last_stream_id=stream)
        return True
