"""Real processes that share a home: no two requests at a time, no short gap, and some are killed."""

import random
import sqlite3
import time
from contextlib import closing
from itertools import pairwise
from pathlib import Path

import forked_python
import pytest
from pace_model import make_demand
from store_backends import open_store
from store_process import ORIGINS

from comity.politeness.pace import Lease

VISITOR = [str(Path(__file__).parents[1] / "support" / "store_process.py")]


def visits(home, place, processes=4, turns=12, gap=0.01):
    """Let processes take turns, and give them by origin, in order."""
    running = [
        forked_python.Popen([*VISITOR, "visit", home, place, str(number), str(turns), str(gap)], stdout=forked_python.PIPE, encoding="utf-8")
        for number in range(processes)
    ]  # fmt: skip
    log = {origin: [] for origin in ORIGINS}
    for process in running:
        output, _ = process.communicate()
        assert process.returncode == 0
        for line in output.splitlines():
            origin, began, ended = line.split()
            log[origin].append((float(began), float(ended)))
    return {origin: sorted(turns) for origin, turns in log.items()}


@pytest.mark.parametrize("home", ["SQLite", "Redis"])
def test_processes_share_leases(home, tmp_path, request):
    place = str(tmp_path / "store") if home == "SQLite" else request.getfixturevalue("redis_url")
    log = visits(home, place)

    assert [len(turns) for turns in log.values()] == [48, 48, 48]
    for turns in log.values():
        for (_, ended), (began, _) in pairwise(turns):
            assert began - ended >= 0.01


def test_killed_processes_leave_a_valid_file(tmp_path):
    """Readable, without damage, and with no origin locked for longer than a lease."""
    path, chance = tmp_path / "store", random.Random(7)
    for _ in range(8):
        with forked_python.Popen(
            [*VISITOR, "write", "SQLite", str(path)], stdout=forked_python.PIPE, encoding="utf-8"
        ) as process:
            for _ in range(chance.randrange(1, 40)):
                assert process.stdout.readline()
            process.kill()
        with open_store("SQLite", None, path) as kept:
            later = time.time() + 0.3
            for origin in ORIGINS:
                assert isinstance(kept.acquire(origin, make_demand(0.0), "after", later, 0.0), Lease)
                kept.release(origin, "after", later, 200)
                found = kept.load(origin)
                assert found is None or found.origin == origin
        with closing(sqlite3.connect(path)) as file:
            assert file.execute("PRAGMA integrity_check").fetchall() == [("ok",)]

    assert not Path(f"{path}.damaged").exists()
    assert all(visits("SQLite", str(path), processes=2, turns=3).values())
