"""The home in a file: where it lies, what damages it, whose it is, and how large it grows."""

import os
import random
import sqlite3
import subprocess
import sys
import threading
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest
from pace_model import DAY, make_demand
from platforms import posix_only
from store_backends import ORIGIN, make_access, open_store

from comity.errors import InvalidArgument, StoreUnavailable
from comity.politeness.pace import Lease, Wait, WaitReason
from comity.politeness.stores import database, pace_table
from comity.politeness.stores import stored_access as entry
from comity.stores import SQLiteStore


def begin(kept, now=1000.0, holder="a", gap=1.0, origin=ORIGIN):
    return kept.acquire(origin, make_demand(gap), holder, now, 60.0)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "store.sqlite3"


def filled(path, origins=50):
    """Make a file with answers and turns, and close it."""
    with open_store("SQLite", None, path) as kept:
        for number in range(origins):
            origin = f"https://{number}.example"
            kept.save(make_access(origin, b"Disallow: /x\n" * number))
            begin(kept, origin=origin)


def change(path, *statement):
    with closing(sqlite3.connect(path)) as file, file:
        return file.execute(*statement).fetchall()


def used(kept):
    """Do all that a store does, and see that it works."""
    kept.save(make_access())
    assert kept.load(ORIGIN) == make_access()
    kept.release(ORIGIN, "nobody", 1e6, 200)
    assert isinstance(begin(kept, 2e6), Lease)
    assert begin(kept, 2e6, "b").why is WaitReason.BUSY
    kept.release(ORIGIN, "a", 2e6, 200)


