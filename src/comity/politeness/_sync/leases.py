# Generated from _async/leases.py by `make generate`; change that file.
"""The leases that one client acquires from its store.

Within one client, requests to a host wait in a queue, whatever their port and scheme. Between clients that
share a store, the store grants the lease. A host is a name, or the address of a queue.
"""

import itertools
import logging
import os
import threading
from collections.abc import Callable
from contextlib import suppress
from functools import partial

from ...errors import MustWait, StoreUnavailable
from ...protocol.access.freshness import retry_after
from ...protocol.access.outcome import Access
from .. import pace
from ..concurrency import termination
from ..concurrency._sync import (
    Caller,
    Clock,
    SystemClock,
    caller,
    current_task_id,
    monotonic_of,
    pause,
    shielded,
)
from ..concurrency.holder import identity
from ..origin_state import AgentRules, OwnRequests
from ..recorder import DecisionRecorder, OutgoingRequest, SentRequest
from ..settings import PolitenessSettings
from ..stores import CombinedSteps, Store
from ..stores._sync.memory import MemoryStore
from .connections import Connections
from .pending_changes import PendingChanges, Release, Save
from .queues import HostQueue, QueuedOrigin, required_delay

#: Duration of a lease in seconds. If a process is killed, the processes of other machines wait for as long. A
#: lease is renewed while a long response is received.
LEASE = 120.0

#: Longest lease in seconds that a request gets because its timeouts are long.
LONGEST_LEASE = 3600.0

#: Wait in seconds that is reported to the operator.
LONG_WAIT = 30.0

#: Maximum wait in seconds of a task for its own open response: to receive the rest of it, and for
#: another task to close it.
OWN_WAIT = 10.0

#: Reasons to wait that the delay of an origin does not have: the answers of the server, and the time of day.
_PAUSES = (
    pace.WaitReason.RETRY_AFTER,
    pace.WaitReason.BACK_OFF,
    pace.WaitReason.VISIT_TIME,
    pace.WaitReason.SLOW_DOWN,
)

_logger = logging.getLogger("comity.robot")


