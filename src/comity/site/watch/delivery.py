"""The delivery of reports: each of them once for each recipient, also after a failure or a restart.

FOLDER/delivered/ has one file for each recipient, with the number of the last version that was delivered to
it. The file is locked during a delivery, so that of two processes with one store only one delivers. A process
that is killed between a delivery and its record delivers the report again.
"""

import math
import os
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from hashlib import sha256
from pathlib import Path
from typing import Protocol

from ...files import create_private_folder, open_private, try_lock, unlock
from .journal import Transition
from .site_change import SiteChange

#: Name of the folder.
FOLDER = "delivered"

#: Wait in seconds after a first failed delivery, and the longest wait. It doubles with each failure.
_RETRY, _LONGEST = 60.0, 3600.0

#: Length of a file in bytes: it is overwritten in place.
_LENGTH = 20


#: Is called with "Error" or "Note", and a sentence for the person who watches.
Notice = Callable[[str, str], None]


class DeliveryError(Exception):
    """A report that could not be delivered. It is delivered again."""


class Recipient(Protocol):
    """Receives reports, such as a mailbox or a webhook."""

    #: the recipient for messages, without secrets
    name: str
    #: a text that no other recipient has
    key: str
    #: the maximum number of reports in one message
    most: int

    def send(self, changes: Sequence[tuple[int, SiteChange]]) -> None:
        """Deliver changes with the numbers of their versions. Raises `DeliveryError`."""


class _Busy(Exception):
    """Another process delivers to the same recipient."""


class Delivery:
    """The delivery to one recipient."""

    def __init__(
        self, recipient: Recipient, folder: Path, number: int, *, notice: Notice, once: bool = False
    ) -> None:
        """Continue after the version that was delivered last; for a new recipient, after a `number`.

        With `once`, a failed delivery is left to the next process. `notice` is called with each failure.

        Raises `OSError` if the folder cannot be written.
        """
        self.recipient = recipient
        self._once, self._notice = once, notice
        #: when to try again after a failure, in seconds since 1970, or infinity; None if there was none
        self.retry_at: float | None = None
        self._failures = 0
        self._waiting: deque[Transition] = deque()
        digest = sha256(recipient.key.encode(errors="surrogateescape")).hexdigest()
        self._path = folder / FOLDER / digest[:16]
        self._after = number
        create_private_folder(self._path.parent)
        with suppress(_Busy), self._opened() as file:
            found = _read(file)
            if found is None or found > number:  # new, or of a store that was deleted
                _write(file, number)
            else:
                self._after = found

    @property
    def behind(self) -> int:
        """The number of transitions that are not delivered yet."""
        return len(self._waiting)

    def add(self, transitions: Sequence[Transition]) -> None:
        """Queue those transitions that were not delivered by an earlier process."""
        self._waiting += [transition for transition in transitions if transition.number > self._after]

    def run(self, change_of: Callable[[Transition], SiteChange], now: float, *, all_changes: bool) -> None:
        """Deliver the queue, unless a failure was too short ago; without quiet changes by default."""
        if not self._waiting or (self.retry_at is not None and now < self.retry_at):
            return
        try:
            with self._opened() as file:
                self._deliver(file, change_of, all_changes)
            self.retry_at, self._failures = None, 0
        except _Busy:
            self.retry_at = now + _RETRY
            if self._once:
                self._give_up("another process delivers to this recipient")
        except (DeliveryError, OSError) as error:
            self._failures += 1
            if self._once:
                self._give_up(str(error))
                return
            self.retry_at = now + min(_RETRY * 2.0 ** min(self._failures - 1, 10), _LONGEST)
            self._notice("Error", f"{self.recipient.name}: not delivered: {error}")

    def _give_up(self, why: str) -> None:
        """Leave the queue to the next process."""
        self.retry_at = math.inf
        self._notice("Error", f"{self.recipient.name}: not delivered: {why}; the next run delivers the rest")

    def _deliver(self, file: int, change_of: Callable[[Transition], SiteChange], all_changes: bool) -> None:
        delivered = _read(file) or 0
        while self._waiting:
            batch: list[tuple[int, SiteChange]] = []
            taken = 0
            for transition in self._waiting:
                taken += 1
                if transition.number > delivered:
                    change = change_of(transition)
                    if all_changes or not change.quiet:
                        batch.append((transition.number, change))
                if len(batch) >= self.recipient.most:
                    break
            if batch:
                self.recipient.send(batch)
            last = self._waiting[taken - 1].number
            if last > delivered:
                _write(file, last)
            for _ in range(taken):
                self._waiting.popleft()

    @contextmanager
    def _opened(self) -> Iterator[int]:
        """Open and lock the file of the recipient. Raises `_Busy` if another process has locked it."""
        file = open_private(self._path, os.O_RDWR)
        try:
            if not try_lock(file):
                raise _Busy
            try:
                yield file
            finally:
                unlock(file)
        finally:
            os.close(file)


def _read(file: int) -> int | None:
    """Return the number in an open file, None if there is none."""
    os.lseek(file, 0, os.SEEK_SET)
    text = os.read(file, _LENGTH)
    return int(text) if len(text) == _LENGTH and text.strip().isdigit() else None


def _write(file: int, number: int) -> None:
    os.lseek(file, 0, os.SEEK_SET)
    os.write(file, b"%0*d\n" % (_LENGTH - 1, number))
