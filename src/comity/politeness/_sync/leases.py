# Generated from _async/leases.py by `make generate`; change that file.
"""The queue of one client's requests to each host, and the leases that it acquires from its store.

Within one client, requests to a host wait in a queue, whatever their port and scheme. Between clients that
share a store, the store grants the lease.
"""

import itertools
import logging
import os
import threading
from weakref import WeakValueDictionary

from ...errors import MustWait, StoreUnavailable
from ...protocol.access.freshness import retry_after
from ...protocol.origin import hostname
from .. import pace
from ..concurrency._sync import Clock, FifoLock, SystemClock, current_task_id, shielded
from ..concurrency.holder import identity
from ..origin_state import AgentRules, OriginState
from ..recorder import DecisionRecorder, OutgoingRequest
from ..settings import PolitenessSettings
from ..stores import Store
from .connections import Connections

#: Duration of a lease in seconds. If a process is killed, the processes of other machines wait for as long. A
#: lease is renewed while a long response is received.
LEASE = 120.0

#: Wait in seconds that is reported to the operator.
LONG_WAIT = 30.0

#: Maximum wait in seconds of a task for a response that it has open itself, which another task may close.
OWN_WAIT = 10.0

_logger = logging.getLogger("comity.robot")


class HostQueue:
    """The queue of the requests to one host, which all its origins share."""

    __slots__ = ("__weakref__", "host", "is_read_at_once", "length", "lock", "owner")

    def __init__(self, host: str) -> None:
        self.host: str = host
        #: held by the request that is next or under way
        self.lock: FifoLock = FifoLock()
        #: the task or thread whose request is under way
        self.owner: object = None
        #: whether the client itself reads the response under way, so that no other task can close it
        self.is_read_at_once: bool = False
        #: the number of requests that wait
        self.length: int = 0

    def leave(self) -> None:
        """Release the lock of the host."""
        self.owner = None
        self.is_read_at_once = False
        self.lock.release()


class QueuedOrigin(OriginState):
    """The state of one origin, and the queue of the requests to its host."""

    __slots__ = ("_notes", "files_lock", "queue", "rules")

    def __init__(self, origin: str, queue: HostQueue) -> None:
        super().__init__(origin)
        self.queue: HostQueue = queue
        #: held while the site files are requested
        self.files_lock: FifoLock = FifoLock()
        #: what its robots.txt says to the client; set last, because other threads read it
        self.rules: AgentRules | None = None
        self._notes: tuple[str, ...] = ()

    @property
    def host(self) -> str:
        """The host of the origin, by which the store knows its pace."""
        return self.queue.host

    @property
    def is_busy(self) -> bool:
        """Whether a request to the host is under way or waits."""
        return self.queue.lock.is_locked or self.files_lock.is_locked

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