class Leases:
    """The leases of one client."""

    def __init__(
        self,
        settings: PolitenessSettings,
        store: Store,
        clock: Clock | None,
        recorder: DecisionRecorder,
        connections: int | None = None,
    ) -> None:
        """Acquire leases from a store. Without `clock`, the store's own clock decides.

        `connections` is the number of requests that may be under way at a time, None for no limit.
        """
        self.settings = settings
        self.clock: Clock = SystemClock() if clock is None else clock
        self._store = store
        #: the store, if it can make two steps at once
        self.steps: CombinedSteps | None = store if isinstance(store, CombinedSteps) else None
        self.recorder: DecisionRecorder = recorder
        # The clock of the store is the one that all clients of the store share.
        self._has_own_clock = clock is not None
        self._holder = os.urandom(8).hex()
        self._numbers = itertools.count()
        self._connections = Connections(connections)
        #: number of requests whose lease was released
        self.requests: int = 0
        self._counting = threading.RLock()  # reentrant: a signal handler may send a request
        #: seconds since some point in the past, for deadlines, waits and response times
        self.monotonic: Callable[[], float] = monotonic_of(self.clock)
        self._pending = PendingChanges(store)
        # The holders that have a lease or request one, each with its host, and those that request one.
        self._held: dict[str, str] = {}
        self._requesting: set[str] = set()
        self._caller: Caller | None = None
        self._is_ending = False
        self._is_shared = not isinstance(store, MemoryStore)
        self._own = OwnRequests()
        if self._is_shared:
            termination.register(self)

    def enter(self, queue: HostQueue, state: QueuedOrigin, request: OutgoingRequest, deadline: float) -> None:
        """Wait in the queue of a host. Raises `MustWait` if that takes until after the deadline."""
        if queue.lock.acquire_now():
            queue.owner = current_task_id()
            return
        gap = state.next_gap(self.settings)
        patience = deadline - self.monotonic()
        why = pace.WaitReason.BUSY
        # Each request before this one takes at least a gap.
        if gap * (queue.length + 1) > patience:
            raise self.too_early(request, gap * (queue.length + 1), why)
        if queue.owner == current_task_id():
            own_patience = 0.0 if queue.is_read_at_once else min(patience, OWN_WAIT)
            response = None if queue.response is None else queue.response()
            if response is None or not own_patience or not response.receive_rest(own_patience):
                why, patience = pace.WaitReason.OPEN_RESPONSE, own_patience
                _logger.warning("%s: the task requests a page while it has a response open", state.origin)
        queue.length += 1
        try:
            acquired = queue.lock.acquire(max(patience, 0.0))
        finally:
            queue.length -= 1
        if not acquired:  # without a gap, the end of the request under way is not known
            if queue.response is not None and queue.response() is not None:  # perhaps of another task
                why = pace.WaitReason.OPEN_RESPONSE
            raise self.too_early(request, max(gap * (queue.length + 1), pace.POLL), why)
        queue.owner = current_task_id()

    def too_early(self, request: OutgoingRequest, seconds: float, why: pace.WaitReason) -> MustWait:
        """Record a request that is not sent, and return the error."""
        self.recorder.log_wait(request, why)
        until = pace.end_of_wait(self.clock.time(), seconds, why)
        return MustWait(request.sent_url, seconds, why.sentence, until)

    def delay_of(self, state: QueuedOrigin | None) -> pace.Delay:
        """Return the delay of an origin; without a state, that of an origin whose rules are not known."""
        if state is not None:
            return state.delay(self.settings, self.clock.time())
        return required_delay(None, self.settings, self.clock.time())

    def wait(self, queue: HostQueue, state: QueuedOrigin, rules: AgentRules | None) -> float:
        """Return how long in seconds a request to an origin would have to wait, by the rules for it."""
        now = self.clock.time()
        delay = required_delay(rules, self.settings, now)
        if self._pending:
            self._pending.repeat()
        answer = self._store.wait(queue.host, delay, now if self._has_own_clock else None)
        seconds = 0.0 if answer is None else answer.seconds
        if queue.lock.is_locked:  # each request before this one takes at least a gap
            seconds = max(seconds, state.next_gap(self.settings) * (queue.length + 1))
        return seconds

    def acquire(
        self, host: str, state: QueuedOrigin | None, request: OutgoingRequest, deadline: float
    ) -> str:
        """Wait for the lease of a host. Return its holder. Raises `MustWait` if that takes too long."""
        holder = self.acquire_unless_busy(host, state, request, deadline, patient=True)
        assert holder is not None  # noqa: S101  # only if it is not patient
        return holder

    def acquire_unless_busy(
        self,
        host: str,
        state: QueuedOrigin | None,
        request: OutgoingRequest,
        deadline: float,
        *,
        patient: bool,
    ) -> str | None:
        """Wait for the lease of a host. Return None if it is busy and the caller is not patient."""
        holder = self._new_holder()
        started, reported = self.monotonic(), False
        held_until: tuple[float, pace.WaitReason] | None = None
        while True:
            self.recorder.require_log()
            self.take_connection(holder, request, deadline)
            delay = self.delay_of(state)  # each time, because a Visit-time may end during another wait
            answer = self._request(host, holder, delay)
            assert not isinstance(answer, Access)  # noqa: S101  # only if an origin is named
            now = self.monotonic()
            if isinstance(answer, pace.Lease):
                self.recorder.granted(host, delay, held_until)
                return holder
            self.free_connection(holder)
            if answer.why in _PAUSES:
                held_until = self.clock.time() + answer.seconds, answer.why
            if not patient and answer.why is pace.WaitReason.BUSY:
                return None
            if now + answer.seconds > deadline:
                raise self.too_early(request, answer.seconds, answer.why)
            if not reported and max(answer.seconds, now - started) >= LONG_WAIT:
                reported = True
                waited = now - started
                _logger.warning(
                    "%s: %.0f s waited, %.1f s to go: %s", host, waited, answer.seconds, answer.why.sentence
                )
            self.clock.sleep(answer.seconds)

    def load_or_acquire(self, host: str, state: QueuedOrigin) -> Access | str | None:
        """Return the stored answer of an origin. Without one, return the holder of a new lease.

        Return None if there is no answer, and no lease without a wait.
        """
        holder = self._new_holder()
        is_behind = self._pending or self.recorder.is_behind  # of changes or records that come first
        if self.steps is None or is_behind or not self._connections.take_now(holder):
            return self._store.load(state.origin)
        delay = self.delay_of(state)
        answer = self._request(host, holder, delay, state.origin)
        if isinstance(answer, pace.Lease):
            self.recorder.granted(host, delay, None)
            return holder
        self.free_connection(holder)
        return answer if isinstance(answer, Access) else None

    def _new_holder(self) -> str:
        return f"{self._holder}-{next(self._numbers)}@{identity()}"

    def take_connection(self, holder: str, request: OutgoingRequest, deadline: float) -> None:
        """Wait for a connection of the client. Raises `MustWait` if none is free before the deadline."""
        if not self._connections.take(holder, deadline - self.monotonic()):
            raise self.too_early(request, pace.POLL, pace.WaitReason.CONNECTION)

    def free_connection(self, holder: str) -> None:
        """Free the connection of a holder for another request."""
        self._connections.give_back(holder)

    def _request(
        self, host: str, holder: str, delay: pace.Delay, origin: str | None = None
    ) -> Access | pace.Lease | pace.Wait:
        """Request the lease of a host from the store, once it has made the changes that are pending.

        If the store has an answer of the `origin`, return that answer instead.
        """
        if self._is_shared:
            self._caller = caller()
        now = self.clock.time() if self._has_own_clock else None
        try:
            if self._pending:
                self._pending.repeat()
        except BaseException:
            self.free_connection(holder)
            raise
        if self._is_shared:
            self._held[holder] = host
            self._requesting.add(holder)
        try:
            answer: Access | pace.Lease | pace.Wait
            if origin is None or self.steps is None:
                answer = self._store.acquire(host, delay, holder, now, LEASE)
            else:
                answer = self.steps.load_or_acquire(origin, host, delay, holder, now, LEASE)
        except Exception as error:
            self._forget(holder)
            self.free_connection(holder)
            if isinstance(error, StoreUnavailable):  # it may have granted the lease; only its answer was lost
                self._pending.add(Release(host, holder, now, pace.UNUSED, None), self._caller)
            raise
        except BaseException:  # cancelled, when the store may have granted the lease already
            self.release(host, holder, pace.UNUSED)
            raise
        if not self._is_shared:
            return answer
        self._requesting.discard(holder)
        if self._is_ending:  # by SIGTERM; the lease is released meanwhile
            pause(termination.GRACE)
        if not isinstance(answer, pace.Lease):
            self._forget(holder)
        elif (early := self._own.wait(host, delay, now=self.monotonic())) is not None:
            self.release(host, holder, pace.UNUSED)  # the clock of the system was set forward
            return early
        return answer

    def _forget(self, holder: str) -> None:
        self._requesting.discard(holder)
        self._held.pop(holder, None)

    def save(self, access: Access) -> None:
        """Store the answer to a request for a robots.txt, later if the store is unavailable now."""
        try:
            self._store.save(access)
        except StoreUnavailable as error:
            _logger.warning("%s: the robots.txt is not stored yet: %s", access.origin, error)
            self._pending.add(Save(access), self._caller)

    def renew(self, host: str, holder: str, seconds: float = LEASE) -> None:
        """Extend a lease to some seconds from now, while its response is received."""
        now = self.clock.time() if self._has_own_clock else None
        try:
            self._store.renew(host, holder, now, seconds)
        except StoreUnavailable as error:  # not a reason to lose the response; other clients cannot start
            _logger.warning("%s: the lease is not renewed: %s", host, error)

    def release(
        self,
        host: str,
        holder: str,
        status: int | None,
        retry_after: float | None = None,
        response_time: float | None = None,
        access: Access | None = None,
    ) -> None:
        """Release a lease and its connection, even if the task is cancelled; with `steps`, store an answer.

        If the store is unavailable, it is released later. The store gets the `response_time` only if
        `slow_down` is set.
        """
        if not self.settings.slow_down:
            response_time = None
        self.free_connection(holder)
        if status != pace.UNUSED:
            with self._counting:
                self.requests += 1
            if self._is_shared:  # a store in memory uses a clock that is never set
                self._own.record(host, status, retry_after, now=self.monotonic())
        now = self.clock.time() if self._has_own_clock else None
        if not self._is_shared:  # a store in memory never fails, and is never waited for
            outcome = partial(self._store.release, host, holder, now, status, retry_after)
            try:
                outcome(response_time=response_time)
            except BaseException:  # interrupted
                outcome(response_time=response_time)
                raise
            return
        change = Release(host, holder, now, status, retry_after, response_time, access)
        try:
            with shielded():
                try:
                    change.make(self._store)
                except Exception:
                    raise
                except BaseException:  # an event loop that closes cancels once more, and only once
                    change.make(self._store)
                    raise
        except StoreUnavailable as error:
            _logger.warning("%s: the lease is not released yet: %s", host, error)
            for part in change.parts():
                self._pending.add(part, self._caller)
        finally:
            self._forget(holder)

    def abandon(self, host: str, holder: str, status: int | None, retry_after: float | None) -> None:
        """Release a lease later: a finalizer calls this, which cannot wait for the store."""
        now = self.clock.time() if self._has_own_clock else None
        self._pending.add(Release(host, holder, now, status, retry_after), self._caller)
        self._forget(holder)
        self.free_connection(holder)

    def release_all(self) -> None:
        """Release all leases, and acquire no others: SIGTERM ends the process."""
        self._is_ending = True
        if self._caller is not None:
            self._caller(self._release_held)

    def _release_held(self) -> None:
        for _ in range(100):
            if not self._requesting:
                break
            pause(0.01)
        now = self.clock.time() if self._has_own_clock else None
        for holder, host in list(self._held.items()):  # the requests end with the process, a moment later
            self._store.release(host, holder, now, pace.GIVEN_UP, ago=-termination.END)
        self._pending.repeat()

    def close(self) -> None:
        """Make the changes that are pending, or report that the store is unavailable."""
        termination.unregister(self)
        self._pending.close()


