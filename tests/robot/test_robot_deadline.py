"""The threads that send requests with a deadline."""

import threading
from collections import deque

import httpx2
import pytest

from comity.robot._sync import sending

REQUEST = httpx2.Request("GET", "https://example.com/robots.txt")


@pytest.fixture(autouse=True)
def idle(monkeypatch):
    """The threads that wait for a call: none at first."""
    monkeypatch.setattr(sending, "_idle", deque())
    return sending._idle


def thread_of_call(request):
    return threading.get_ident()


def test_thread_is_used_again():
    threads = {sending.with_deadline(60.0, REQUEST, thread_of_call) for _ in range(20)}

    assert len(threads) == 1
    assert threading.get_ident() not in threads


def test_thread_is_used_again_after_an_error():
    def fail(request):
        raise LookupError(str(threading.get_ident()))

    with pytest.raises(LookupError) as raised:
        sending.with_deadline(60.0, REQUEST, fail)

    assert str(sending.with_deadline(60.0, REQUEST, thread_of_call)) == str(raised.value)


def test_call_that_does_not_end_keeps_its_thread(monkeypatch, idle):
    monkeypatch.setattr(sending, "_AFTER_CUT", 0.0)
    hanging, go, threads = threading.Event(), threading.Event(), []

    def hang(request):
        threads.append(threading.get_ident())
        hanging.set()
        go.wait()

    with pytest.raises(TimeoutError, match="more than 0.01 s"):
        sending.with_deadline(0.01, REQUEST, hang)
    assert not idle
    threads.append(sending.with_deadline(60.0, REQUEST, thread_of_call))
    go.set()
    hanging.wait()

    assert len(set(threads)) == 2


def test_thread_without_a_call_ends(monkeypatch):
    monkeypatch.setattr(sending, "_IDLE_TIME", 0.01)
    thread = sending.with_deadline(60.0, REQUEST, lambda request: threading.current_thread())
    thread.join()

    assert not thread.is_alive()
    assert sending.with_deadline(60.0, REQUEST, lambda request: threading.current_thread()) is not thread
