"""Write the results of a crawl to the disk in batches: `--durability batch`.

A page is recorded without waiting for the disk. Every half minute, the files of its pages are written in the
background. Nothing is lost if the process is killed. If the system fails, the pages of the last batch may be
lost. When the job is opened next, their files are compared with their digests, and incomplete ones are
fetched again.
"""

import os
import time
from collections.abc import Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

from ..job.sqlite import SQLiteJob
from .mirror import Mirror

#: Seconds between two batches.
_INTERVAL = 30.0

#: Seconds by which the clock may have been set back.
_MARGIN = 60.0

#: The key of a worker's metadata with the time since which files may not be on the disk.
_UNWRITTEN = "unwritten"


def requeue_incomplete(job: SQLiteJob, mirror: Mirror) -> int:
    """Queue the pages again whose files the last run did not write completely, and return their number."""
    since = job.worker_metadata().get(_UNWRITTEN)
    if not isinstance(since, float):
        return 0
    number = job.requeue(since - _MARGIN, lambda name, digest: not mirror.is_complete(name, digest))
    job.set_worker_metadata(**{_UNWRITTEN: None})
    return number


class BatchWriter:
    """Writes the pages of a job to the disk in batches, in a thread. The last batch is left to the system."""

    def __init__(self, job: SQLiteJob, mirror: Mirror | None) -> None:
        """Start the first batch."""
        self._job = job
        self._mirror = mirror
        self._thread = ThreadPoolExecutor(1)
        self._stopped = False
        self._began = time.time()
        self._next = time.monotonic() + _INTERVAL
        self._written: Future[bool] | None = None
        job.wait_for_disk(False)
        job.set_worker_metadata(**{_UNWRITTEN: self._began})

    def tick(self) -> None:
        """Start to write a batch if half a minute has passed and the one before it is written."""
        if self._written is not None:
            if not self._written.done():
                return
            if self._written.result():
                self._job.set_worker_metadata(**{_UNWRITTEN: self._began})
            self._written = None
        if time.monotonic() >= self._next and self._mirror is not None:
            self._next, self._began = time.monotonic() + _INTERVAL, time.time()
            self._written = self._thread.submit(self._write, self._mirror.take_unwritten())

    def _write(self, paths: Iterable[Path]) -> bool:
        """Return whether all files are written: not if the run ends before."""
        for path in paths:
            if self._stopped:
                return False
            with suppress(OSError), path.open("rb+") as file:
                os.fsync(file.fileno())
        return True

    def close(self) -> None:
        """End the run without waiting for the rest of a batch."""
        self._stopped = True
        self._thread.shutdown()
        self._job.wait_for_disk(True)
