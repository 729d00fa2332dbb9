"""The option of a crawl that serves metrics."""

import socket
from typing import Any

import click


class MetricsAddress(click.ParamType[tuple[str, int]]):
    """A port, with an optional host: `9100`, `0.0.0.0:9100` or `[::1]:9100`."""

    name = "address"

    def convert(
        self, value: Any, param: click.Parameter | None, context: click.Context | None
    ) -> tuple[str, int]:
        """Return host and port; the default host is the loopback interface."""
        if isinstance(value, tuple):
            return value
        host, _, port = value.rpartition(":")
        if not (port.isascii() and port.isdigit() and len(port) < 6 and 0 < int(port) < 65_536):
            self.fail(f"{value!r}: expected a port such as 9100, or HOST:PORT", param, context)
        return host.strip("[]") or "127.0.0.1", int(port)


def check_metrics(address: tuple[str, int] | None) -> None:
    """Raise `click.UsageError` if no server can listen at an address."""
    if address is None:
        return
    host, port = address
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        with socket.socket(family, socket.SOCK_STREAM) as server:
            server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            server.bind(address)
    except OSError as error:
        raise click.UsageError(f"--metrics: {host}:{port}: {error.strerror or error}") from None


metrics_option = click.option(
    "--metrics",
    metavar="[HOST:]PORT",
    type=MetricsAddress(),
    help="Serve metrics for Prometheus during the crawl, by default on 127.0.0.1.",
)
