"""The queue of one client's requests to each origin, and the leases that it acquires from its store.

Within one client, requests to an origin wait in a queue. Between clients that share a store, the store
grants the lease.
"""

import itertools
import logging
import os
import threading

from ...errors import MustWait, StoreUnavailable
from ...protocol.access.freshness import retry_after
from .. import pace
from ..concurrency._async import Clock, FifoLock, SystemClock, current_task_id, shielded
from ..concurrency.holder import identity
from ..origin_state import AgentRules, OriginState
from ..recorder import DecisionRecorder, OutgoingRequest
from ..settings import PolitenessSettings
from ..stores import AsyncStore

#: Duration of a lease in seconds. If a process is killed, the processes of other machines wait for as long. A
#: lease is renewed while a long response is received.
LEASE = 120.0

#: Wait in seconds that is reported to the operator.
LONG_WAIT = 30.0

#: Maximum wait in seconds of a task for a response that it has open itself, which another task may close.
OWN_WAIT = 10.0

_logger = logging.getLogger("comity.robot")


class AsyncQueuedOrigin(OriginState):
    """The state of one origin, and the queue of the requests to it."""

    __slots__ = ("_notes", "files_lock", "is_read_at_once", "lock", "owner", "queue_length", "rules")

    def __init__(self, origin: str) -> None:
        super().__init__(origin)
        #: held by the request that is next or under way
        self.lock: FifoLock = FifoLock()
        #: held while the site files are requested
        self.files_lock: FifoLock = FifoLock()
        #: what its robots.txt says to the client; set last, because other threads read it
        self.rules: AgentRules | None = None
        #: the task or thread whose request is under way
        self.owner: object = None
        #: whether the client itself reads the response under way, so that no other task can close it
        self.is_read_at_once: bool = False
        self.queue_length: int = 0
        self._notes: tuple[str, ...] = ()

    @property
    def is_busy(self) -> bool:
        """Whether a request is under way or waits."""
        return self.lock.is_locked or self.files_lock.is_locked

    def leave(self) -> None:
        """Release the lock of the origin."""
        self.owner = None
        self.is_read_at_once = False
        self.lock.release()

    def next_gap(self, settings: PolitenessSettings) -> float:
        """Return the least gap in seconds between two requests, as far as it is known."""
        if self.rules is None:
            return settings.delay
        return self.rules.fixed_gap(settings.delay, settings.crawl_delay_cap)

    def delay(self, settings: PolitenessSettings, now: float) -> pace.Delay:
        """Return the delay for the next request; report wishes of the site that are not observed."""
        floor, cap = settings.delay, settings.crawl_delay_cap
        if self.rules is None:
            return pace.required_delay(None, floor=floor, cap=cap, now=now)
        delay = self.rules.delay(floor=floor, cap=cap, now=now)
        if delay.notes != self._notes:
            self._notes = delay.notes
            for note in delay.notes:
                _logger.warning("%s: %s", self.origin, note)
        return delay


