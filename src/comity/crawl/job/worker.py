"""The folder of one worker of a shared job, and its name, which one process has at a time."""

import sqlite3
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Self
from uuid import uuid4

from .interface import JobUnusable

__all__ = ["Worker"]

_FILE = "worker.sqlite3"


class Worker:
    """One worker, until it is closed; whoever comes back to a folder is the worker that it was.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as place:
    ...     with Worker.take(Path(place)) as one, Worker.take(Path(place)) as other:
    ...         one.folder.name, other.folder.name, one.name == other.name
    ('worker-1', 'worker-2', False)
    """

    def __init__(self, folder: Path, file: sqlite3.Connection) -> None:
        """Take a folder whose file is locked."""
        self.folder = folder
        self._file = file
        [self.name] = file.execute("SELECT name FROM worker").fetchone()

    @classmethod
    def take(cls, parent: Path) -> Self:
        """Take the first folder of a job that no process has; raises `JobUnusable` if there can be none."""
        for number in count(1):
            worker = cls._of(parent / f"worker-{number}")
            if worker is not None:
                return worker
        raise AssertionError  # `count` has no end

    @classmethod
    def others(cls, parent: Path) -> Iterator[Self]:
        """Take each other folder of a job that no process has, one after the other."""
        for file in sorted(parent.glob(f"worker-*/{_FILE}")):
            worker = cls._of(file.parent)
            if worker is not None:
                with worker:
                    yield worker

    @classmethod
    def _of(cls, folder: Path) -> "Self | None":
        """Take a folder, unless a process has it."""
        try:
            folder.mkdir(parents=True, exist_ok=True)
            file = sqlite3.connect(folder / _FILE, isolation_level=None, timeout=0.1)
            try:
                # It is locked from the first change on, until it is closed or the process is gone.
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
            raise JobUnusable(f"{folder}: {error}") from error

    def is_of(self, job: str) -> bool:
        """Say whether the folder has pages of a job."""
        return self._file.execute("SELECT 1 FROM worker WHERE job = ?", (job,)).fetchone() is not None

    def work_on(self, job: str) -> None:
        """Take that the folder is for a job, known by a word of its own.

        Raises `JobUnusable` if it was another's, which knows of what is in it, as this one does not.
        """
        [before] = self._file.execute("SELECT job FROM worker").fetchone()
        if before is not None and before != job:
            raise JobUnusable(
                f"{self.folder} has the pages of another job, or of one that the server has lost"
            )
        self._file.execute("UPDATE worker SET job = ?", (job,))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the folder."""
        self._file.close()
