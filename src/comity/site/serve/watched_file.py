"""A path -> the robots.txt that is served, read again after the file has changed."""

import logging
import os
import threading
import time
from collections.abc import Callable
from pathlib import Path

from ...errors import InvalidArgument
from .answers import File

_logger = logging.getLogger("comity.serve")

#: Minimum number of seconds between two looks at the file.
INTERVAL = 1.0

_State = tuple[int, int, int]


class WatchedFile:
    """A file that is served; a change counts once two looks in a row have found the same state.

    So a file that is being written is not served in part. If the changed file is missing or not valid, the
    previous one stays, and the log has a warning.
    """

    def __init__(
        self,
        path: Path,
        file_of: Callable[[bytes, float], File],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Read the file; `file_of` makes it from its body and its time of change."""
        self._path = path
        self._file_of = file_of
        self._clock = clock
        self._lock = threading.Lock()
        self._next_look = clock() + INTERVAL
        self._state: _State | None
        self._state, self._file = self._read()
        self._seen: _State | None = self._state

    def current(self) -> File:
        """Return the file, after a look at its state if the last one was a second ago."""
        if self._clock() >= self._next_look and self._lock.acquire(blocking=False):
            try:
                self._look()
            finally:
                self._next_look = self._clock() + INTERVAL
                self._lock.release()
        return self._file

    def _look(self) -> None:
        try:
            state: _State | None = _state_of(os.stat(self._path))
        except OSError:
            state = None
        if state == self._state or state != self._seen:
            self._seen = state
            return
        try:
            self._state, self._file = self._read()
            _logger.info("%s has changed and was read again", self._path)
        except (OSError, InvalidArgument) as error:
            self._state = state  # reported once
            _logger.warning("%s has changed, but the previous content is served: %s", self._path, error)

    def _read(self) -> tuple[_State, File]:
        with self._path.open("rb") as stream:
            found = os.fstat(stream.fileno())
            body = stream.read()
        return _state_of(found), self._file_of(body, found.st_mtime)


def _state_of(found: os.stat_result) -> _State:
    return found.st_ino, found.st_size, found.st_mtime_ns
