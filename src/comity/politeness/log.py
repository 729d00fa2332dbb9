"""The decision log: one line of JSON for each request that a robot sent or refused, with the reason."""

import json
import os
import stat
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeAlias

from ..errors import InvalidArgument
from .private_files import open_private

#: Where decisions are logged: the path of a file, or a function that is called with each record.
LogTarget: TypeAlias = str | os.PathLike[str] | Callable[[dict[str, object]], object]


class DecisionLog:
    """The log of decisions, as evidence of the robot's requests and their reasons.

    `target` is the path of a file, to which lines are appended, or a function that is called with each
    record. Each line is one write, so several threads and processes can share a file. A new file can be read
    by its owner only. If the file was renamed or deleted, as by logrotate, the next line goes to a new file.
    """

    def __init__(self, target: LogTarget) -> None:
        """Open the log. Raise `OSError` if the file cannot be written."""
        if not callable(target) and not isinstance(target, str | os.PathLike):
            raise InvalidArgument(f"invalid log {target!r:.200}: expected a path or a function", name="log")
        self._receive = target if callable(target) else None
        self._path: Path | None = None if callable(target) else Path(target).absolute()
        self._file: int | None = None
        # Reentrant: a signal handler may log a request, or close the log, while its thread writes.
        self._lock = threading.RLock()
        self._writing = 0
        self._closed = False
        if self._path is not None:
            self._open(self._path)

    def _open(self, path: Path) -> int:
        self._file = open_private(path, os.O_WRONLY | os.O_APPEND)
        found = os.fstat(self._file)
        self._identity = (found.st_dev, found.st_ino) if stat.S_ISREG(found.st_mode) else None
        return self._file

    def _current(self, path: Path) -> int:
        """Return the open file; open a new one if the path is no longer its own."""
        if self._file is None:
            return self._open(path)
        if self._identity is None or self._writing > 1:
            return self._file
        try:
            found = os.stat(path)
        except FileNotFoundError:
            pass
        else:
            if (found.st_dev, found.st_ino) == self._identity:
                return self._file
        os.close(self._file)
        self._file = None
        return self._open(path)

    def write(self, record: dict[str, object]) -> None:
        """Write the record of one decision."""
        if self._receive is not None:
            self._receive(record)
            return
        line = json.dumps(record, separators=(", ", ": "), ensure_ascii=True).encode() + b"\n"
        with self._lock:
            if self._path is None or self._closed:
                return
            self._writing += 1
            try:
                with _alone(file := self._current(self._path)):
                    rest = memoryview(line)
                    while rest:  # a full disk may accept only a part, and then raises
                        rest = rest[os.write(file, rest) :]
            finally:
                self._writing -= 1
                if self._closed and not self._writing:
                    self.close()

    def close(self) -> None:
        """Close the file. Later decisions are not written."""
        with self._lock:
            self._closed = True
            if self._file is not None and not self._writing:
                os.close(self._file)
                self._file = None


if sys.platform == "win32":
    import msvcrt

    #: A byte that no log reaches; locking it excludes other processes.
    _LOCKED = 1 << 62

    @contextmanager
    def _alone(file: int) -> Iterator[None]:
        """Exclude other processes: Windows appends by a seek and a write."""
        os.lseek(file, _LOCKED, os.SEEK_SET)
        msvcrt.locking(file, msvcrt.LK_LOCK, 1)
        try:
            yield
        finally:
            os.lseek(file, _LOCKED, os.SEEK_SET)
            msvcrt.locking(file, msvcrt.LK_UNLCK, 1)

else:

    @contextmanager
    def _alone(file: int) -> Iterator[None]:
        """Do nothing: POSIX appends each write as a whole."""
        yield
