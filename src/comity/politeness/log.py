"""The decision log: one line of JSON for each request that a robot made, or did not make, and why."""

import json
import os
import threading
from collections.abc import Callable, Mapping
from pathlib import Path

__all__ = ["DecisionLog"]


class DecisionLog:
    """Where decisions are written down, as evidence of what the robot did and on whose word.

    `target` is the path of a file, which lines are added to, or a function that takes each record. Each
    line is written whole and at once, so several threads and processes may share one file.
    """

    def __init__(self, target: str | os.PathLike[str] | Callable[[Mapping[str, object]], object]) -> None:
        """Open the log; raises `OSError` if the file cannot be written."""
        self._take = target if callable(target) else None
        self._file: int | None = None
        self._lock = threading.Lock()
        if not callable(target):
            flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND
            self._file = os.open(Path(target), flags, 0o644)

    def write(self, record: Mapping[str, object]) -> None:
        """Write one decision down."""
        if self._take is not None:
            self._take(record)
            return
        line = json.dumps(record, separators=(", ", ": "), ensure_ascii=True).encode() + b"\n"
        with self._lock:
            if self._file is not None:
                rest = memoryview(line)
                while rest:  # a full disk may take less than all of it, and then raises
                    rest = rest[os.write(self._file, rest) :]

    def close(self) -> None:
        """Close the file; what is decided after that is not written."""
        with self._lock:
            if self._file is not None:
                os.close(self._file)
                self._file = None
