"""The stores: every home in every flavour keeps the same promises."""

import subprocess
import sys
import threading
import time
from itertools import count

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pace_model import Model, make_demand, steps
from platforms import linux_only
from store_backends import FLAVOURS, ORIGIN, make_access, open_store

from comity import stores as store
from comity.errors import StoreUnavailable
from comity.politeness import pace
from comity.politeness.concurrency import lease_owner
from comity.politeness.concurrency.termination import END
from comity.politeness.pace import UNVISITED, Lease, Wait, WaitReason

_fresh = (f"https://{number}.example" for number in count())
_many = settings(
    max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)


@pytest.fixture(params=FLAVOURS, ids=lambda flavour: "-".join(filter(None, flavour)))
def kept(request, tmp_path):
    """Give an empty store."""
    home, loop = request.param
    if home == "Redis":
        arguments, options = [request.getfixturevalue("redis_url")], {"prefix": f"{tmp_path}:"}
    else:
        arguments, options = [tmp_path / "store.sqlite3"] if home == "SQLite" else [], {}
    with open_store(home, loop, *arguments, **options) as made:
        yield made


def begin(kept, now, holder="a", gap=1.0, origin=ORIGIN, lease=60.0):
    return kept.acquire(origin, make_demand(gap), holder, now, lease)


def take(kept, origin, step):
    """Take a step at an origin, and give the answer if it asks for a turn."""
    if step.kind == "begin":
        return kept.acquire(origin, step.demand, step.holder, step.now, step.lease)
    if step.kind == "renew":
        return kept.renew(origin, step.holder, step.now, step.lease)
    return kept.release(origin, step.holder, step.now, step.status, step.told, response_time=step.took)


def test_answer_is_stored_for_its_origin(kept):
    assert kept.load(ORIGIN) is None
    kept.save(make_access())
    kept.save(make_access("https://other.example", b""))

    assert kept.load(ORIGIN) == make_access()
    assert kept.load("https://other.example") == make_access("https://other.example", b"")
    assert kept.load("http://example.com") is None


def test_later_answer_replaces_earlier_one(kept):
    kept.save(make_access())
    kept.save(make_access(body=b"", checked=2000.0))

    assert kept.load(ORIGIN) == make_access(body=b"", checked=2000.0)


@pytest.fixture
def combined(kept, request):
    """A store that makes two steps at once."""
    if "Memory" in request.node.name:
        pytest.skip("its steps cost nothing")
    return kept


def begin_unless_known(kept, now, holder="a"):
    return kept.load_or_acquire(ORIGIN, "example.com", make_demand(1.0), holder, now, 60.0)


def test_lease_is_acquired_only_without_an_answer(combined):
    assert begin_unless_known(combined, 1000.0) == Lease("a", 1000.0, 1060.0)
    assert begin_unless_known(combined, 1000.5, "b") == Wait(1.0, WaitReason.BUSY)
    combined.save(make_access())
    assert begin_unless_known(combined, 1000.5, "b") == make_access()
    combined.release("example.com", "a", 1002.0, 200)
    assert begin_unless_known(combined, 1009.0, "b") == make_access()
    assert begin(combined, 1009.0, "c", origin="example.com") == Lease("c", 1009.0, 1069.0, 1002.0)


def test_answer_is_stored_with_the_release(combined):
    begin_unless_known(combined, 1000.0)
    combined.save_and_release(
        make_access(), "example.com", "a", 1005.0, 503, 120.0, ago=1.0, response_time=0.5
    )

    assert combined.load(ORIGIN) == make_access()
    assert combined.visits("example.com") == 1
    waited = begin(combined, 1005.0, "b", origin="example.com")
    assert waited == Wait(119.0, WaitReason.RETRY_AFTER)


@linux_only
def test_lease_of_ended_process_is_taken_over_without_an_answer(combined):
    begin(combined, 1000.0, f"a@{lease_owner.identity()}1", origin="example.com")

    assert begin_unless_known(combined, 1010.0, "b") == Wait(pytest.approx(1.0 + END), WaitReason.GAP)
    assert begin_unless_known(combined, 1011.5, "b") == Lease(
        "b", 1011.5, 1071.5, pytest.approx(1010.0 + END)
    )


