"""The decision log: one line of JSON for each request that a robot sent or refused, with the reason."""

import json
import os
import threading
from collections import deque
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TypeAlias
from weakref import WeakSet

from ..errors import InvalidArgument
from ..protocol.access.outcome import Access
from .evidence.bodies import BodyFolder
from .evidence.chained_file import ChainedFile, evidence_folder
from .evidence.line import START, Encoded, chained, fields_text, object_text
from .records import evidence

#: Where decisions are logged: the path of a file, or a function that is called with each record.
LogTarget: TypeAlias = str | os.PathLike[str] | Callable[[dict[str, object]], object]

#: The open logs, whose locks a forked process renews.
_open_logs: "WeakSet[DecisionLog]" = WeakSet()


class DecisionLog:
    """The log of decisions, as evidence of the robot's requests and their reasons.

    `target` is the path of a file, to which lines are appended, or a function that is called with each
    record. Each line has the hash of the line before. Several threads and processes can share a file: their
    lines form one chain. A new file can be read by its owner only. If the file was renamed or deleted, as by
    logrotate, the next line goes to a new file and continues the chain.
    """

    def __init__(self, target: LogTarget) -> None:
        """Open the log. Raise `OSError` if the file cannot be written."""
        if not callable(target) and not isinstance(target, str | os.PathLike):
            raise InvalidArgument(f"invalid log {target!r:.200}: expected a path or a function", name="log")
        self._receive = target if callable(target) else None
        self._last = START  # of the records that a function received
        self._file: ChainedFile | None = None
        self._bodies: BodyFolder | None = None
        # Reentrant: a signal handler may log a request, or close the log, while its thread writes.
        self._lock = threading.RLock()
        self._waiting: deque[str] = deque()
        self._is_writing = False
        self._closed = False
        if not callable(target):
            path = Path(target).absolute()
            self._file = ChainedFile(path)
            if self._file.is_regular:
                self._bodies = BodyFolder(evidence_folder(path))
        _open_logs.add(self)

    def robots(self, access: Access) -> Encoded:
        """Store a robots.txt, and return the part of a line that names it."""
        fields = evidence(access)
        digest = fields["sha256"]
        is_kept = self._bodies is not None and isinstance(digest, str)
        fields["kept"] = is_kept and self._bodies.keep(access.body, digest)  # type: ignore[union-attr, arg-type]
        return object_text(fields)

    def write(self, record: Mapping[str, object], constants: str = "") -> None:
        """Write the record of one decision; `constants` are further fields, encoded already.

        Raise `OSError` if the file cannot be written. An exception of a function is raised too.
        """
        text = f"{fields_text(record)}, {constants}" if constants else fields_text(record)
        with self._lock:
            if self._closed:
                return
            self._waiting.append(text)
            if self._is_writing:  # by this thread, which a signal handler has interrupted
                return
            self._is_writing = True
            try:
                while self._waiting:
                    self._append(self._waiting.popleft())
            finally:
                self._is_writing = False
                if self._closed:
                    self.close()

    def _append(self, text: str) -> None:
        if self._file is not None:
            self._file.append(text)
        elif self._receive is not None:
            line, self._last = chained(text, self._last)
            self._receive(json.loads(line))

    def close(self) -> None:
        """Close the file. Later decisions are not written."""
        with self._lock:
            self._closed = True
            if self._file is not None and not self._is_writing:
                self._file.close()

    def _renew(self) -> None:
        """Use the log in a forked process: with a lock and an open file of its own."""
        self._lock = threading.RLock()
        self._waiting.clear()
        self._is_writing = False
        if self._file is not None:
            self._file.close()


def _renew_logs() -> None:
    for log in list(_open_logs):
        log._renew()


if hasattr(os, "register_at_fork"):  # not on Windows
    os.register_at_fork(after_in_child=_renew_logs)
