"""Time the calls of all libraries on the same files, in alternating rounds."""

import contextlib
import gc
import math
import os
import statistics
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import corpus
from peers import Peer
from workloads import WORKLOADS, FileSet, Workload

__all__ = ["Effort", "compile_loop", "run"]

#: The clock: processor time, which other programs disturb less. That of Windows counts in steps of 16 ms.
_clock = time.process_time if os.name == "posix" else time.perf_counter

#: The names that a call may use, besides those of its library.
_NAMES = ("body", "text", "agent", "path", "url", "paths", "urls", "robots", "rules")


@dataclass(frozen=True)
class Effort:
    """The amount of work: `urls` of each file and robot; `least` and `most` seconds of a call and round."""

    rounds: int
    urls: int
    least: float
    most: float


@dataclass
class _Cell:
    """The inputs of one loop. Cells of two libraries with the same `key` are compared.

    `units` is the number of operations for each item, `weight` the share of the cell in the mean, and `size`
    the bytes of its files.
    """

    key: object
    items: list[Any]
    names: dict[str, Any]
    weight: int = 1
    size: int = 0
    units: int = 1


@dataclass
class _Entrant:
    """A call of a library in a race. `rounds` has the seconds of an operation by cell, for each round."""

    peer: str
    call: str
    works: list[str]
    loop: Callable[..., float]
    cells: list[_Cell]
    rounds: list[dict[object, float]] = field(default_factory=list)

    def calibrate(self, effort: Effort) -> None:
        """Drop cells whose call crashes, and set the number of items by the time of a few."""
        trials = [(cell, self._trial(cell)) for cell in self.cells]
        self.cells = [cell for cell, seconds in trials if seconds is not None]
        expected = sum(seconds for _, seconds in trials if seconds is not None)
        if expected < effort.least or any(len(cell.items) > 1 for cell in self.cells):
            expected = sum(
                self.loop(cell.items[:3], **cell.names) * len(cell.items) / len(cell.items[:3])
                for cell in self.cells
            )
        for cell in self.cells:
            if expected > effort.most:
                cell.items = cell.items[: max(1, int(len(cell.items) * effort.most / expected))]
            elif expected < effort.least:
                cell.items = cell.items * math.ceil(effort.least / max(expected, 1e-9))

    def _trial(self, cell: _Cell) -> float | None:
        """Evaluate the call once, which triggers lazy work. Return the seconds, None if it crashes."""
        try:
            return self.loop(cell.items[:1], **cell.names)
        except Exception:  # the crash is the result
            return None

    def run(self) -> None:
        """Time all cells once."""
        taken = {cell.key: self.loop(cell.items, **cell.names) / len(cell.items) for cell in self.cells}
        self.rounds.append({cell.key: taken[cell.key] / cell.units for cell in self.cells})

    def seconds(self, keys: Collection[object]) -> list[float]:
        """Return the seconds of an operation in each round, as a mean over cells."""
        weights = {cell.key: cell.weight for cell in self.cells if cell.key in keys}
        total = sum(weights.values())
        return [sum(taken[key] * weight for key, weight in weights.items()) / total for taken in self.rounds]


def compile_loop(call: str, variable: str, names: Mapping[str, Any]) -> Callable[..., float]:
    """Return a function that evaluates a call for each item, and returns the seconds."""
    others = ", ".join(f"{name}=None" for name in _NAMES if name != variable)
    source = (
        f"def loop(_items, {others}):\n"
        f"    _begin = _clock()\n"
        f"    for {variable} in _items:\n"
        f"        {call}\n"
        f"    return _clock() - _begin\n"
    )
    found = {**names, "_clock": _clock}
    exec(compile(source, f"<{call}>", "exec"), found)
    loop: Callable[..., float] = found["loop"]
    return loop


def run(peers: Mapping[str, Peer], files: FileSet, effort: Effort, base: str) -> dict[str, Any]:
    """Return the figures of each library, by workload, with their ratios to those of `base`."""
    entrants = list(_entrants(peers, files, effort))
    for entrant in entrants:
        entrant.calibrate(effort)
    _join_files([entrant for entrant in entrants if WORKLOADS[entrant.works[0]].over == "file"])
    entrants = [entrant for entrant in entrants if entrant.cells]
    gc.collect()
    gc.freeze()  # the prepared objects should not slow down the garbage collector
    for number in range(effort.rounds):
        for entrant in entrants[:: 1 if number % 2 else -1]:
            gc.collect()
            entrant.run()
    gc.unfreeze()
    return {work: _figures([each for each in entrants if work in each.works], base) for work in files.works}