def test_every_byte_of_a_body_is_stored(kept):
    body = bytes(range(256)) * 2048
    kept.save(make_access(body=body, detail="caf\u00e9 \udcff"))

    assert kept.load(ORIGIN) == make_access(body=body, detail="caf\u00e9 \udcff")


def test_one_request_at_a_time_with_gap(kept):
    assert begin(kept, 1000.0) == Lease("a", 1000.0, 1060.0)
    assert begin(kept, 1000.5, "b") == Wait(1.0, WaitReason.BUSY)
    kept.release(ORIGIN, "a", 1002.0, 200)
    assert begin(kept, 1002.25, "b") == Wait(0.75, WaitReason.GAP)
    assert begin(kept, 1003.0, "b") == Lease("b", 1003.0, 1063.0, 1002.0)


def test_origins_are_independent(kept):
    begin(kept, 1000.0)

    assert begin(kept, 1000.0, origin="http://example.com") == Lease("a", 1000.0, 1060.0)


def test_lease_of_lost_holder_expires(kept):
    begin(kept, 1000.0, lease=60.0)

    assert begin(kept, 1060.0, "b") == Wait(1.0, WaitReason.GAP)
    assert begin(kept, 1061.0, "b") == Lease("b", 1061.0, 1121.0, 1060.0)


@linux_only
def test_lease_of_ended_process_is_taken_over(kept, request):
    """The gap begins a moment after that is found out, because the end of the request is not known.

    The server may still send the answer, or notice the end of the connection.
    """
    if "Memory" in request.node.name:
        pytest.skip("its leases end with the process")
    process = lease_owner.identity()
    begin(kept, 1000.0, f"a@{process}1")  # the number has another process now
    begin(kept, 1000.0, f"a@{process}", origin="https://other.example")

    assert begin(kept, 1010.0, "b", gap=5.0) == Wait(pytest.approx(5.0 + END), WaitReason.GAP)
    assert begin(kept, 1015.0, "b", gap=5.0) == Wait(pytest.approx(END), WaitReason.GAP)
    assert begin(kept, 1015.5, "b", gap=5.0) == Lease("b", 1015.5, 1075.5, pytest.approx(1010.0 + END))
    assert begin(kept, 1010.0, "b", origin="https://other.example").why is WaitReason.BUSY
    assert kept.visits(ORIGIN) == 1


@linux_only
def test_lease_of_ended_process_that_has_expired_is_followed_by_its_gap_only(kept, request):
    begin(kept, 1000.0, f"a@{lease_owner.identity()}1", lease=60.0)

    assert isinstance(begin(kept, 1062.0, "b"), Lease)


def test_lease_is_renewed(kept):
    begin(kept, 1000.0, lease=60.0)
    kept.renew(ORIGIN, "a", 1040.0, 60.0)
    kept.renew(ORIGIN, "b", 1050.0, 600.0)
    assert begin(kept, 1099.0, "b").why is WaitReason.BUSY

    assert begin(kept, 1100.0, "b") == Wait(1.0, WaitReason.GAP)
    kept.renew(ORIGIN, "a", 1100.5, 60.0)
    assert begin(kept, 1101.0, "b") == Lease("b", 1101.0, 1161.0, 1100.0)


def test_lease_is_renewed_by_clock_of_store(kept):
    begin(kept, None, lease=60.0)
    kept.renew(ORIGIN, "a", None, 1000.0)

    assert begin(kept, time.time() + 500.0, "b").why is WaitReason.BUSY


def test_refusals_are_stored(kept):
    begin(kept, 1000.0)
    kept.release(ORIGIN, "a", 1000.0, 503, 120.0)
    assert begin(kept, 1000.0) == Wait(120.0, WaitReason.RETRY_AFTER)
    kept.release(ORIGIN, "a", 1120.0, None)
    assert begin(kept, 1120.0) == Wait(60.0, WaitReason.BACK_OFF)


def test_clock_of_store_applies_without_now(kept):
    turn = begin(kept, None, gap=30.0)
    assert turn.expires == pytest.approx(turn.began + 60.0)
    assert begin(kept, turn.began + 1.0, "b", gap=30.0).why is WaitReason.BUSY
    kept.release(ORIGIN, "a", None, 200)
    wait = begin(kept, None, "b", gap=30.0)

    assert wait.why is WaitReason.GAP
    assert 0 < wait.seconds <= 30.0


