"""The table of the paces in an SQLite file.

A process remembers the rows that it has written last. It changes such a row in one statement, which checks
that no other process has changed it meanwhile.
"""

import sqlite3
import time
from collections.abc import Callable
from math import isfinite
from types import NoneType
from typing import Any, TypeVar

from .. import pace
from ..pace import UNVISITED, Pace
from . import stored_access as entry

_Result = TypeVar("_Result")

#: Changes a pace at a time, and returns the changed one and the answer.
Step = Callable[[Pace, float], tuple[Pace, _Result]]

#: The columns of a pace that a step changes.
_COLUMNS = (
    "ended",
    "gap",
    "not_before",
    "from_server",
    "failures",
    "holder",
    "lease_expires",
    "visits",
    "response_time",
)

_PACE = f"SELECT {', '.join(_COLUMNS)} FROM pace WHERE host = ?"  # noqa: S608  # constant names

#: Changes a row if it is still the one that this process has written. Its columns follow the new ones.
_CHANGE_KNOWN = (  # its names are constant
    f"UPDATE pace SET {', '.join(f'{name} = ?' for name in (*_COLUMNS, 'until'))}"  # noqa: S608
    f" WHERE host = ? AND {' AND '.join(f'{name} IS ?' for name in _COLUMNS)}"
)

#: Adds the row of a host that has none, if an origin has no answer.
_ADD_NEW = (  # its names are constant
    f"INSERT INTO pace ({', '.join((*_COLUMNS, 'until', 'host'))})"  # noqa: S608
    f" SELECT {', '.join('?' * (len(_COLUMNS) + 2))}"
    " WHERE NOT EXISTS (SELECT 1 FROM answer WHERE origin = ?) ON CONFLICT DO NOTHING"
)

#: Maximum number of hosts whose last row is remembered.
_MAX_KNOWN = 1000

_INFINITY = float("inf")

#: Number of changes between deletions of old rows. The first change of a process also deletes them.
_PRUNE_EVERY = 500