class HostQueues:
    """The queues of one client, each for as long as it is in use.

    >>> queues = HostQueues()
    >>> state, other = queues.state("https://example.com"), queues.state("http://example.com:8080")
    >>> state.queue is other.queue
    True
    """

    def __init__(self) -> None:
        self._queues: WeakValueDictionary[str, HostQueue] = WeakValueDictionary()
        self._lock = threading.RLock()  # reentrant: a signal handler may send a request

    def state(self, origin: str) -> QueuedOrigin:
        """Return a new state of an origin, with the queue of its host."""
        host = hostname(origin)
        with self._lock:
            queue = self._queues.get(host) or self._queues.setdefault(host, HostQueue(host))
        return QueuedOrigin(origin, queue)


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
        self._recorder = recorder
        # The clock of the store is the one that all clients of the store share.
        self._has_own_clock = clock is not None
        self._holder = os.urandom(8).hex()
        self._numbers = itertools.count()
        self._connections = Connections(connections)
        #: number of requests whose lease was released
        self.requests: int = 0
        self._counting = threading.RLock()  # reentrant: a signal handler may send a request

    def enter(self, state: QueuedOrigin, request: OutgoingRequest, deadline: float) -> None:
        """Wait in the queue of the host. Raises `MustWait` if that takes until after the deadline."""
        queue = state.queue
        if queue.lock.acquire_now():
            queue.owner = current_task_id()
            return
        gap = state.next_gap(self.settings)
        patience = deadline - self.clock.time()
        why = pace.WaitReason.BUSY
        # Each request before this one takes at least a gap.
        if gap * (queue.length + 1) > patience:
            raise self.too_early(request, gap * (queue.length + 1), why)
        if queue.owner == current_task_id():
            why = pace.WaitReason.OPEN_RESPONSE
            _logger.warning("%s: the task requests a page while it has a response open", state.origin)
            patience = 0.0 if queue.is_read_at_once else min(patience, OWN_WAIT)
        queue.length += 1
        try:
            acquired = queue.lock.acquire(max(patience, 0.0))
        finally:
            queue.length -= 1
        if not acquired:  # without a gap, the end of the request under way is not known
            raise self.too_early(request, max(gap * (queue.length + 1), pace.POLL), why)
        queue.owner = current_task_id()

    def too_early(self, request: OutgoingRequest, seconds: float, why: pace.WaitReason) -> MustWait:
        """Record a request that is not sent, and return the error."""
        self._recorder.log_wait(request, why)
        until = pace.end_of_wait(self.clock.time(), seconds, why)
        return MustWait(request.sent_url, seconds, why.sentence, until)

    def delay_of(self, state: QueuedOrigin | None) -> pace.Delay:
        """Return the delay of an origin; without a state, that of an origin whose rules are not known."""
        if state is not None:
            return state.delay(self.settings, self.clock.time())
        floor, cap = self.settings.delay, self.settings.crawl_delay_cap
        return pace.required_delay(None, floor=floor, cap=cap, now=self.clock.time())

    def wait(self, state: QueuedOrigin, rules: AgentRules | None) -> float:
        """Return how long in seconds a request to an origin would have to wait, by the rules for it."""
        floor, cap, now = self.settings.delay, self.settings.crawl_delay_cap, self.clock.time()
        if rules is None:
            delay = pace.required_delay(None, floor=floor, cap=cap, now=now)
        else:
            delay = rules.delay(floor=floor, cap=cap, now=now)
        answer = self._store.wait(state.host, delay, now if self._has_own_clock else None)
        seconds = 0.0 if answer is None else answer.seconds
        if state.queue.lock.is_locked:  # each request before this one takes at least a gap
            seconds = max(seconds, state.next_gap(self.settings) * (state.queue.length + 1))
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
        holder = f"{self._holder}-{next(self._numbers)}@{identity()}"
        started, reported = self.clock.time(), False
        while True:
            self.take_connection(holder, request, deadline)
            delay = self.delay_of(state)  # each time, because a Visit-time may end during another wait
            now = self.clock.time()
            try:
                answer = self._store.acquire(host, delay, holder, now if self._has_own_clock else None, LEASE)
            except Exception:
                self.free_connection(holder)
                raise
            except BaseException:  # cancelled, when the store may have granted the lease already
                self.release(host, holder, pace.UNUSED)
                raise
            if isinstance(answer, pace.Lease):
                return holder
            self.free_connection(holder)
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

    def take_connection(self, holder: str, request: OutgoingRequest, deadline: float) -> None:
        """Wait for a connection of the client. Raises `MustWait` if none is free before the deadline."""
        if not self._connections.take(holder, deadline - self.clock.time()):
            raise self.too_early(request, pace.POLL, pace.WaitReason.CONNECTION)

    def free_connection(self, holder: str) -> None:
        """Let another request use the connection of a holder."""
        self._connections.give_back(holder)

    def renew(self, host: str, holder: str, seconds: float = LEASE) -> None:
        """Extend a lease to some seconds from now, while its response is received."""
        now = self.clock.time() if self._has_own_clock else None
        try:
            self._store.renew(host, holder, now, seconds)
        except StoreUnavailable as error:  # not a reason to lose the response; other clients cannot start
            _logger.warning("%s: the lease is not renewed: %s", host, error)

    def release(self, host: str, holder: str, status: int | None, retry_after: float | None = None) -> None:
        """Release a lease and its connection, even if the task is cancelled."""
        self.free_connection(holder)
        if status != pace.UNUSED:
            with self._counting:
                self.requests += 1
        with shielded():
            now = self.clock.time() if self._has_own_clock else None
            try:
                self._store.release(host, holder, now, status, retry_after)
            except Exception:
                raise
            except BaseException:  # an event loop that closes cancels once more, and only once
                self._store.release(host, holder, now, status, retry_after)
                raise


class HeldLease:
    """The lease of one request, held until its response is read or closed."""

    def __init__(self, leases: Leases, state: QueuedOrigin, holder: str, waited: float) -> None:
        """Hold a lease, and the lock of its host. `waited` is the time in seconds that it took."""
        self.state = state
        #: the rules that allowed the request
        self.rules: AgentRules | None = state.rules
        self.waited = waited
        self._leases = leases
        self._holder = holder
        self._renewed = leases.clock.time()
        self._is_held = True
        state.queue.owner = current_task_id()

    def renew_if_due(self) -> None:
        """Extend the lease if more than half of it has passed."""
        now = self._leases.clock.time()
        if self._is_held and now - self._renewed > LEASE / 2:
            self._renewed = now
            self._leases.renew(self.state.host, self._holder)

    def release(self, status: int | None, retry_after_field: str | None = None) -> None:
        """Release the lease, unless it is released, and the lock of the host.

        `retry_after_field` is the value of the header field, if there is one.
        """
        if not self._is_held:
            return
        self._is_held = False
        pause = None
        if retry_after_field is not None:
            pause = retry_after(retry_after_field, self._leases.clock.time())
        try:
            self._leases.release(self.state.host, self._holder, status, pause)
        finally:
            self.state.queue.leave()

    def __del__(self) -> None:
        """Let the queue continue after a response that was never closed; its lease expires."""
        if self._is_held:
            self._leases.free_connection(self._holder)
            self.state.queue.leave()
