"""An HTTP server for the metrics of a run, in the reactor of Scrapy."""

from collections.abc import Callable
from typing import Any

from twisted.internet.error import CannotListenError
from twisted.web.resource import Resource
from twisted.web.server import Request, Site

from .metrics import MEDIA_TYPE


class _Metrics(Resource):
    isLeaf = True  # noqa: N815  # of Twisted

    def __init__(self, text: Callable[[], str]) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self._text = text

    def render_GET(self, request: Request) -> bytes:  # noqa: N802  # of Twisted
        """Return the metrics."""
        request.setHeader(b"Content-Type", MEDIA_TYPE.encode())  # type: ignore[no-untyped-call]
        return self._text().encode()


def serve_metrics(host: str, port: int, text: Callable[[], str]) -> None:
    """Serve metrics at `/metrics` until the reactor stops; `text` returns them. May raise `OSError`."""
    from twisted.internet import reactor  # installed by Scrapy, so not at the import of this module

    root: Any = Resource()  # type: ignore[no-untyped-call]
    root.putChild(b"metrics", _Metrics(text))
    listen: Any = reactor.listenTCP
    try:
        listen(port, Site(root), interface=host)  # type: ignore[no-untyped-call]
    except CannotListenError as error:
        raise OSError(f"metrics cannot be served at {host}:{port}: {error.socketError}") from error
