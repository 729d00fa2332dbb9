"""A response of urllib3 that keeps the lease of its request until its body is read or closed.

The responses of urllib3-future, which niquests uses, have the same methods.
"""

from collections.abc import Iterator
from functools import cache
from typing import Any

from .permitted import AsyncPermittedRequest, PermittedRequest


class _Held:
    """The methods of a response that receive its body or end it; the class of the response follows."""

    permitted: PermittedRequest | None = None

    def read(self, *arguments: Any, **options: Any) -> bytes:
        data: bytes = super().read(*arguments, **options)  # type: ignore[misc]
        self._renew()
        return data

    def stream(self, *arguments: Any, **options: Any) -> Iterator[bytes]:
        for part in super().stream(*arguments, **options):  # type: ignore[misc]
            self._renew()
            yield part

    def release_conn(self) -> None:  # called at the end of the body
        super().release_conn()  # type: ignore[misc]
        self._end()

    def close(self) -> None:
        super().close()  # type: ignore[misc]
        self._end()

    def __del__(self) -> None:
        self.permitted = None  # a finalizer must not wait; the lease is released later
        super().__del__()  # type: ignore[misc]

    def _renew(self) -> None:
        if self.permitted is not None:
            self.permitted.permit.renew()

    def _end(self) -> None:
        permitted, self.permitted = self.permitted, None
        if permitted is not None:
            permitted.end()


class _AsyncHeld:
    """The methods of an asynchronous response of urllib3-future that receive its body or end it."""

    permitted: AsyncPermittedRequest

    async def read(self, amt: int | None = None, *arguments: Any, **options: Any) -> bytes:
        """Read a part of the body, or all of it."""
        data: bytes = await super().read(amt, *arguments, **options)  # type: ignore[misc]
        if amt is None or (amt and not data):
            await self.permitted.end()
        else:
            await self.permitted.permit.renew()
        return data

    async def close(self) -> None:
        """Close the response, read or not."""
        await super().close()  # type: ignore[misc]
        await self.permitted.end()


@cache
def _held(base: type, kind: type) -> type:
    return type(kind.__name__, (base, kind), {})


def hold(response: Any, permitted: PermittedRequest) -> None:
    """Keep the lease of a request until the body of its `response` is read or closed."""
    if not hasattr(response, "drain_conn") or response.closed:
        permitted.end()  # the body is in memory
        return
    kind: type = type(response)
    response.__class__ = _held(_Held, kind)
    response.permitted = permitted


def hold_async(response: Any, permitted: AsyncPermittedRequest) -> None:
    """Do the same as `hold` for a response that is awaited, and that has a body."""
    kind: type = type(response)
    response.__class__ = _held(_AsyncHeld, kind)
    response.permitted = permitted
