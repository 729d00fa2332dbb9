"""Scrapy's own downloader slots, which also wait for what sites ask for.

A slot of Scrapy waits from the start of one request to the start of the next, for a delay that it makes
shorter and longer by chance and that AutoThrottle changes. It goes on doing so. Beside that, the requests in
its queue wait for their origins: one at a time where the site asks for a gap, from the end of one to the
start of the next never less than the gap, outside of Visit-time none, and none before a Retry-After or a
back-off is over. That is the origin's, whatever slots lead there, and outlives them.
"""

from collections import deque
from dataclasses import fields
from typing import TYPE_CHECKING, Any

from scrapy import Request
from scrapy.core import downloader
from scrapy.utils.asyncio import call_later
from twisted.internet.defer import Deferred

if TYPE_CHECKING:
    from scrapy.core.downloader import Slot as Stock
    from scrapy.http import Response

    from .pacing import Pacer

__all__ = ["Slot", "take_over"]

#: A delay that is none, and not nothing: Scrapy looks at each request anew only where there is a delay.
_NONE = 5e-324

#: Scrapy looks at the next request from within the last, so after so many it is told to begin anew, so soon.
_NESTED, _SOON = 64, 1e-6

#: What a waiting request is in a slot's queue.
_Entry = tuple[Request, "Deferred[Response]"]


class Slot(downloader.Slot):
    """A downloader slot whose requests wait for their sites too."""

    __slots__ = ("_asked", "_pacer", "held_until", "leaving", "waiting")

    def __init__(self, slot: "Stock", pacer: "Pacer") -> None:
        """Do as another slot, which has not been used."""
        super().__init__(*(getattr(slot, each.name) for each in fields(slot) if each.init))
        self._pacer = pacer
        self._asked = 0
        #: how many requests have left the queue and are not being transferred yet
        self.leaving = 0
        #: until when the slot waits for an origin, and not for a delay of its own
        self.held_until = float("-inf")
        self.queue = self.waiting = _Queue(pacer, self)
        self.transferring = _Transferring(pacer, self)

    def free_transfer_slots(self) -> int:
        """Give how many more requests may be sent now."""
        return downloader.Slot.free_transfer_slots(self) - self.leaving

    def download_delay(self) -> float:
        """Give the seconds from the last start after which the next request may be sent."""
        delay = downloader.Slot.download_delay(self)
        self.held_until = float("-inf")
        if self.queue:
            ready, now = self._pacer.ready(self.queue[0][0]), self._pacer.now()
            if ready > now:
                ready = self.waiting.sort_out()
            self._asked += 1
            if ready - self.lastseen > delay:
                delay, self.held_until = ready - self.lastseen, ready
            elif not self._asked % _NESTED and len(self.queue) > 1:
                delay = max(delay, now + _SOON - self.lastseen)
        return delay or _NONE


class _Queue(deque[_Entry]):
    """The requests that wait in a slot; one that leaves it is sent."""

    def __init__(self, pacer: "Pacer", slot: Slot) -> None:
        super().__init__()
        self._pacer = pacer
        self._slot = slot

    def append(self, entry: _Entry) -> None:
        super().append(entry)
        request, waiter = entry
        waiter.addBoth(self._pacer.settled, request)
        slot = self._slot
        if slot.latercall and self._pacer.ready(request) < slot.held_until:
            # The slot waits for another origin, or for one that was asked to be left alone for longer.
            slot.latercall.cancel()
            slot.latercall = None

    def popleft(self) -> _Entry:
        first = super().popleft()
        self._slot.leaving += 1
        self._pacer.begin(first[0])
        return first

    def sort_out(self) -> float:
        """Put the request first that may be sent first, and give from when; refuse what is too early."""
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
        """Take those out that would have to wait for longer than anything may."""
        refused = {id(entry): refusal for entry in self if (refusal := self._pacer.refusal(entry[0]))}
        if not refused:
            return
        entries = list(self)
        self.clear()
        self.extend(entry for entry in entries if id(entry) not in refused)
        for entry in entries:
            if id(entry) in refused:
                # Later: who hears of it may ask for something else, while Scrapy is busy with this queue.
                call_later(0, entry[1].errback, refused[id(entry)])


class _Transferring(set[Request]):
    """The requests that a slot has sent; one that leaves it was answered, or never will be."""

    def __init__(self, pacer: "Pacer", slot: Slot) -> None:
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
    """The slots of a downloader, which makes each that Scrapy puts in one of ours."""

    def __init__(self, pacer: "Pacer", slots: dict[str, Any]) -> None:
        super().__init__()
        self._pacer = pacer
        for key, slot in slots.items():
            self[key] = slot

    def __setitem__(self, key: str, slot: "Stock") -> None:
        if not isinstance(slot, Slot):
            if type(slot) is not downloader.Slot or slot.active:
                raise RuntimeError(
                    f"{slot!r} is no slot that keeps the pace of a site, so nothing is sent by it"
                )
            slot = Slot(slot, self._pacer)
        super().__setitem__(key, slot)


def take_over(theirs: Any, pacer: "Pacer") -> None:
    """Make the slots of a downloader ours, before any is used.

    Raises `RuntimeError` if it is not like Scrapy's own: it would send sooner than sites want.
    """
    slots = getattr(theirs, "slots", None)
    if not isinstance(slots, dict) or not _waits(theirs, pacer):
        name = f"{type(theirs).__module__}.{type(theirs).__qualname__}"
        raise RuntimeError(f"{name} does not wait as Scrapy's own does, so nothing is sent by it")
    theirs.slots = _Slots(pacer, slots)


class _Trial(downloader.Slot):
    """A slot that nothing may leave yet."""

    __slots__ = ("until",)
    until: float

    def download_delay(self) -> float:
        return self.until - self.lastseen


class _Shut(deque[Any]):
    """A queue that gives nothing."""

    def popleft(self) -> Any:
        raise RuntimeError("too early")


def _waits(theirs: Any, pacer: "Pacer") -> bool:
    """Say whether a downloader asks a slot how long to wait, by the clock that is ours too."""
    trial = _Trial(1, 0.0, 0.0)
    trial.until = pacer.now() + 60
    trial.queue = _Shut([None])
    try:
        theirs._process_queue(trial)
    except Exception:  # whatever it does, it is not that
        return False
    waits = trial.latercall is not None
    trial.close()
    return waits