@pytest.mark.parametrize(("status", "seconds", "why"), [(200, 5.0, "GAP"), (429, 30.0, "BACK_OFF")])
def test_clock_of_store_is_set_back(kept, request, status, seconds, why):
    """The gap and the pause begin anew, once."""
    if "Memory" in request.node.name:
        pytest.skip("its clock is never set")
    later = time.time() + 3600.0
    begin(kept, later)
    kept.release(ORIGIN, "a", later, status)
    known = kept.wait(ORIGIN, make_demand(5.0), None)
    wait = begin(kept, None, "b", gap=5.0)

    assert known.why is wait.why is WaitReason[why]
    assert wait.seconds == pytest.approx(seconds) == known.seconds
    assert begin(kept, time.time() + seconds, "b", gap=5.0).holder == "b"


def test_wait_changes_nothing(kept):
    delay = make_demand(5.0)
    assert kept.wait(ORIGIN, delay, 1000.0) is None
    assert begin(kept, 1000.0, gap=5.0) == Lease("a", 1000.0, 1060.0)
    assert kept.wait(ORIGIN, delay, 1001.0) == Wait(5.0, WaitReason.BUSY)
    kept.release(ORIGIN, "a", 1002.0, 200)
    assert kept.wait(ORIGIN, delay, 1003.0) == Wait(4.0, WaitReason.GAP)
    assert kept.wait(ORIGIN, make_demand(60.0), 1003.0) == Wait(59.0, WaitReason.GAP)
    assert kept.wait(ORIGIN, delay, 1007.0) is None
    assert begin(kept, 1007.0, "b", gap=5.0) == Lease("b", 1007.0, 1067.0, 1002.0)


def test_wait_by_the_clock_of_the_store(kept):
    begin(kept, None, gap=30.0)
    kept.release(ORIGIN, "a", None, 200)

    wait = kept.wait(ORIGIN, make_demand(30.0), None)
    assert 0 < wait.seconds <= 30.0
    assert wait.why is WaitReason.GAP


def test_visits_are_counted_for_each_origin(kept):
    assert kept.visits(ORIGIN) == 0
    for number, status in enumerate([200, 503, None, pace.GIVEN_UP, pace.UNUSED]):
        begin(kept, 10_000.0 * number)
        kept.release(ORIGIN, "a", 10_000.0 * number + 1.0, status)

    assert kept.visits(ORIGIN) == 4
    assert kept.visits("http://example.com") == 0


_operations = {
    "load": lambda kept: kept.load(ORIGIN),
    "save": lambda kept: kept.save(make_access()),
    "begin": lambda kept: begin(kept, 1000.5, "b"),
    "renew": lambda kept: kept.renew(ORIGIN, "a", 1001.0, 60.0),
    "end": lambda kept: kept.release(ORIGIN, "a", 1002.0, 200),
    "wait": lambda kept: kept.wait(ORIGIN, make_demand(1.0), 1002.0),
    "visits": lambda kept: kept.visits(ORIGIN),
}


@pytest.mark.parametrize("operation", _operations.values(), ids=_operations)
@pytest.mark.parametrize(
    "kept",
    [flavour for flavour in FLAVOURS if flavour[0] != "Memory"],
    ids=lambda flavour: "-".join(filter(None, flavour)),
    indirect=True,
)
def test_operation_on_closed_store_raises(kept, operation):
    begin(kept, 1000.0)
    kept.close()

    with pytest.raises(StoreUnavailable, match="the store is closed"):
        operation(kept)


def test_store_may_be_closed_twice(kept):
    begin(kept, 1000.0)
    kept.close()
    kept.close()


@_many
@given(played=steps(most=15))
def test_leases_never_overlap_and_gaps_are_never_short(kept, played):
    origin, model = next(_fresh), Model()
    for step in played:
        model.saw(step, take(kept, origin, step))


@_many
@given(played=steps(most=15))
def test_every_store_decides_as_pace(kept, played):
    """Number for number, also where the steps are taken elsewhere, by a Redis server."""
    origin, state = next(_fresh), UNVISITED
    for step in played:
        expected = None
        assert kept.wait(origin, step.demand, step.now) == pace.wait(state, step.demand, step.now)
        if step.kind == "begin":
            state, expected = pace.acquire(state, step.demand, step.holder, step.now, step.lease)
        elif step.kind == "renew":
            state = pace.renew(state, step.holder, step.now, step.lease)
        else:
            state = pace.release(
                state,
                step.holder,
                step.now,
                status=step.status,
                retry_after=step.told,
                response_time=step.took,
            )
        assert take(kept, origin, step) == expected
        assert kept.visits(origin) == state.visits


