"""A lease while its request is under way, until the response is read or closed."""

from collections.abc import Callable
from contextlib import suppress

from ...protocol.access.freshness import retry_after
from .. import pace
from ..concurrency._async import current_task_id
from ..origin_state import AgentRules
from ..recorder import SentRequest
from .leases import AsyncLeases
from .queues import AsyncHostQueue, AsyncQueuedOrigin
from .store_leases import LEASE

#: Longest lease in seconds that a request gets because its timeouts are long.
LONGEST_LEASE = 3600.0


class AsyncHeldLease:
    """The lease of one request, held until its response is read or closed."""

    def __init__(
        self,
        leases: AsyncLeases,
        state: AsyncQueuedOrigin,
        queue: AsyncHostQueue,
        holder: str,
        sent: SentRequest,
    ) -> None:
        """Hold a lease, and the lock of its queue, which the task has entered, for a request sent now."""
        self.state = state
        self.queue = queue
        #: the rules that allowed the request
        self.rules: AgentRules | None = state.rules
        self.sent = sent
        #: the seconds that the server has taken so far, without those that the caller took between reads
        self.response_time: float = 0.0
        self._leases = leases
        self._holder = holder
        #: seconds since some point in the past, for spans
        self.monotonic: Callable[[], float] = leases.monotonic
        self._renewed = self.monotonic()
        self._length = LEASE
        self._is_held = True
        self._outcome: tuple[int, str | None] = pace.GIVEN_UP, None

    def adopt(self) -> None:
        """Make the running task the owner of the lease, which alone can end the request.

        Its further requests to the host are refused at once: they would wait for themselves.
        """
        self.queue.owner, self.queue.is_read_at_once = current_task_id(), True

    def measure(self, began: float) -> None:
        """Add the time since the server was asked for the response, or for a part of it."""
        self.response_time += max(self.monotonic() - began, 0.0)

    async def renew_if_due(self) -> None:
        """Extend the lease if more than half of it has passed."""
        now = self.monotonic()
        if self._is_held and now - self._renewed > self._length / 2:
            self._renewed = now
            await self._leases.renew(self.queue.host, self._holder, self._length)

    async def cover(self, seconds: float) -> None:
        """Extend the lease, if needed, for a request that fails only after a number of seconds."""
        if seconds > self._length:
            self._length = min(seconds, LONGEST_LEASE)
            await self._leases.renew(self.queue.host, self._holder, self._length)

    def answered(self, status: int, retry_after_field: str | None) -> None:
        """Keep the outcome of the request, for a response that is never closed."""
        self._outcome = status, retry_after_field

    async def release(self, status: int | None, retry_after_field: str | None = None) -> None:
        """Release the lease, unless it is released, and the lock of its queue.

        `retry_after_field` is the value of the header field, if there is one.
        """
        if not self._is_held:
            return
        self._is_held = False
        ended = self._leases.clock.time()
        try:
            seconds = self._seconds(retry_after_field)
            host, holder, took = self.queue.host, self._holder, self.response_time
            await self._leases.release(host, holder, status, seconds, took)
        finally:
            self.queue.leave()
            if self.sent.record is not None:
                self._leases.recorder.finish(self.sent, ended)

    def _seconds(self, retry_after_field: str | None) -> float | None:
        """Return the number of seconds that a Retry-After field names."""
        if retry_after_field is None:
            return None
        return retry_after(retry_after_field, self._leases.clock.time())

    def __del__(self) -> None:
        """Let the queue continue after a response that was never closed, and release its lease."""
        if self._is_held:
            self.abandon()

    def abandon(self) -> None:
        """Release the lease later, unless it is released: a finalizer calls this, which cannot wait."""
        if self._is_held:
            self._is_held = False
            status, field = self._outcome
            self._leases.abandon(self.queue.host, self._holder, status, self._seconds(field))
            self.queue.leave()
            with suppress(OSError):  # nobody receives it
                self._leases.recorder.finish(self.sent, None)