class PaceTable:
    """The paces of all hosts, for one process."""

    def __init__(self, max_origins: int) -> None:
        """Keep the visits of `max_origins` hosts."""
        self._max_origins = max_origins
        self._steps = 0
        #: the pace of each host, and its row, as this process has written it last
        self._known: dict[str, tuple[Pace, tuple[object, ...]]] = {}

    def read(self, file: sqlite3.Connection, host: str, now: float) -> Pace:
        """Return the pace of a host."""
        row = file.execute(_PACE, (host,)).fetchone()
        return UNVISITED if row is None else _restored(row, now)

    def change(self, file: sqlite3.Connection, host: str, now: float | None, step: Step[_Result]) -> _Result:
        """Change the pace of a host within a transaction."""
        # Read the clock inside the transaction, because waiting for it may take a while.
        moment = time.time() if now is None else now
        if self._steps % _PRUNE_EVERY == 0:
            self._prune(file, host, moment)
        self._steps += 1
        row = file.execute(_PACE, (host,)).fetchone()
        changed, answer = step(UNVISITED if row is None else _restored(row, moment), moment)
        written = _row(changed)
        if row is None or row != written:
            values = (host, *written, changed.until)
            file.execute("INSERT OR REPLACE INTO pace VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", values)
            verify_written(file.execute(_PACE, (host,)), written)
        self._remember(host, changed, written)
        return answer

    def change_known(
        self, file: sqlite3.Connection, host: str, now: float | None, step: Step[_Result]
    ) -> tuple[_Result] | None:
        """Change a row in one statement if this process has written it last. Return the answer, or None."""
        known = self._known.get(host)
        if known is None:
            return None
        return self._change_if(_CHANGE_KNOWN, known[1], file, host, now, known[0], step)

    def add_new(
        self, file: sqlite3.Connection, origin: str, host: str, now: float | None, step: Step[_Result]
    ) -> tuple[_Result] | None:
        """Add a row in one statement if the host and the origin have none. Return the answer, or None."""
        if host in self._known:
            return None
        done = self._change_if(_ADD_NEW, (origin,), file, host, now, UNVISITED, step)
        if done is not None and file.execute(_PACE, (host,)).fetchone() is None:
            raise RowMissing(_MISSING)
        return done

    def _change_if(
        self,
        statement: str,
        condition: tuple[object, ...],
        file: sqlite3.Connection,
        host: str,
        now: float | None,
        kept: Pace,
        step: Step[_Result],
    ) -> tuple[_Result] | None:
        """Change the pace of a host in one statement with a condition: a transaction takes twice as long.

        Return the answer, or None if the condition does not hold or the step changes nothing: then a
        transaction decides. The clock is read before the statement waits for other processes, so a gap
        becomes longer and not shorter.
        """
        if self._steps % _PRUNE_EVERY == 0:
            return None
        moment = time.time() if now is None else now
        changed, answer = step(kept, moment)
        if changed == kept:
            return None
        row = _row(changed)
        if file.execute(statement, (*row, changed.until, host, *condition)).rowcount != 1:
            return None
        self._steps += 1
        self._remember(host, changed, row)
        return (answer,)

    def _remember(self, host: str, pace: Pace, row: tuple[object, ...]) -> None:
        """Remember the row of a host; a transaction that fails makes it differ from the file."""
        self._known.pop(host, None)
        if len(self._known) >= _MAX_KNOWN:
            del self._known[next(iter(self._known))]
        self._known[host] = pace, row

    def _prune(self, file: sqlite3.Connection, host: str, now: float) -> None:
        """Delete the paces without effect, except the visits of the last hosts; keep that of `host`."""
        # One day later, for clocks that differ, as in `pace`.
        without_effect = now - pace.DAY
        old = "SELECT 1 FROM pace WHERE until < ? AND host <> ? LIMIT 1"
        if file.execute(old, (without_effect, host)).fetchone() is None:
            return
        file.execute("DELETE FROM pace WHERE until < ? AND host <> ?", (now - entry.LIFETIME, host))
        file.execute(
            """
            DELETE FROM pace WHERE until < ? AND host <> ? AND host NOT IN (
                SELECT host FROM pace WHERE visits > 0 ORDER BY ended DESC LIMIT ?
            )
            """,
            (without_effect, host, self._max_origins),
        )


def _row(kept: Pace) -> tuple[object, ...]:
    return (
        kept.ended,
        kept.gap,
        kept.not_before,
        int(kept.from_server),
        kept.failures,
        kept.holder,
        kept.lease_expires,
        kept.visits,
        kept.response_time,
    )


#: The types of the columns of a sound row. A column without a value is None.
_ROW_TYPES = frozenset(
    (ended, float, not_before, int, int, *held, int, float)
    for ended in (float, NoneType)
    for not_before in (float, NoneType)
    for held in ((str, float), (NoneType, NoneType))
)


def _restored(row: tuple[Any, ...], now: float) -> Pace:
    """Read a pace. A damaged one counts as a request that ended now, so that the robot waits."""
    if tuple(map(type, row)) in _ROW_TYPES:
        ended, gap, not_before, from_server, failures, holder, expires, visits, response_time = row
        # A sum is finite if its parts are.
        if (
            isfinite((ended or 0.0) + (not_before or 0.0) + (expires or 0.0))
            and 0 <= gap < _INFINITY
            and 0 <= response_time < _INFINITY
            and from_server in (0, 1)
            and failures >= 0
            and visits >= 0
        ):
            return Pace(
                ended, gap, not_before, from_server == 1, failures, holder, expires, visits, response_time
            )
    return UNVISITED.replace(ended=now)


class RowMissing(sqlite3.DatabaseError):
    """A written row is missing. SQLite does not notice this in a damaged file."""


_MISSING = "a written row is missing"


def verify_written(found: sqlite3.Cursor, written: tuple[object, ...]) -> None:
    """Check that a row was written, because other processes must find the lease."""
    if found.fetchone() != written:
        raise RowMissing(_MISSING)