def _entrants(peers: Mapping[str, Peer], files: FileSet, effort: Effort) -> Iterator[_Entrant]:
    for name, peer in peers.items():
        opened = peer.load()
        prepared = list(_prepared(peer, opened, files, effort.urls))
        for (call, _), works in _calls(peer, files).items():
            workload = WORKLOADS[works[0]]
            if workload.over == "file":
                variable, cells = peer.source, _file_cells(peer, files)
            else:
                variable, cells = workload.variable, _question_cells(prepared, workload)
            yield _Entrant(name, call, works, compile_loop(call, variable, opened), list(cells))


def _calls(peer: Peer, files: FileSet) -> dict[tuple[str, str], list[str]]:
    """Return the different calls of a library and their inputs, with the workloads that each serves."""
    found: dict[tuple[str, str], list[str]] = {}
    for work in files.works:
        workload = WORKLOADS[work]
        for call in peer.expressions(workload.call, workload.argument):
            found.setdefault((call, workload.over), []).append(work)
    return found


def _prepared(
    peer: Peer, opened: dict[str, Any], files: FileSet, count: int
) -> Iterator[tuple[object, list[str], dict[str, Any]]]:
    """Yield a key, paths and the prepared names for each file and robot, unless the library crashes."""
    if all(WORKLOADS[work].over == "file" for work in files.works):
        return
    for number, body in enumerate(files.bodies):
        paths = corpus.questions(body, count)
        for agent in corpus.AGENTS:
            with contextlib.suppress(Exception):
                yield (number, agent), paths, peer.prepare(opened, peer.read(body), agent)


def _file_cells(peer: Peer, files: FileSet) -> Iterator[_Cell]:
    """Yield a cell for each file."""
    names = {"agent": corpus.AGENTS[-1], "path": corpus.PATH, "url": corpus.SITE + corpus.PATH}
    for number, body in enumerate(files.bodies):
        yield _Cell(number, [peer.read(body)], names, size=len(body))


def _question_cells(
    prepared: Sequence[tuple[object, list[str], dict[str, Any]]], workload: Workload
) -> Iterator[_Cell]:
    """Yield a cell for each file and robot."""
    for key, paths, names in prepared:
        pages = paths if workload.argument == "path" else [corpus.SITE + path for path in paths]
        if workload.over == "batch":
            yield _Cell(key, [pages], names, units=len(pages))
        else:
            yield _Cell(key, pages, names)


def _join_files(entrants: Sequence[_Entrant]) -> None:
    """Join the cells of all files that crash the same calls, so that one loop times many files."""
    alive = [{cell.key for cell in entrant.cells} for entrant in entrants]
    for entrant in entrants:
        joined: dict[tuple[bool, ...], _Cell] = {}
        for cell in entrant.cells:
            key = tuple(cell.key in keys for keys in alive)
            whole = joined.setdefault(key, replace(cell, key=key, items=[], weight=0, size=0))
            whole.items.extend(cell.items)
            whole.weight += 1
            whole.size += cell.size
        entrant.cells = list(joined.values())


def _figures(entrants: Sequence[_Entrant], base: str) -> dict[str, dict[str, Any]]:
    """Return the figures of the fastest call of each library."""
    found: dict[str, _Entrant] = {}
    medians = {id(each): statistics.median(each.seconds(each.rounds[0])) for each in entrants}
    for entrant in sorted(entrants, key=lambda each: medians[id(each)], reverse=True):
        found[entrant.peer] = entrant
    return {
        name: {
            **_spread(best.seconds(best.rounds[0])),
            "ratio": _ratio(best, found.get(base)),
            "files": sum(cell.weight for cell in best.cells),
            "bytes": sum(cell.size for cell in best.cells),
            "call": best.call,
            "slower": {
                each.call: medians[id(each)] for each in entrants if each.peer == name and each is not best
            },
        }
        for name, best in found.items()
    }


def _spread(rounds: Sequence[float]) -> dict[str, float]:
    """Return the median, and half the distance of the quartiles as a share of it."""
    first, median, third = statistics.quantiles(rounds, n=4, method="inclusive")
    return {"seconds": median, "spread": (third - first) / 2 / median}


def _ratio(entrant: _Entrant, base: _Entrant | None) -> float | None:
    """Compare the medians on the cells that both have."""
    shared = base.rounds[0].keys() & entrant.rounds[0].keys() if base else ()
    if base is None or not shared:
        return None
    return statistics.median(entrant.seconds(shared)) / statistics.median(base.seconds(shared))