@_many
@given(bodies=st.lists(st.tuples(st.sampled_from("abc"), st.binary(max_size=50)), max_size=6))
def test_last_saved_answer_is_loaded(kept, bodies):
    origin, last = next(_fresh), {}
    for name, body in bodies:
        kept.save(make_access(f"{origin}.{name}", body))
        last[name] = body

    for name in "abc":
        found = kept.load(f"{origin}.{name}")
        assert (found and found.body) == last.get(name)


def test_threads_share_a_store(kept):
    """Of all that ask at the same time, one has the turn; nothing is lost of what they save."""
    start, turns = threading.Barrier(8), []

    def visit(number):
        start.wait()
        for round_ in range(10):
            if isinstance(begin(kept, 1000.0, f"{number}", origin=f"https://{round_}.example"), Lease):
                turns.append(round_)
            kept.save(make_access(f"https://{number}-{round_}.example"))

    threads = [threading.Thread(target=visit, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert sorted(turns) == list(range(10))
    assert all(kept.load(f"https://{n}-{r}.example") for n in range(8) for r in range(10))


def test_memory_limits_number_of_answers():
    with open_store("Memory", None, max_origins=2) as kept:
        for name in "abc":
            kept.save(make_access(name))
            kept.load("a")

        assert [bool(kept.load(name)) for name in "abc"] == [True, False, True]


def test_memory_limits_total_size():
    with open_store("Memory", None, max_bytes=100) as kept:
        kept.save(make_access("a", b"x" * 60))
        kept.save(make_access("a", b"x" * 50))
        kept.save(make_access("b", b"x" * 50))
        assert kept.load("a")
        kept.save(make_access("c", b"x" * 50))
        assert [bool(kept.load(name)) for name in "abc"] == [True, False, True]
        kept.save(make_access("d", b"x" * 101))
        assert [bool(kept.load(name)) for name in "abcd"] == [False] * 4


def test_memory_keeps_paces_in_effect():
    with open_store("Memory", None, max_origins=10) as kept:
        begin(kept, 0.0, "holder", lease=80_000.0)
        for number in range(1000):
            origin = f"https://{number}.example"
            begin(kept, 100.0 * number, origin=origin)
            kept.release(origin, "a", 100.0 * number, 200)
            if number == 700:
                assert begin(kept, 100.0 * number, "b").why is WaitReason.BUSY

        assert len(kept._paces) < 50
        assert isinstance(begin(kept, 100_000.0, "b"), Lease)


def test_memory_keeps_visits_of_the_last_origins():
    with open_store("Memory", None, max_origins=10) as kept:
        for number in range(100):
            begin(kept, 100.0 * number, origin=f"https://{number}.example")
            kept.release(f"https://{number}.example", "a", 100.0 * number, 200)

        visits = [kept.visits(f"https://{number}.example") for number in range(100)]
    assert visits[90:] == [1] * 10
    assert sum(visits) <= 21


@pytest.mark.parametrize("name", store.__all__)
def test_module_exports_every_store(name):
    if "Redis" in name:
        pytest.importorskip("redis")
    assert getattr(store, name).__doc__
    assert name in dir(store)


def test_module_exports_nothing_else():
    with pytest.raises(AttributeError, match="no attribute 'FileStore'"):
        store.FileStore  # noqa: B018


def test_store_imports_only_its_dependencies():
    code = "import sys; from comity.stores import MemoryStore, SQLiteStore; print(*sys.modules)"
    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, encoding="utf-8", check=True
    ).stdout

    assert {"redis", "anyio", "asyncio", "httpx2"}.isdisjoint(loaded.split())


def test_unavailable_store_raises(tmp_path):
    (tmp_path / "file").write_bytes(b"")
    with (
        open_store("SQLite", None, tmp_path / "file" / "store") as kept,
        pytest.raises(StoreUnavailable, match="file"),
    ):
        kept.load(ORIGIN)
