"""A response of urllib3 that keeps the lease of its request until its body is read or closed."""

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from urllib3 import HTTPResponse

from .permitted import PermittedRequest


class _HeldResponse(HTTPResponse):
    """A response that keeps the lease of its request until its body is read or closed."""

    permitted: PermittedRequest | None = None

    def read(self, *arguments: Any, **options: Any) -> bytes:
        data = super().read(*arguments, **options)
        self._renew()
        return data

    def stream(self, *arguments: Any, **options: Any) -> Iterator[bytes]:  # type: ignore[override]
        for part in super().stream(*arguments, **options):
            self._renew()
            yield part

    def release_conn(self) -> None:  # called at the end of the body
        super().release_conn()
        self._end()

    def close(self) -> None:
        super().close()
        self._end()

    def __del__(self) -> None:
        self.permitted = None  # a finalizer must not wait; the lease is released later
        super().__del__()

    def _renew(self) -> None:
        if self.permitted is not None:
            self.permitted.permit.renew()

    def _end(self) -> None:
        permitted, self.permitted = self.permitted, None
        if permitted is not None:
            permitted.end()


@lru_cache
def _held(kind: type[HTTPResponse]) -> type[_HeldResponse]:
    return type(kind.__name__, (_HeldResponse, kind), {})


def hold(response: object, permitted: PermittedRequest) -> None:
    """Keep the lease of a request until the body of its `response` is read or closed."""
    if not isinstance(response, HTTPResponse) or response.closed:
        permitted.end()  # the body is in memory
        return
    response.__class__ = _held(type(response))
    assert isinstance(response, _HeldResponse)  # noqa: S101
    response.permitted = permitted
