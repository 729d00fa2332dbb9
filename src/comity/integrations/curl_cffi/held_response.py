"""A streamed response of curl_cffi that keeps the lease of its request until its body is read or closed."""

from collections.abc import AsyncIterator, Iterator
from typing import Any

from curl_cffi.requests import Response
from curl_cffi.requests.exceptions import RequestException

from ..permitted import AsyncPermittedRequest, PermittedRequest


class HeldResponse(Response):
    """A response of a session whose calls block."""

    permitted: PermittedRequest | None = None

    def iter_content(self, *arguments: Any, **options: Any) -> Iterator[bytes]:
        """Yield the parts of the body."""
        try:
            for part in super().iter_content(*arguments, **options):
                if self.permitted is not None:
                    self.permitted.permit.renew()
                yield part
        except RequestException:
            self._end()
            raise
        self._end()

    def close(self) -> None:
        """Close the response, read or not."""
        super().close()
        self._end()

    def _end(self) -> None:
        permitted, self.permitted = self.permitted, None
        if permitted is not None:
            permitted.end()


class AsyncHeldResponse(Response):
    """A response of a session whose calls are awaited."""

    permitted: AsyncPermittedRequest | None = None

    async def aiter_content(self, *arguments: Any, **options: Any) -> AsyncIterator[bytes]:
        """Yield the parts of the body."""
        async for part in super().aiter_content(*arguments, **options):
            if self.permitted is not None:
                await self.permitted.permit.renew()
            yield part

    async def aclose(self) -> None:
        """Close the response, read or not; also called at the end of the body."""
        await super().aclose()
        permitted, self.permitted = self.permitted, None
        if permitted is not None:
            await permitted.end()


def held_class(base: type[Response], kind: type[Response] | None) -> type[Response]:
    """Return the class of responses that has the methods of `base`, and of the caller's class, `kind`."""
    return base if kind is None else type(kind.__name__, (base, kind), {})
