"""Downloader slots that also wait for the delays of origins.

A slot of Scrapy waits between the starts of two requests, with jitter and AutoThrottle. It still does. In
addition, each request in its queue waits for its origin: if the site asks for a gap, requests are sent one at
a time, and the gap counts from the end of one to the start of the next. No request is sent outside
Visit-time, or before a Retry-After or a back-off is over. This state belongs to the origin: all slots that
send to the origin share it, and it outlives them.
"""

from collections import deque
from dataclasses import fields
from typing import TYPE_CHECKING, Any, Protocol

from scrapy import Request
from scrapy.core import downloader
from scrapy.utils.asyncio import call_later
from twisted.internet.defer import Deferred

if TYPE_CHECKING:
    from scrapy.core.downloader import Slot as Stock
    from scrapy.http import Response

#: Smallest positive delay: Scrapy re-evaluates each request only if there is a delay.
_NO_DELAY = 5e-324

#: Scrapy processes its queue recursively. After this many requests, a delay in seconds unwinds the stack.
_MAX_NESTED, _UNWIND_DELAY = 64, 1e-6

#: An entry of a slot's queue.
_Entry = tuple[Request, "Deferred[Response]"]


class Pace(Protocol):
    """What slots need from the pacer."""

    def now(self) -> float:
        """Return the time of its clock."""

    def ready(self, request: Request) -> float:
        """Return the time from which a request may be sent."""

    def refusal(self, request: Request) -> Exception | None:
        """Return the error if a request would wait too long."""

    def begin(self, request: Request) -> None:
        """Record that a request is sent."""

    def end(self, request: Request) -> None:
        """Record that a request was answered or has failed."""

    def settled(self, outcome: Any, request: Request) -> Any:
        """Record the outcome of a request, and return it."""


class Slot(downloader.Slot):
    """A downloader slot whose requests also wait for their origins."""

    __slots__ = ("_evaluations", "_pacer", "held_until", "leaving", "waiting")

    def __init__(self, slot: "Stock", pacer: Pace) -> None:
        """Create a slot with the settings of another one, which has not been used."""
        super().__init__(*(getattr(slot, each.name) for each in fields(slot) if each.init))
        self._pacer = pacer
        self._evaluations = 0
        #: number of requests that have left the queue and are not transferring yet
        self.leaving: int = 0
        #: time until which the slot waits for an origin; in the past if it waits for its own delay
        self.held_until: float = float("-inf")
        self.waiting: _Queue = _Queue(pacer, self)
        self.queue: deque[_Entry] = self.waiting
        self.transferring: set[Request] = _Transferring(pacer, self)

    def free_transfer_slots(self) -> int:
        """Return the number of requests that may be sent now."""
        return self.concurrency - len(self.transferring) - self.leaving

    def download_delay(self) -> float:
        """Return the seconds between the last start and the next one."""
        delay = downloader.Slot.download_delay(self)
        self.held_until = float("-inf")
        if self.queue and self.free_transfer_slots() > 0:
            ready, now = self._pacer.ready(self.queue[0][0]), self._pacer.now()
            if ready > now:
                ready = self.waiting.sort_out()
            self._evaluations += 1
            if ready - self.lastseen > delay:
                delay, self.held_until = ready - self.lastseen, ready
            elif not self._evaluations % _MAX_NESTED and len(self.queue) > 1:
                delay = max(delay, now + _UNWIND_DELAY - self.lastseen)
        return delay or _NO_DELAY


class _Queue(deque[_Entry]):
    """The requests that wait in a slot. A request that leaves the queue is sent."""

    def __init__(self, pacer: Pace, slot: Slot) -> None:
        super().__init__()
        self._pacer = pacer
        self._slot = slot

    def append(self, entry: _Entry) -> None:
        super().append(entry)
        request, waiter = entry
        waiter.addBoth(self._pacer.settled, request)
        slot = self._slot
        if slot.latercall and self._pacer.ready(request) < slot.held_until:
            # The slot waits for another origin, or for a longer pause of this one.
            slot.latercall.cancel()
            slot.latercall = None

    def popleft(self) -> _Entry:
        first = super().popleft()
        self._slot.leaving += 1
        self._pacer.begin(first[0])
        return first

    def sort_out(self) -> float:
        """Move the request that is ready first to the front, and return its time.

        Refuse waits that are too long.
        """
        self.refuse()
        times = [self._pacer.ready(request) for request, _ in self]
        if not times:
            return float("-inf")
        first = min(range(len(times)), key=times.__getitem__)
        if first:
            entry = self[first]
            del self[first]
            self.appendleft(entry)
        return times[first]

    def refuse(self) -> None:
        """Remove the requests that would wait longer than `COMITY_MAX_WAIT`, with an error."""
        refused = {id(entry): refusal for entry in self if (refusal := self._pacer.refusal(entry[0]))}
        if not refused:
            return
        entries = list(self)
        self.clear()
        self.extend(entry for entry in entries if id(entry) not in refused)
        for entry in entries:
            if id(entry) in refused:
                # Not immediately: an errback may send another request while Scrapy processes this queue.
                call_later(0, entry[1].errback, refused[id(entry)])


class _Transferring(set[Request]):
    """The requests in flight of a slot. A request leaves the set when it is answered or has failed."""

    def __init__(self, pacer: Pace, slot: Slot) -> None:
        super().__init__()
        self._pacer = pacer
        self._slot = slot

    def add(self, request: Request) -> None:
        super().add(request)
        self._slot.leaving = max(self._slot.leaving - 1, 0)

    def remove(self, request: Request) -> None:
        super().remove(request)
        self._pacer.end(request)


class _Slots(dict[str, "Stock"]):
    """The slots of a downloader, which replaces each slot that Scrapy adds."""

    def __init__(self, pacer: Pace, slots: dict[str, Any]) -> None:
        super().__init__()
        self._pacer = pacer
        for key, slot in slots.items():
            self[key] = slot

    def __setitem__(self, key: str, slot: "Stock") -> None:
        if not isinstance(slot, Slot):
            if type(slot) is not downloader.Slot or slot.active:
                raise RuntimeError(f"{slot!r} does not support the delays of sites, so nothing is sent")
            slot = Slot(slot, self._pacer)
        super().__setitem__(key, slot)


def take_over(theirs: Any, pacer: Pace) -> None:
    """Replace the slots of a downloader, before any is used.

    Raises `RuntimeError` if the downloader does not wait like Scrapy's own, because it would ignore delays.
    """
    slots = getattr(theirs, "slots", None)
    if not isinstance(slots, dict) or not _waits(theirs, pacer):
        name = f"{type(theirs).__module__}.{type(theirs).__qualname__}"
        raise RuntimeError(f"{name} does not wait like Scrapy's own downloader, so nothing is sent")
    theirs.slots = _Slots(pacer, slots)


class _Trial(downloader.Slot):
    """A slot that must wait."""

    __slots__ = ("until",)
    until: float

    def download_delay(self) -> float:
        return self.until - self.lastseen


class _ForbiddenQueue(deque[Any]):
    """A queue that raises if it is read."""

    def popleft(self) -> Any:
        raise RuntimeError("too early")


def _waits(theirs: Any, pacer: Pace) -> bool:
    """Return whether a downloader asks a slot how long to wait, and uses the same clock."""
    trial = _Trial(1, 0.0, 0.0)
    trial.until = pacer.now() + 60
    trial.queue = _ForbiddenQueue([None])
    try:
        theirs._process_queue(trial)
    except Exception:  # any failure means that it does not
        return False
    waits = trial.latercall is not None
    trial.close()
    return waits
