"""A priority queue for Scrapy's scheduler that lets no site that must be waited for keep others waiting."""

from collections.abc import Iterable
from typing import Any

from scrapy.pqueues import DownloaderAwarePriorityQueue, DownloaderInterface

from .sites import Sites
from .slots import Slot

__all__ = ["PriorityQueue"]


class PriorityQueue(DownloaderAwarePriorityQueue):
    """Keeps back what would only wait in a slot where another waits for the same site already.

    `SCHEDULER_PRIORITY_QUEUE = "comity.integrations.scrapy.PriorityQueue"`. So each such site holds one of
    `CONCURRENT_REQUESTS`, and not all; its other requests wait here.
    """

    def __init__(self, crawler: Any, *arguments: Any, **options: Any) -> None:
        """Take what Scrapy's own takes."""
        super().__init__(crawler, *arguments, **options)
        self._downloader_interface = _Ready(crawler, self.pqueues)


class _Ready(DownloaderInterface):
    """Tells of the slots that anything more may be handed to."""

    def __init__(self, crawler: Any, queues: dict[str, Any]) -> None:
        super().__init__(crawler)
        self._sites = Sites.of(crawler)
        self._queues = queues

    def stats(self, possible_slots: Iterable[str]) -> list[tuple[int, str]]:
        return super().stats(key for key in possible_slots if not self._is_held(key))

    def _is_held(self, key: str) -> bool:
        slot, pacer = self.downloader.slots.get(key), self._sites.pacer
        if not isinstance(slot, Slot) or pacer is None or not slot.queue or slot.held_until <= pacer.now():
            return False
        try:
            following = self._queues[key].peek()
        except (AttributeError, NotImplementedError):  # a queue that cannot tell
            return True
        return following is None or pacer.ready(following) > pacer.now()
