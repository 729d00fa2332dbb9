"""Responses that keep the lease of their request until the body is read or closed."""

from collections.abc import AsyncIterator, Iterator
from functools import cache
from typing import Any

from .permitted import AsyncPermittedRequest, PermittedRequest


class _Held:
    """A response of a library whose calls block. The class of the library's responses follows it."""

    permitted: PermittedRequest | None = None

    def _renew(self) -> None:
        if self.permitted is not None:
            self.permitted.permit.renew()

    def _end(self) -> None:
        permitted, self.permitted = self.permitted, None
        if permitted is not None:
            permitted.end()

    def close(self) -> None:
        """Close the response, read or not."""
        super().close()  # type: ignore[misc]
        self._end()

    def _renewed(self, parts: Iterator[bytes]) -> Iterator[bytes]:
        """Yield the parts of the body. Nothing follows the last one, or an error."""
        try:
            for part in parts:
                self._renew()
                yield part
        except Exception:
            self._end()
            raise
        self._end()


class _AsyncHeld:
    """A response of a library whose calls are awaited. The class of the library's responses follows it."""

    permitted: AsyncPermittedRequest | None = None

    async def _renew(self) -> None:
        if self.permitted is not None:
            await self.permitted.permit.renew()

    async def _end(self) -> None:
        permitted, self.permitted = self.permitted, None
        if permitted is not None:
            await permitted.end()

    async def _renewed(self, parts: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
        """Yield the parts of the body. Nothing follows the last one, or an error."""
        try:
            async for part in parts:
                await self._renew()
                yield part
        except Exception:
            await self._end()
            raise
        await self._end()


class _Body(_Held):
    """The methods of a response of urllib3, or of urllib3-future, that receive its body or end it."""

    def read(self, *arguments: Any, **options: Any) -> bytes:
        data: bytes = super().read(*arguments, **options)  # type: ignore[misc]
        self._renew()
        return data

    def stream(self, *arguments: Any, **options: Any) -> Iterator[bytes]:
        return self._renewed(super().stream(*arguments, **options))  # type: ignore[misc]

    def release_conn(self) -> None:  # called at the end of the body
        super().release_conn()  # type: ignore[misc]
        self._end()

    def __del__(self) -> None:
        self.permitted = None  # a finalizer must not wait; the lease is released later
        super().__del__()  # type: ignore[misc]


class _AsyncBody(_AsyncHeld):
    """The methods of an asynchronous response of urllib3-future that receive its body or end it."""

    async def read(self, amt: int | None = None, *arguments: Any, **options: Any) -> bytes:
        """Read a part of the body, or all of it."""
        data: bytes = await super().read(amt, *arguments, **options)  # type: ignore[misc]
        await (self._end() if amt is None or (amt and not data) else self._renew())
        return data

    async def close(self) -> None:
        """Close the response, read or not."""
        await super().close()  # type: ignore[misc]
        await self._end()


class _Parts(_Held):
    """The method of a response of curl_cffi that receives its body."""

    def iter_content(self, *arguments: Any, **options: Any) -> Iterator[bytes]:
        """Yield the parts of the body."""
        return self._renewed(super().iter_content(*arguments, **options))  # type: ignore[misc]


class _AsyncParts(_AsyncHeld):
    """The methods of an asynchronous response of curl_cffi that receive its body or end it."""

    def aiter_content(self, *arguments: Any, **options: Any) -> AsyncIterator[bytes]:
        """Yield the parts of the body."""
        return self._renewed(super().aiter_content(*arguments, **options))  # type: ignore[misc]

    async def aclose(self) -> None:
        """Close the response, read or not."""
        await super().aclose()  # type: ignore[misc]
        await self._end()


@cache
def _held_class(base: type, kind: type) -> type:
    """Return the class of the responses of a library, `kind`, with the methods of `base`."""
    return type(kind.__name__, (base, kind), {})


def _hold(response: Any, permitted: PermittedRequest | AsyncPermittedRequest, base: type) -> None:
    kind: type = type(response)
    response.__class__ = _held_class(base, kind)
    response.permitted = permitted


def hold(response: Any, permitted: PermittedRequest) -> None:
    """Keep the lease of a request until the body of its `response` is read or closed.

    The response is one of urllib3, or of urllib3-future, which niquests uses.
    """
    if not hasattr(response, "drain_conn") or response.closed:
        permitted.end()  # the body is in memory
    else:
        _hold(response, permitted, _Body)


def hold_async(response: Any, permitted: AsyncPermittedRequest) -> None:
    """Do the same as `hold` for a response that is awaited, and that has a body."""
    _hold(response, permitted, _AsyncBody)


def hold_streamed(response: Any, permitted: PermittedRequest | AsyncPermittedRequest) -> bool:
    """Do the same as `hold` for a response of curl_cffi. Return False if its body is in memory."""
    if response.queue is None:
        return False
    _hold(response, permitted, _Parts if isinstance(permitted, PermittedRequest) else _AsyncParts)
    return True


class HeldStream:
    """The body of a response of httpx or httpx2. Closing it releases the lease of its request."""

    def __init__(self, stream: Any, permitted: PermittedRequest) -> None:
        self._stream, self._permitted = stream, permitted

    def __iter__(self) -> Iterator[bytes]:
        for part in self._stream:
            self._permitted.permit.renew()
            yield part

    def close(self) -> None:
        """Close the body, read or not."""
        try:
            self._stream.close()
        finally:
            self._permitted.end()


class AsyncHeldStream:
    """The body of a response of httpx or httpx2 that is awaited; see `HeldStream`."""

    def __init__(self, stream: Any, permitted: AsyncPermittedRequest) -> None:
        self._stream, self._permitted = stream, permitted

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for part in self._stream:
            await self._permitted.permit.renew()
            yield part

    async def aclose(self) -> None:
        """Close the body, read or not."""
        try:
            await self._stream.aclose()
        finally:
            await self._permitted.end()