class AsyncLeases:
    """The leases of one client."""

    def __init__(
        self, settings: PolitenessSettings, store: AsyncStore, clock: Clock | None, recorder: DecisionRecorder
    ) -> None:
        """Acquire leases from a store. Without `clock`, the store's own clock decides."""
        self.settings = settings
        self.clock: Clock = SystemClock() if clock is None else clock
        self._store = store
        self._recorder = recorder
        # The clock of the store is the one that all clients of the store share.
        self._has_own_clock = clock is not None
        self._holder = os.urandom(8).hex()
        self._numbers = itertools.count()
        #: number of requests whose lease was released
        self.requests: int = 0
        self._counting = threading.RLock()  # reentrant: a signal handler may send a request

    async def enter(self, state: AsyncQueuedOrigin, request: OutgoingRequest, deadline: float) -> None:
        """Wait in the queue of an origin. Raises `MustWait` if that takes until after the deadline."""
        if state.lock.acquire_now():
            state.owner = current_task_id()
            return
        gap = state.next_gap(self.settings)
        patience = deadline - self.clock.time()
        why = pace.WaitReason.BUSY
        # Each request before this one takes at least a gap.
        if gap * (state.queue_length + 1) > patience:
            raise self.too_early(request, gap * (state.queue_length + 1), why)
        if state.owner == current_task_id():
            why = pace.WaitReason.OPEN_RESPONSE
            _logger.warning("%s: the task requests a page while it has a response open", state.origin)
            patience = 0.0 if state.is_read_at_once else min(patience, OWN_WAIT)
        state.queue_length += 1
        try:
            acquired = await state.lock.acquire(max(patience, 0.0))
        finally:
            state.queue_length -= 1
        if not acquired:  # without a gap, the end of the request under way is not known
            raise self.too_early(request, max(gap * (state.queue_length + 1), pace.POLL), why)
        state.owner = current_task_id()

    def too_early(self, request: OutgoingRequest, seconds: float, why: pace.WaitReason) -> MustWait:
        """Record a request that is not sent, and return the error."""
        self._recorder.log_wait(request, why)
        until = pace.end_of_wait(self.clock.time(), seconds, why)
        return MustWait(request.sent_url, seconds, why.sentence, until)

    def delay_of(self, state: AsyncQueuedOrigin | None) -> pace.Delay:
        """Return the delay of an origin; without a state, that of an origin whose rules are not known."""
        if state is not None:
            return state.delay(self.settings, self.clock.time())
        floor, cap = self.settings.delay, self.settings.crawl_delay_cap
        return pace.required_delay(None, floor=floor, cap=cap, now=self.clock.time())

    async def wait(self, state: AsyncQueuedOrigin, rules: AgentRules | None) -> float:
        """Return how long in seconds a request to an origin would have to wait, by the rules for it."""
        floor, cap, now = self.settings.delay, self.settings.crawl_delay_cap, self.clock.time()
        if rules is None:
            delay = pace.required_delay(None, floor=floor, cap=cap, now=now)
        else:
            delay = rules.delay(floor=floor, cap=cap, now=now)
        answer = await self._store.wait(state.origin, delay, now if self._has_own_clock else None)
        seconds = 0.0 if answer is None else answer.seconds
        if state.lock.is_locked:  # each request before this one takes at least a gap
            seconds = max(seconds, state.next_gap(self.settings) * (state.queue_length + 1))
        return seconds

    async def acquire(
        self, origin: str, state: AsyncQueuedOrigin | None, request: OutgoingRequest, deadline: float
    ) -> str:
        """Wait for the lease of an origin. Return its holder. Raises `MustWait` if that takes too long."""
        holder = await self.acquire_unless_busy(origin, state, request, deadline, patient=True)
        assert holder is not None  # noqa: S101  # only if it is not patient
        return holder

    async def acquire_unless_busy(
        self,
        origin: str,
        state: AsyncQueuedOrigin | None,
        request: OutgoingRequest,
        deadline: float,
        *,
        patient: bool,
    ) -> str | None:
        """Wait for the lease of an origin. Return None if it is busy and the caller is not patient."""
        holder = f"{self._holder}-{next(self._numbers)}@{identity()}"
        started, reported = self.clock.time(), False
        while True:
            delay = self.delay_of(state)  # each time, because a Visit-time may end during another wait
            now = self.clock.time()
            try:
                answer = await self._store.acquire(
                    origin, delay, holder, now if self._has_own_clock else None, LEASE
                )
            except Exception:
                raise
            except BaseException:  # cancelled, when the store may have granted the lease already
                await self.release(origin, holder, pace.UNUSED)
                raise
            if isinstance(answer, pace.Lease):
                return holder
            if not patient and answer.why is pace.WaitReason.BUSY:
                return None
            if now + answer.seconds > deadline:
                raise self.too_early(request, answer.seconds, answer.why)
            if not reported and max(answer.seconds, now - started) >= LONG_WAIT:
                reported = True
                waited = now - started
                _logger.warning(
                    "%s: %.0f s waited, %.1f s to go: %s", origin, waited, answer.seconds, answer.why.sentence
                )
            await self.clock.sleep(answer.seconds)

    async def renew(self, origin: str, holder: str) -> None:
        """Extend a lease while its response is received."""
        now = self.clock.time() if self._has_own_clock else None
        try:
            await self._store.renew(origin, holder, now, LEASE)
        except StoreUnavailable as error:  # not a reason to lose the response; other clients cannot start
            _logger.warning("%s: the lease is not renewed: %s", origin, error)

    async def release(
        self, origin: str, holder: str, status: int | None, retry_after: float | None = None
    ) -> None:
        """Release a lease, even if the task is cancelled."""
        if status != pace.UNUSED:
            with self._counting:
                self.requests += 1
        with shielded():
            now = self.clock.time() if self._has_own_clock else None
            try:
                await self._store.release(origin, holder, now, status, retry_after)
            except Exception:
                raise
            except BaseException:  # an event loop that closes cancels once more, and only once
                await self._store.release(origin, holder, now, status, retry_after)
                raise


class AsyncHeldLease:
    """The lease of one request, held until its response is read or closed."""

    def __init__(self, leases: AsyncLeases, state: AsyncQueuedOrigin, holder: str, waited: float) -> None:
        """Hold a lease, and the lock of its origin. `waited` is the time in seconds that it took."""
        self.state = state
        #: the rules that allowed the request
        self.rules: AgentRules | None = state.rules
        self.waited = waited
        self._leases = leases
        self._holder = holder
        self._renewed = leases.clock.time()
        self._is_held = True
        state.owner = current_task_id()

    async def renew_if_due(self) -> None:
        """Extend the lease if more than half of it has passed."""
        now = self._leases.clock.time()
        if self._is_held and now - self._renewed > LEASE / 2:
            self._renewed = now
            await self._leases.renew(self.state.origin, self._holder)

    async def release(self, status: int | None, retry_after_field: str | None = None) -> None:
        """Release the lease, unless it is released, and the lock of the origin.

        `retry_after_field` is the value of the header field, if there is one.
        """
        if not self._is_held:
            return
        self._is_held = False
        pause = None
        if retry_after_field is not None:
            pause = retry_after(retry_after_field, self._leases.clock.time())
        try:
            await self._leases.release(self.state.origin, self._holder, status, pause)
        finally:
            self.state.leave()

    def __del__(self) -> None:
        """Let the queue continue after a response that was never closed; its lease expires."""
        if self._is_held:
            self.state.leave()