class HeldLease:
    """The lease of one request, held until its response is read or closed."""

    def __init__(
        self,
        leases: Leases,
        state: QueuedOrigin,
        queue: HostQueue,
        holder: str,
        sent: SentRequest,
    ) -> None:
        """Hold a lease, and the lock of its queue, for the request that is sent now."""
        self.state = state
        self.queue = queue
        #: the rules that allowed the request
        self.rules: AgentRules | None = state.rules
        self.sent = sent
        #: the seconds that the server has taken so far, without those that the caller took between reads
        self.response_time: float = 0.0
        self._leases = leases
        self._holder = holder
        self.monotonic: Callable[[], float] = leases.monotonic
        self._renewed = leases.monotonic()
        self._length = LEASE
        self._is_held = True
        self._outcome: tuple[int, str | None] = pace.GIVEN_UP, None
        queue.owner = current_task_id()

    def time(self) -> float:
        """Return the time by the clock that measures spans."""
        return self._leases.monotonic()

    def measure(self, began: float) -> None:
        """Add the time since the server was asked for the response, or for a part of it."""
        self.response_time += max(self._leases.monotonic() - began, 0.0)

    def renew_if_due(self) -> None:
        """Extend the lease if more than half of it has passed."""
        now = self._leases.monotonic()
        if self._is_held and now - self._renewed > self._length / 2:
            self._renewed = now
            self._leases.renew(self.queue.host, self._holder, self._length)

    def cover(self, seconds: float) -> None:
        """Extend the lease, if needed, for a request that fails only after a number of seconds."""
        if seconds > self._length:
            self._length = min(seconds, LONGEST_LEASE)
            self._leases.renew(self.queue.host, self._holder, self._length)

    def answered(self, status: int, retry_after_field: str | None) -> None:
        """Keep the outcome of the request, for a response that is never closed."""
        self._outcome = status, retry_after_field

    def release(self, status: int | None, retry_after_field: str | None = None) -> None:
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
            self._leases.release(host, holder, status, seconds, took)
        finally:
            self.queue.leave()
            self._leases.recorder.finish(self.sent, ended)

    def _seconds(self, retry_after_field: str | None) -> float | None:
        """Return the number of seconds that a Retry-After field names."""
        if retry_after_field is None:
            return None
        return retry_after(retry_after_field, self._leases.clock.time())

    def __del__(self) -> None:
        """Let the queue continue after a response that was never closed, and release its lease."""
        if self._is_held:
            status, field = self._outcome
            self._leases.abandon(self.queue.host, self._holder, status, self._seconds(field))
            self.queue.leave()
            with suppress(OSError):  # nobody receives it
                self._leases.recorder.finish(self.sent, None)
