"""The lines of a decision log form one chain, whoever writes them and whatever happens to the file."""

import errno
import json
import os
import signal
import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from platforms import posix_only

from comity.politeness.log import DecisionLog
from comity.politeness.log_files import chained_file
from comity.politeness.log_files.line import NO_HASH, chain_fields, fields_text, read_lines, timestamp
from comity.study.decision_log.chain import ChainCheck, LineProblem


def problems(*paths, anchors=()):
    """Return the problems of a log: the line, counted over all files, and the code."""
    check, found, count = ChainCheck(frozenset(anchors)), [], 0
    for path in paths:
        with open(path, "rb") as stream:
            for raw in read_lines(str(path), stream):
                found += [(count + one.line, one.problem.code) for one in check.add(raw)[1]]
                last = raw.line
        count += last
    return found + [(one.line, one.problem.code) for one in check.end()]


def write(path, *numbers):
    log = DecisionLog(path)
    for number in numbers:
        log.write(fields_text({"url": f"https://example.com/{number}"}))
    log.close()


def urls(path):
    return [json.loads(line)["url"].rpartition("/")[2] for line in path.read_text("ascii").splitlines()]


@pytest.fixture
def log(tmp_path):
    return tmp_path / "decisions.jsonl"


def test_lines_are_chained(log):
    write(log, 1, 2)
    write(log, 3)
    records = [json.loads(line) for line in log.read_text("ascii").splitlines()]

    assert [record["number"] for record in records] == [1, 2, 3]
    assert [record["previous"] for record in records] == [NO_HASH, *[r["hash"] for r in records[:2]]]
    assert problems(log) == []


def test_function_receives_records_of_the_same_chain(log):
    with open(log, "w", encoding="utf-8") as file:
        target = DecisionLog(lambda record: file.write(json.dumps(record) + "\n"))
        for text in ("one", "\u2028\U0001f600\"'\\", "two"):
            target.write(fields_text({"url": text, "waited": 1.5, "robots": {"a": [1, None, True]}}))

    assert problems(log) == []


