"""One question at a time about one thing; whoever asks meanwhile waits for the same answer."""

from collections.abc import Callable, Coroutine
from typing import Any, Generic, TypeVar

from scrapy.utils.defer import deferred_from_coro, maybe_deferred_to_future
from twisted.internet.defer import Deferred
from twisted.python.failure import Failure

__all__ = ["Flights"]

_Answer = TypeVar("_Answer")


class Flights(Generic[_Answer]):
    """The questions that are being asked, under any of Scrapy's reactors.

    Each is asked apart from those who wait for it, so whoever stops waiting stops nobody else.
    """

    def __init__(self) -> None:
        """Begin with none."""
        self._waiting: dict[str, list[Deferred[_Answer]]] = {}

    def __contains__(self, key: str) -> bool:
        return key in self._waiting

    async def once(self, key: str, ask: Callable[[], Coroutine[Any, Any, _Answer]]) -> _Answer:
        """Give the answer, asked for unless somebody does already; raises what asking raises."""
        waiter: Deferred[_Answer] = Deferred()
        if key in self._waiting:
            self._waiting[key].append(waiter)
        else:
            self._waiting[key] = [waiter]
            deferred_from_coro(ask()).addBoth(self._tell, key)
        return await maybe_deferred_to_future(waiter)

    def _tell(self, answer: Any, key: str) -> None:
        for waiter in self._waiting.pop(key):
            if waiter.called:  # cancelled
                continue
            if isinstance(answer, Failure):
                waiter.errback(answer)
            else:
                waiter.callback(answer)
