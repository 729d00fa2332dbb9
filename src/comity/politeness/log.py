"""The decision log: one line of JSON for each request that a robot sent or refused, with the reason."""

import json
import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

from ..errors import InvalidArgument

#: Where decisions are logged: the path of a file, or a function that is called with each record.
LogTarget: TypeAlias = str | os.PathLike[str] | Callable[[dict[str, object]], object]


class DecisionLog:
    """The log of decisions, as evidence of the robot's requests and their reasons.

    `target` is the path of a file, to which lines are appended, or a function that is called with each
    record. Each line is one write, so several threads and processes can share a file.
    """

    def __init__(self, target: LogTarget) -> None:
        """Open the log. Raise `OSError` if the file cannot be written."""
        if not callable(target) and not isinstance(target, str | os.PathLike):
            raise InvalidArgument(f"invalid log {target!r:.200}: expected a path or a function", name="log")
        self._receive = target if callable(target) else None
        self._file: int | None = None
        self._lock = threading.Lock()
        if not callable(target):
            flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND
            self._file = os.open(Path(target), flags, 0o644)

    def write(self, record: dict[str, object]) -> None:
        """Write the record of one decision."""
        if self._receive is not None:
            self._receive(record)
            return
        line = json.dumps(record, separators=(", ", ": "), ensure_ascii=True).encode() + b"\n"
        with self._lock:
            if self._file is not None:
                rest = memoryview(line)
                while rest:  # a full disk may accept only a part, and then raises
                    rest = rest[os.write(self._file, rest) :]

    def close(self) -> None:
        """Close the file. Later decisions are not written."""
        with self._lock:
            if self._file is not None:
                os.close(self._file)
                self._file = None