def test_processes_share_a_chain(log):
    """Each sees the lines that the other has written meanwhile."""
    first, second = DecisionLog(log), DecisionLog(log)
    for number in range(6):
        (first, second)[number // 2 % 2].write(fields_text({"url": f"https://example.com/{number}"}))
    first.close()
    second.close()

    assert urls(log) == ["0", "1", "2", "3", "4", "5"]
    assert problems(log) == []


def test_threads_share_a_chain(log):
    logs = [DecisionLog(log), DecisionLog(log)]

    def append(thread):
        for number in range(50):
            logs[thread % 2].write(fields_text({"url": f"https://example.com/{thread}-{number}"}))

    with ThreadPoolExecutor(4) as crowd:
        list(crowd.map(append, range(4)))
    for each in logs:
        each.close()

    assert len(set(urls(log))) == 200
    assert problems(log) == []


@posix_only("forks")
def test_forked_process_continues_the_chain(log):
    target = DecisionLog(log)
    target.write(fields_text({"url": "https://example.com/parent"}))
    with target._lock:  # as if another thread of the parent were writing
        child = os.fork()
        if not child:
            target.write(fields_text({"url": "https://example.com/child"}))
            os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
    target.write(fields_text({"url": "https://example.com/parent"}))
    target.close()

    assert urls(log) == ["parent", "child", "parent"]
    assert problems(log) == []


@posix_only("renames an open file")
@pytest.mark.parametrize("creates", [False, True], ids=["missing", "created"])
@pytest.mark.parametrize("restarts", [False, True], ids=["running", "restarted"])
def test_rotated_log_continues_the_chain(log, creates, restarts):
    target, other = DecisionLog(log), DecisionLog(log)
    target.write(fields_text({"url": "https://example.com/1"}))
    other.write(fields_text({"url": "https://example.com/2"}))
    old = log.rename(log.with_suffix(".1"))
    if creates:
        log.touch(0o600)
    if restarts:
        target.close()
        target = DecisionLog(log)
    target.write(fields_text({"url": "https://example.com/3"}))
    other.write(fields_text({"url": "https://example.com/4"}))
    target.close()
    other.close()

    assert (urls(old), urls(log)) == (["1", "2"], ["3", "4"])
    assert problems(old, log) == []
    assert problems(log) == [(1, "missing")]
    assert problems(log, anchors=[json.loads(old.read_text("ascii").splitlines()[-1])["hash"]]) == []


def test_copied_and_truncated_log_continues_the_chain(log):
    target, other = DecisionLog(log), DecisionLog(log)
    target.write(fields_text({"url": "https://example.com/1"}))
    other.write(fields_text({"url": "https://example.com/2"}))
    old = log.with_suffix(".1")
    old.write_bytes(log.read_bytes())
    os.truncate(log, 0)
    target.write(fields_text({"url": "https://example.com/3"}))
    target.close()
    other.close()

    assert problems(old, log) == []


@pytest.mark.parametrize("length", [1, 40, 200])
def test_line_of_killed_process_is_incomplete(log, length):
    write(log, 1, 2)
    whole = log.read_bytes()
    write(log, 3)
    log.write_bytes(whole + log.read_bytes()[len(whole) :][:length])
    head = chained_file.head_path(log)
    head.unlink()  # it was not written either
    assert problems(log) == [(3, "incomplete")]

    write(log, 4)
    assert urls_of_whole_lines(log) == ["1", "2", "4"]
    assert problems(log) == [(3, "incomplete")]


def urls_of_whole_lines(path):
    lines = path.read_bytes().splitlines()
    return [json.loads(line)["url"].rpartition("/")[2] for line in lines if chain_fields(line)]


def test_line_that_is_only_partly_written_is_removed(log, monkeypatch):
    target = DecisionLog(log)
    target.write(fields_text({"url": "https://example.com/1"}))
    write_all = os.write

    def fail(file, data):
        if len(data) < 100:
            return write_all(file, data)
        write_all(file, data[:50])
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as full:
        full.setattr(os, "write", fail)
        target.write(fields_text({"url": "https://example.com/2"}))
        with pytest.raises(OSError, match="No space"):
            target.flush()
    target.write(fields_text({"url": "https://example.com/3"}))
    target.close()

    assert urls(log) == ["1", "2", "3"]
    assert problems(log) == []


@posix_only("raises a signal in the thread")
def test_signal_handler_writes_after_the_interrupted_line(log, monkeypatch):
    target = DecisionLog(log)
    write_all = os.write

    def interrupted(file, data):
        if b"/1" in data:
            signal.raise_signal(signal.SIGUSR1)
        return write_all(file, data)

    before = signal.signal(
        signal.SIGUSR1, lambda *_: target.write(fields_text({"url": "https://example.com/handler"}))
    )
    try:
        monkeypatch.setattr(os, "write", interrupted)
        target.write(fields_text({"url": "https://example.com/1"}))
    finally:
        signal.signal(signal.SIGUSR1, before)
    target.close()

    assert urls(log) == ["1", "handler"]
    assert problems(log) == []


def test_log_of_comity_0_1_is_continued(log):
    log.write_text('{"time": "2023-11-14T22:13:20.000Z", "method": "GET"}\n' * 2, encoding="utf-8")
    write(log, 1)

    assert problems(log) == [(1, "no-hash"), (2, "no-hash")]


def test_log_with_cut_end_is_continued_by_its_head(log):
    write(log, 1, 2, 3)
    lines = log.read_bytes().splitlines(keepends=True)
    log.write_bytes(lines[0])
    write(log, 4)

    assert problems(log) == [(2, "missing")]


@posix_only("file modes and devices")
def test_device_has_no_evidence(tmp_path, monkeypatch):
    monkeypatch.setattr(chained_file, "create_private_folder", pytest.fail)
    write(Path(os.devnull), 1, 2)


@posix_only("file modes")
def test_head_is_private(log):
    write(log, 1)
    assert stat.S_IMODE(chained_file.head_path(log).stat().st_mode) == 0o600


@pytest.mark.parametrize(
    "head", [b"", b"{}", b"[1]", b'{"number": true, "hash": 1, "size": 2}', b"\xff" * 999]
)
def test_damaged_head_is_ignored(log, head):
    write(log, 1)
    chained_file.head_path(log).write_bytes(head)
    write(log, 2)

    assert problems(log) == []


def test_log_that_stays_locked_is_an_error(log, monkeypatch):
    monkeypatch.setattr("comity.files.file_lock.PATIENCE", 0.0)
    holder, target = DecisionLog(log), DecisionLog(log)
    holder.write(fields_text({"url": "https://example.com/1"}))
    chained_file.lock(holder._file._file, log)
    target.write(fields_text({"url": "https://example.com/2"}))
    with pytest.raises(TimeoutError, match="locked by another process"):
        target.flush()
    holder.close()
    target.write(fields_text({"url": "https://example.com/3"}))
    target.close()

    assert problems(log) == []


def test_timestamps():
    assert timestamp(0.007) == "1970-01-01T00:00:00.007Z"
    assert timestamp(1700000000.9999) == "2023-11-14T22:13:20.999Z"
    assert timestamp(1e300) == "9999-12-31T23:59:59.000Z"
    assert timestamp(-5.0) == "1970-01-01T00:00:00.000Z"


def test_every_problem_has_a_sentence():
    assert all(problem.sentence for problem in LineProblem)