@pytest.mark.parametrize(
    ("platform", "variables", "folder"),
    [
        ("linux", {}, "home/.cache"),
        ("linux", {"XDG_CACHE_HOME": "{tmp}/cache"}, "cache"),
        ("linux", {"XDG_CACHE_HOME": "relative"}, "home/.cache"),
        ("darwin", {"XDG_CACHE_HOME": "{tmp}/cache"}, "home/Library/Caches"),
        ("win32", {"LOCALAPPDATA": "{tmp}/local"}, "local"),
        ("win32", {}, "home/AppData/Local"),
    ],
)
def test_default_file_is_in_cache_folder(monkeypatch, tmp_path, platform, variables, folder):
    monkeypatch.setattr(sys, "platform", platform)
    monkeypatch.setattr(Path, "home", lambda: tmp_path / "home")
    for name in ("XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value.format(tmp=tmp_path))

    assert database.default_path() == tmp_path / folder / "comity" / "store.sqlite3"
    with open_store("SQLite", None) as kept:
        used(kept)
    assert (tmp_path / folder / "comity" / "store.sqlite3").exists()


def test_missing_home_folder_raises(monkeypatch):
    def homeless():
        raise RuntimeError("no home")

    monkeypatch.setattr(Path, "home", homeless)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    with (
        open_store("SQLite", None) as kept,
        pytest.raises(StoreUnavailable, match="no home; pass a path to the store"),
    ):
        kept.load(ORIGIN)


def test_data_survives_the_process(path):
    filled(path)
    with open_store("SQLite", None, path) as kept:
        assert kept.load("https://7.example").body == b"Disallow: /x\n" * 7
        assert begin(kept, 1001.0, "b", origin="https://7.example").why is WaitReason.BUSY


@pytest.mark.parametrize(
    "content",
    [
        b"x",
        b"hello\n",
        b"no database at all\n" * 100,
        b"\0" * 8192,
        b"SQLite format 3\0",
        b"SQLite format 3\0" + b"\xff" * 5000,  # with the application id of another program
        b"SQLite format 4\0" + b"\0" * 52 + b"Cmty" + b"\0" * 5000,
    ],
)
def test_file_that_is_not_a_store_is_not_changed(path, content):
    path.write_bytes(content)
    before = path.stat()
    with open_store("SQLite", None, path) as kept:
        for use in (partial(kept.load, ORIGIN), partial(kept.save, make_access()), partial(begin, kept)):
            with pytest.raises(StoreUnavailable, match="not a store of Comity; use another path"):
                use()

    assert path.read_bytes() == content
    assert (path.stat().st_ino, path.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)
    assert not Path(f"{path}.damaged").exists()


def test_damaged_database_of_another_program_is_not_changed(path):
    change(path, "CREATE TABLE treasure (gold)")
    content = path.read_bytes()[:100] + b"\xff" * 8000
    path.write_bytes(content)
    with (
        open_store("SQLite", None, path) as kept,
        pytest.raises(StoreUnavailable, match="not a store of Comity"),
    ):
        kept.load(ORIGIN)

    assert path.read_bytes() == content


def test_folder_is_not_a_store(tmp_path):
    with (
        open_store("SQLite", None, tmp_path) as kept,
        pytest.raises(StoreUnavailable, match="not a regular file; use another path"),
    ):
        kept.load(ORIGIN)

    assert not list(tmp_path.iterdir())
    assert not Path(f"{tmp_path}.lock").exists()


@posix_only("Windows has no FIFOs in folders")
def test_fifo_is_not_a_store(path):
    os.mkfifo(path)
    with (
        open_store("SQLite", None, path) as kept,
        pytest.raises(StoreUnavailable, match="not a regular file; use another path"),
    ):
        kept.load(ORIGIN)

    assert [each.name for each in path.parent.iterdir()] == [path.name]


@pytest.mark.parametrize(
    "url", ["redis://127.0.0.1:1/", "rediss://user:secret@host/0", "sqlite:///x", "FILE://x"]
)
def test_path_that_is_a_url_is_rejected(url, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InvalidArgument, match="invalid path .*: expected a file, not a URL") as raised:
        SQLiteStore(url)

    assert raised.value.name == "path"
    assert "secret" not in str(raised.value)
    assert not list(tmp_path.iterdir())


def test_new_file_names_its_application_before_its_log(path):
    """A killed process leaves the log, and a damaged file is ours only if its header says so."""
    with open_store("SQLite", None, path) as kept:
        kept.save(make_access())
        assert path.read_bytes()[68:72] == b"Cmty"


def test_empty_file_is_initialised(path, caplog):
    path.touch()
    with open_store("SQLite", None, path) as kept:
        used(kept)

    assert not caplog.records


@pytest.mark.parametrize("seed", range(30))
def test_damaged_file_is_replaced(path, seed):
    """Octets are overwritten, or the file is cut.

    The bytes that say whose file it is, and whether it can be written, are spared.
    """
    filled(path)
    chance = random.Random(seed)
    octets = bytearray(path.read_bytes())
    spared = {*range(16), 18, *range(60, 64), *range(68, 72)}
    if seed % 4 == 0:
        del octets[chance.randrange(1000, len(octets)) :]
    for place in chance.choices(range(len(octets)), k=chance.choice([1, 30, 3000])):
        if place not in spared:
            octets[place] = chance.randrange(256)
    path.write_bytes(octets)

    with open_store("SQLite", None, path) as kept:
        used(kept)
        for number in range(50):
            origin = f"https://{number}.example"
            found = kept.load(origin)
            assert found in (None, make_access(origin, b"Disallow: /x\n" * number))
            assert isinstance(begin(kept, 2e9, "later", origin=origin), Lease | Wait)
            kept.save(make_access(origin))
        used(kept)


def test_file_damaged_during_use_is_replaced(path):
    with open_store("SQLite", None, path) as kept, open_store("SQLite", None, path) as other:
        used(kept)
        used(other)
        for store in (kept, other):  # closes the connection and not the store, as before a fork
            store._database.lock_for_fork()
            store._database.unlock_after_fork()
        path.write_bytes(path.read_bytes()[:100] + os.urandom(20_000))
        begin(kept, 3e6)
        used(other)
        used(kept)


@pytest.mark.parametrize("gone", ["deleted", "replaced"])
def test_deleted_file_is_created_again(path, gone):
    """Users clear their caches while programs run."""
    with open_store("SQLite", None, path) as kept:
        used(kept)
        for end in ("", "-wal", "-shm"):
            Path(f"{path}{end}").unlink()
        if gone == "replaced":
            filled(path)
        assert (kept.load("https://7.example") is None) == (gone == "deleted")
        used(kept)


@pytest.mark.parametrize("table", ["answer", "pace"])
@pytest.mark.parametrize("made", ["", "CREATE TABLE {} (origin TEXT PRIMARY KEY)"])
def test_wrong_tables_count_as_damage(path, table, made):
    filled(path)
    change(path, f"DROP TABLE {table}")
    if made:
        change(path, made.format(table))
    with open_store("SQLite", None, path) as kept:
        used(kept)

    assert Path(f"{path}.damaged").exists()


@pytest.mark.parametrize("place", [16, 28, 44, 56, 63])
@pytest.mark.parametrize("octet", [0, 255])
def test_damaged_header_is_replaced(path, place, octet):
    filled(path, 3)
    octets = bytearray(path.read_bytes())
    octets[place] = octet if place != 63 else 0
    path.write_bytes(octets)
    with open_store("SQLite", None, path) as kept:
        used(kept)


def test_file_of_later_version_is_not_changed(path):
    filled(path)
    change(path, "PRAGMA user_version = 99")
    before = path.read_bytes()
    with open_store("SQLite", None, path) as kept:
        for _ in range(2):
            with pytest.raises(StoreUnavailable, match="later Comity; update Comity or use another"):
                kept.load(ORIGIN)

    assert path.read_bytes() == before


def test_database_of_another_program_is_not_changed(path):
    change(path, "CREATE TABLE treasure (gold)")
    before = path.read_bytes()
    with (
        open_store("SQLite", None, path) as kept,
        pytest.raises(StoreUnavailable, match="of another program"),
    ):
        kept.save(make_access())

    assert path.read_bytes() == before


@pytest.mark.parametrize(
    "value", [None, 7, "text", b"", b"comity access 2 x", entry.encode(make_access("https://b"))]
)
def test_invalid_entry_is_ignored(path, value):
    filled(path)
    change(path, "UPDATE answer SET entry = ?", (value,))
    with open_store("SQLite", None, path) as kept:
        assert kept.load("https://7.example") is None
        used(kept)


@pytest.mark.parametrize(
    "damage",
    [
        "ended = 'soon'",
        "ended = x'00ff'",
        "ended = 9e999",
        "not_before = 'x'",
        "gap = NULL",
        "gap = -1",
        "from_server = 7",
        "from_server = 'x'",
        "failures = -1",
        "failures = 1.5",
        "failures = NULL",
        "visits = -1",
        "visits = 1.5",
        "visits = 'x'",
        "visits = NULL",
        "holder = x'ff'",
        "holder = NULL",
        "lease_expires = NULL",
        "lease_expires = 'x'",
        "holder = CAST(x'ff' AS TEXT), lease_expires = NULL",
    ],
)
def test_damaged_pace_counts_as_request_that_ended_now(path, damage):
    filled(path)
    change(path, f"UPDATE pace SET {damage}")
    with open_store("SQLite", None, path) as kept:
        origin = "https://7.example"
        assert begin(kept, 5000.0, gap=5.0, origin=origin) == Wait(5.0, WaitReason.GAP)
        assert begin(kept, 5005.0, gap=5.0, origin=origin) == Lease("a", 5005.0, 5065.0, 5000.0)


def test_oldest_answers_are_deleted(path, monkeypatch):
    monkeypatch.setattr(database, "_PRUNE_EVERY", 10)
    with open_store("SQLite", None, path, max_origins=5, max_bytes=1 << 20) as kept:
        for number in range(41):
            kept.save(make_access(f"https://{number}.example"))

        there = [number for number in range(41) if kept.load(f"https://{number}.example")]
    assert there == [36, 37, 38, 39, 40]


def test_total_size_of_answers_is_limited(path, monkeypatch):
    monkeypatch.setattr(database, "_PRUNE_EVERY", 1)
    with open_store("SQLite", None, path, max_bytes=100_000) as kept:
        for number in range(30):
            kept.save(make_access(f"https://{number}.example", b"x" * 30_000))

        assert sum(kept.load(f"https://{number}.example") is not None for number in range(30)) == 3


def test_answers_expire_after_a_month(path):
    filled(path)
    change(path, "UPDATE answer SET until = until - ?", (entry.LIFETIME,))
    with open_store("SQLite", None, path) as kept:
        kept.save(make_access())

    assert change(path, "SELECT origin FROM answer") == [(ORIGIN,)]


def test_paces_without_effect_are_deleted(path, monkeypatch):
    monkeypatch.setattr(pace_table, "_PRUNE_EVERY", 1)
    with open_store("SQLite", None, path) as kept:
        begin(kept, 0.0, origin="https://old.example")
        begin(kept, 61.0 + DAY, origin="https://new.example")
        assert len(change(path, "SELECT * FROM pace")) == 2
        begin(kept, 62.0 + DAY, origin="https://new.example")

    assert change(path, "SELECT host FROM pace") == [("https://new.example",)]


def test_visits_of_the_last_origins_are_kept_for_a_month(path, monkeypatch):
    monkeypatch.setattr(pace_table, "_PRUNE_EVERY", 1)
    names = [f"https://{number}.example" for number in range(8)]
    with open_store("SQLite", None, path, max_origins=5) as kept:
        for number, origin in enumerate(names):
            begin(kept, 100.0 * number, origin=origin)
            kept.release(origin, "a", 100.0 * number, 200)
        begin(kept, 5 * DAY)
        assert [kept.visits(origin) for origin in names] == [0, 0, 0, 1, 1, 1, 1, 1]
        begin(kept, 1000.0 + entry.LIFETIME)
        assert [kept.visits(origin) for origin in names] == [0] * 8


def test_answer_is_kept_until_it_expires(path, monkeypatch):
    monkeypatch.setattr(database, "_PRUNE_EVERY", 1)
    now = 1.7e9
    monkeypatch.setattr(database.time, "time", lambda: now)
    with open_store("SQLite", None, path) as kept:
        kept.save(make_access(checked=now, fetched=now, expires=now + 100 * DAY))
        kept.save(make_access("https://short.example"))
        now += 99 * DAY
        kept.save(make_access("https://new.example"))

        assert kept.load(ORIGIN) is not None
        assert kept.load("https://short.example") is None


def test_answer_larger_than_limit_is_not_stored(path, caplog):
    with open_store("SQLite", None, path) as kept:
        kept.save(make_access())
        kept.save(make_access(body=b"x" * entry.LIMIT))
        assert kept.load(ORIGIN) == make_access()
    assert "too large for the store" in caplog.text


class _CountedConnection(sqlite3.Connection):
    """A connection that counts how many are open."""

    count = 0

    def __init__(self, *arguments, **options):
        super().__init__(*arguments, **options)
        _CountedConnection.count += 1

    def close(self):
        super().close()
        _CountedConnection.count -= 1


def test_thread_that_outlives_the_store_opens_no_connection(path, monkeypatch):
    monkeypatch.setattr(sqlite3, "connect", partial(sqlite3.connect, factory=_CountedConnection))
    monkeypatch.setattr(_CountedConnection, "count", 0)
    started, closed, errors = threading.Event(), threading.Event(), []

    def work():
        begin(kept)
        started.set()
        closed.wait()
        try:
            kept.release(ORIGIN, "a", 1001.0, 200)
        except StoreUnavailable as error:
            errors.append(str(error))

    with open_store("SQLite", None, path) as kept:
        thread = threading.Thread(target=work)
        thread.start()
        assert started.wait()
    closed.set()
    thread.join()

    assert errors == [f"{path}: the store is closed; create another one"]
    assert _CountedConnection.count == 0


def test_concurrent_processes_find_the_same_damage(path):
    """One of them puts the file aside; nobody puts aside the new one."""
    filled(path, 1)
    damaged = path.read_bytes()[:100] + b"\xff" * 20_000
    for _ in range(10):
        path.write_bytes(damaged)
        start, turns = threading.Barrier(6), []

        def visit(start=start, turns=turns):
            with open_store("SQLite", None, path) as kept:
                start.wait()
                turns.append(begin(kept))

        threads = [threading.Thread(target=visit) for _ in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

        assert sum(isinstance(turn, Lease) for turn in turns) == 1
        assert len(turns) == 6


def test_pace_that_another_process_has_changed_is_read_again(path):
    """A store remembers the rows that it has written."""
    with open_store("SQLite", None, path) as kept, open_store("SQLite", None, path) as other:
        begin(kept)
        kept.release(ORIGIN, "a", 1001.0, 200)
        assert isinstance(begin(other, 1002.0, "b"), Lease)
        assert begin(kept, 1003.0, "c").why is WaitReason.BUSY
        other.release(ORIGIN, "b", 1004.0, 503)
        assert begin(kept, 1006.0, "d") == Wait(28.0, WaitReason.BACK_OFF)
        change(path, "DELETE FROM pace")
        assert begin(kept, 1006.0, "e") == Lease("e", 1006.0, 1066.0)
        assert begin(other, 1007.0, "f").why is WaitReason.BUSY


@posix_only("fork")
def test_store_survives_a_fork(path):
    """The child opens the file itself, and what it does is kept after its parent closed the file."""
    code = f"""
import os, sys
sys.path[:0] = {[str(Path(__file__).parents[1] / "support"), str(Path(__file__).parent)]!r}
from store_backends import open_store
from test_store_file import begin, used
with open_store("SQLite", None, {str(path)!r}) as kept:
    used(kept)
    ready, told = os.pipe()
    if os.fork() == 0:
        begin(kept, 3e6, "child")
        os.read(ready, 1)
        kept.release("https://example.com", "child", 3e6 + 10, 200)
        begin(kept, 3e6 + 20, "child")
        os._exit(0)
    kept.load("https://example.com")
    kept.close()
    os.write(told, b"x")
    assert os.wait()[1] == 0
with open_store("SQLite", None, {str(path)!r}) as kept:
    print(begin(kept, 3e6 + 21, "parent"))
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, encoding="utf-8")

    assert run.stdout.strip() == "Wait(seconds=1.0, why=WaitReason.BUSY)", run.stderr
