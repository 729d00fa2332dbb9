"""Measure the memory of parsed files, and the time of an import."""

import gc
import json
import os
import statistics
import subprocess
import sys
import time
import tracemalloc
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import corpus
from peers import PEERS

__all__ = ["RULES_ALONE", "imports", "memory"]

#: Comity, storing only the rules of one robot for each file.
RULES_ALONE = "Comity, only the rules of one robot"


def memory(names: Sequence[str], part: int) -> dict[str, dict[str, float | None]]:
    """Return the memory of all parsed files in megabytes, each library in a separate process."""
    figures = {}
    for name in (RULES_ALONE, *names):
        command = [sys.executable, "-W", "ignore", __file__, name, str(part)]
        done = subprocess.run(command, capture_output=True, encoding="utf-8")
        if done.returncode == 0 and done.stdout != "null":
            figures[name] = json.loads(done.stdout)
    return figures


def imports(names: Sequence[str], starts: int) -> dict[str, float]:
    """Return the time of each import in milliseconds, minus the start of an empty interpreter."""
    statements = {"": "pass", **{name: f"import {PEERS[name].module}" for name in names}}
    times: dict[str, list[float]] = {name: [] for name in statements}
    for _ in range(starts + 1):
        for name, statement in statements.items():
            begin = time.perf_counter()
            subprocess.run([sys.executable, "-c", statement], check=True, stdin=subprocess.DEVNULL)
            times[name].append(time.perf_counter() - begin)
    bare = statistics.median(times.pop("")[1:])  # the first round may compile bytecode
    return {name: 1000 * (statistics.median(taken[1:]) - bare) for name, taken in times.items()}


def _measure(name: str, part: int) -> dict[str, float | None] | None:
    keep = _keeper(name)
    if keep is None:
        return None
    bodies = corpus.load(part).bodies
    before = _resident()
    kept = _all(keep, bodies)
    grown = _resident() - before
    del kept
    gc.collect()
    tracemalloc.start()
    kept = _all(keep, bodies)
    now, peak = tracemalloc.get_traced_memory()
    if not kept:
        return None
    return {"kept": now / 1e6, "peak": peak / 1e6, "resident": grown / 1e6 if before else None}


def _keeper(name: str) -> Callable[[bytes], Any] | None:
    """Return the function that converts a body to the object that is stored."""
    if name == RULES_ALONE:
        peer = PEERS["Comity"]
        opened = peer.load()
        return lambda body: peer.prepare(opened, body, corpus.AGENTS[0])["rules"]
    peer = PEERS[name]
    parse = peer.parser() if peer.parsed else None
    return (lambda body: parse(peer.read(body))) if parse else None


def _all(keep: Callable[[bytes], Any], bodies: Sequence[bytes]) -> list[Any]:
    # Copy each body, because a library may store the one that it gets from the network.
    kept = [keep(bytes(bytearray(body))) for body in bodies]
    gc.collect()
    return kept


def _resident() -> int:
    """Return the resident memory of this process in bytes, 0 if the system does not report it."""
    statistics_file = Path("/proc/self/statm")
    if not statistics_file.exists():
        return 0
    return int(statistics_file.read_text(encoding="utf-8").split()[1]) * os.sysconf("SC_PAGE_SIZE")


if __name__ == "__main__":
    json.dump(_measure(sys.argv[1], int(sys.argv[2])), sys.stdout)
