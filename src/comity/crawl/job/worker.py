"""The folder of one worker of a shared job. It has a name, and one process at a time locks it."""

import sqlite3
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Self
from uuid import uuid4

from ...files import create_guarded_folder, create_private
from .interface import JobUnavailable

_FILE = "worker.sqlite3"


class Worker:
    """The lock on a worker folder, until it is closed. The name belongs to the folder, not to the process.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as place:
    ...     with Worker.lock(Path(place)) as one, Worker.lock(Path(place)) as other:
    ...         one.folder.name, other.folder.name, one.name == other.name
    ('worker-1', 'worker-2', False)
    """

    def __init__(self, folder: Path, file: sqlite3.Connection) -> None:
        """Create a worker from a folder whose file is locked."""
        self.folder = folder
        self._file = file
        self.name: str
        [self.name] = file.execute("SELECT name FROM worker").fetchone()

    @classmethod
    def lock(cls, parent: Path) -> Self:
        """Lock the first free folder of a job, creating it if needed; may raise `JobUnavailable`."""
        for number in count(1):
            worker = cls._lock(parent / f"worker-{number}")
            if worker is not None:
                return worker
        raise AssertionError  # `count` has no end

    @classmethod
    def others(cls, parent: Path) -> Iterator[Self]:
        """Yield each other folder of a job that no process has locked, locked while it is in use."""
        for file in sorted(parent.glob(f"worker-*/{_FILE}")):
            worker = cls._lock(file.parent)
            if worker is not None:
                with worker:
                    yield worker

    @classmethod
    def _lock(cls, folder: Path) -> "Self | None":
        """Lock a folder. Return `None` if another process has locked it."""
        try:
            create_guarded_folder(folder)
            create_private(folder / _FILE)
            file = sqlite3.connect(folder / _FILE, isolation_level=None, timeout=0.1)
            try:
                # The first change locks the file until it is closed or the process ends.
                file.execute("PRAGMA locking_mode = EXCLUSIVE")
                file.execute("BEGIN EXCLUSIVE")
                file.execute("CREATE TABLE IF NOT EXISTS worker (name TEXT, job TEXT)")
                if file.execute("SELECT 1 FROM worker").fetchone() is None:
                    file.execute("INSERT INTO worker VALUES (?, NULL)", (uuid4().hex,))
                file.execute("COMMIT")
                return cls(folder, file)
            except sqlite3.Error as error:
                file.close()
                if error.sqlite_errorname.startswith("SQLITE_BUSY"):
                    return None
                raise
        except (OSError, sqlite3.Error) as error:
            raise JobUnavailable(f"{folder}: {error}") from error

    def belongs_to(self, job: str) -> bool:
        """Return whether the folder has pages of the job with this identifier."""
        return self._file.execute("SELECT 1 FROM worker WHERE job = ?", (job,)).fetchone() is not None

    def assign(self, job: str) -> None:
        """Assign the folder to a job; raises `JobUnavailable` if it belongs to another job."""
        [before] = self._file.execute("SELECT job FROM worker").fetchone()
        if before is not None and before != job:
            raise JobUnavailable(
                f"{self.folder}: it has pages of another job, or of one that the server has lost;"
                " use another --job"
            )
        self._file.execute("UPDATE worker SET job = ?", (job,))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Unlock the folder."""
        self._file.close()
