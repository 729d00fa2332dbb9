"""Pace: how gaps are combined, who has the turn, what a server's refusals cost, and strange clocks."""

import re
from datetime import UTC, datetime
from importlib.resources import files

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pace_model import DAY, Model, make_demand, steps

import comity
from comity.politeness import pace
from comity.politeness.pace import (
    GIVEN_UP,
    UNUSED,
    UNVISITED,
    Delay,
    Lease,
    Pace,
    Wait,
    WaitReason,
    required_delay,
)


def rules(*lines):
    return comity.parse("\n".join(["User-agent: *", "Disallow: /x", *lines])).rules_for("ExampleBot")


def at(hhmm):
    return datetime(2026, 3, 1, int(hhmm[:2]), int(hhmm[3:]), tzinfo=UTC).timestamp()


def begin(state, now, *, gap=1.0, holder="a", lease=60.0, **wanted):
    return pace.acquire(state, make_demand(gap, **wanted), holder, now, lease)


def taken(state, step):
    """Give the pace after a step, and the answer if it asked for a turn."""
    if step.kind == "begin":
        return pace.acquire(state, step.demand, step.holder, step.now, step.lease)
    if step.kind == "renew":
        return pace.renew(state, step.holder, step.now, step.lease), None
    return pace.release(state, step.holder, step.now, status=step.status, retry_after=step.told), None


def visited(now, status=200, **told):
    """Give the pace after one request that ended at a time."""
    state, turn = begin(UNVISITED, now)
    assert isinstance(turn, Lease)
    return pace.release(state, "a", now, status=status, **told)


@pytest.mark.parametrize(
    ("lines", "floor", "now", "gap", "why"),
    [
        ([], 1.0, "12:00", 1.0, WaitReason.GAP),
        ([], 60.0, "12:00", 60.0, WaitReason.GAP),
        ([], 0.0, "12:00", 0.0, WaitReason.GAP),
        (["Crawl-delay: 5"], 1.0, "12:00", 5.0, WaitReason.CRAWL_DELAY),
        (["Crawl-delay: 0.2"], 1.0, "12:00", 1.0, WaitReason.GAP),
        (["Crawl-delay: 1"], 1.0, "12:00", 1.0, WaitReason.GAP),
        (["Crawl-delay: 120"], 3.0, "12:00", 120.0, WaitReason.CRAWL_DELAY),
        (["Crawl-delay: 900"], 3.0, "12:00", 300.0, WaitReason.CRAWL_DELAY),
        (["Crawl-delay: 900"], 400.0, "12:00", 400.0, WaitReason.GAP),
        (["Crawl-delay: 5", "Request-rate: 1/10"], 1.0, "12:00", 10.0, WaitReason.REQUEST_RATE),
        (["Crawl-delay: 20", "Request-rate: 1/10"], 1.0, "12:00", 20.0, WaitReason.CRAWL_DELAY),
        (["Request-rate: 1/10m 1300-1659"], 1.0, "12:00", 1.0, WaitReason.GAP),
        (["Request-rate: 1/10m 1300-1659"], 1.0, "13:00", 600.0, WaitReason.REQUEST_RATE),
        (["Request-rate: 1/1d"], 1.0, "12:00", DAY, WaitReason.REQUEST_RATE),
        (["Request-rate: 1/999999999999d"], 1.0, "12:00", DAY, WaitReason.REQUEST_RATE),
        (["Crawl-delay: soon", "Request-rate: 0/5"], 1.0, "12:00", 1.0, WaitReason.GAP),
    ],
)
def test_longest_gap_applies(lines, floor, now, gap, why):
    wanted = required_delay(rules(*lines), floor=floor, now=at(now))

    assert (wanted.gap, wanted.why, wanted.visit_wait) == (gap, why, 0)


@pytest.mark.parametrize(
    ("window", "now", "wait"),
    [
        ("2200-0600", "12:00", 10 * 3600),
        ("0600-0845", "09:00", 21 * 3600),
        ("2200-0600", "23:00", 0),
    ],
)
def test_wait_for_next_visit_time(window, now, wait):
    wanted = required_delay(rules(f"Visit-time: {window}"), now=at(now))

    assert (wanted.why, wanted.visit_wait) == (WaitReason.GAP, wait)
    _, answer = pace.acquire(UNVISITED, wanted, "a", at(now), 60.0)
    assert answer == (Wait(wait, WaitReason.VISIT_TIME) if wait else Lease("a", at(now), at(now) + 60))


@pytest.mark.parametrize(
    ("lines", "cap", "notes"),
    [
        (["Crawl-delay: 300"], 300.0, ()),
        (["Crawl-delay: 301"], 300.0, ("Crawl-delay asks for 301 s; 300 s are kept",)),
        (["Crawl-delay: 5"], 0.0, ("Crawl-delay asks for 5 s; 1 s are kept",)),
        (["Request-rate: 1/2d"], 300.0, ("Request-rate asks for 172800 s; 86400 s are kept",)),
    ],
)
def test_capped_delays_are_reported(lines, cap, notes):
    assert required_delay(rules(*lines), cap=cap, now=0.0).notes == notes


def test_delay_without_rules():
    assert required_delay(None, now=0.0) == Delay(1.0, WaitReason.GAP, 0.0, (), 0.0)


@pytest.mark.parametrize("argument", ["floor", "cap"])
@pytest.mark.parametrize("seconds", [-1.0, float("inf"), float("nan")])
def test_invalid_delay_raises(argument, seconds):
    with pytest.raises(ValueError, match=argument):
        required_delay(None, now=0.0, **{argument: seconds})


@pytest.mark.parametrize(
    ("gap", "ago", "wait"),
    [(60.0, 20.0, 40.0), (10.0, 4.0, 6.0), (5.0, 5.0, 0), (5.0, 50.0, 0), (0.0, 0.0, 0)],
)
def test_gap_starts_at_end_of_request(gap, ago, wait):
    answer = begin(visited(1000.0), 1000.0 + ago, gap=gap)[1]

    assert answer == (Wait(wait, WaitReason.GAP) if wait else Lease("a", 1000.0 + ago, 1060.0 + ago, 1000.0))


def test_first_request_needs_no_wait():
    assert begin(UNVISITED, 1000.0, gap=300.0)[1] == Lease("a", 1000.0, 1060.0)


def test_long_request_is_followed_by_whole_gap():
    state, _ = begin(UNVISITED, 1000.0, gap=5.0)
    state = pace.release(state, "a", 1030.0, status=200)

    assert begin(state, 1031.0, gap=5.0)[1] == Wait(4.0, WaitReason.GAP)


@pytest.mark.parametrize(
    ("gap", "now", "seconds"), [(5.0, 1001.0, 5.0), (0.0, 1001.0, 0.1), (0.0, 1059.95, 0.05)]
)
def test_one_request_at_a_time(gap, now, seconds):
    """Others look again when the request under way may at the earliest have ended, and its gap passed."""
    state, _ = begin(UNVISITED, 1000.0)
    kept, answer = begin(state, now, gap=gap, holder="b")

    assert answer.why is WaitReason.BUSY
    assert answer.seconds == pytest.approx(seconds)
    assert kept == state


def test_holder_gets_no_second_lease():
    state, _ = begin(UNVISITED, 1000.0)

    assert begin(state, 1001.0)[1].why is WaitReason.BUSY


def test_expired_lease_is_followed_by_gap():
    state, _ = begin(UNVISITED, 1000.0, lease=60.0)

    assert begin(state, 1059.0, gap=5.0, holder="b")[1].why is WaitReason.BUSY
    assert begin(state, 1060.0, gap=5.0, holder="b")[1] == Wait(5.0, WaitReason.GAP)
    assert begin(state, 1065.0, gap=5.0, holder="b")[1] == Lease("b", 1065.0, 1125.0, 1060.0)


def test_lease_lasts_a_day_at_most():
    assert begin(UNVISITED, 0.0, lease=float("inf"))[1].expires == DAY


def test_late_release_keeps_next_lease():
    state, _ = begin(UNVISITED, 1000.0, lease=60.0)
    state, turn = begin(state, 1070.0, holder="b")
    assert isinstance(turn, Lease)
    state = pace.release(state, "a", 1080.0, status=200)

    assert (state.ended, state.holder) == (1080.0, "b")
    assert begin(state, 1081.0, holder="c")[1].why is WaitReason.BUSY


def test_lease_is_renewed():
    state, _ = begin(UNVISITED, 1000.0, lease=60.0)
    state = pace.renew(state, "a", 1040.0, 60.0)

    assert begin(state, 1099.0, gap=5.0, holder="b")[1].why is WaitReason.BUSY
    assert begin(state, 1100.0, gap=5.0, holder="b")[1] == Wait(5.0, WaitReason.GAP)


def test_expired_lease_is_renewed_unless_another_holder_asked():
    state, _ = begin(UNVISITED, 1000.0, lease=60.0)
    assert begin(pace.renew(state, "a", 1070.0, 60.0), 1080.0, holder="b")[1].why is WaitReason.BUSY
    asked, answer = begin(state, 1060.0, holder="b")
    assert answer == Wait(1.0, WaitReason.GAP)

    assert pace.renew(asked, "a", 1070.0, 60.0) == asked


def test_unused_lease_needs_no_gap():
    state, _ = begin(visited(1000.0), 1001.0)
    state = pace.release(state, "a", 1002.0, status=UNUSED)

    assert begin(state, 1003.0, gap=3.0, holder="b")[1].began == 1003.0
    assert pace.release(UNVISITED, "a", 1000.0, status=UNUSED) == UNVISITED


def test_renewed_lease_lasts_a_day_at_most():
    assert pace.renew(begin(UNVISITED, 0.0)[0], "a", 50.0, float("inf")).lease_expires == 50.0 + DAY


@pytest.mark.parametrize("state", [UNVISITED, begin(UNVISITED, 1000.0, holder="b")[0]])
def test_renew_without_lease_changes_nothing(state):
    assert pace.renew(state, "a", 1001.0, 60.0) == state


@pytest.mark.parametrize(
    ("status", "told", "wait", "why"),
    [
        (503, 120.0, 120.0, WaitReason.RETRY_AFTER),
        (429, 120.0, 120.0, WaitReason.RETRY_AFTER),
        (301, 120.0, 120.0, WaitReason.RETRY_AFTER),
        (200, 120.0, 120.0, WaitReason.RETRY_AFTER),
        (503, 0.0, 1.0, WaitReason.GAP),  # a date in the past
        (503, -5.0, 30.0, WaitReason.BACK_OFF),  # invalid
        (503, float("nan"), 30.0, WaitReason.BACK_OFF),
        (503, 10 * DAY, DAY, WaitReason.RETRY_AFTER),
        (503, float("inf"), DAY, WaitReason.RETRY_AFTER),
        (503, None, 30.0, WaitReason.BACK_OFF),
        (429, None, 30.0, WaitReason.BACK_OFF),
        (None, None, 30.0, WaitReason.BACK_OFF),
        (200, None, 1.0, WaitReason.GAP),
        (404, None, 1.0, WaitReason.GAP),
        (500, None, 5.0, WaitReason.BACK_OFF),
        (502, None, 5.0, WaitReason.BACK_OFF),
        (504, None, 5.0, WaitReason.BACK_OFF),
        (520, None, 5.0, WaitReason.BACK_OFF),
        (530, None, 5.0, WaitReason.BACK_OFF),
        (500, 120.0, 120.0, WaitReason.RETRY_AFTER),
        (501, None, 1.0, WaitReason.GAP),
        (505, None, 1.0, WaitReason.GAP),
        (600, None, 1.0, WaitReason.GAP),
        (GIVEN_UP, None, 1.0, WaitReason.GAP),
    ],
)
def test_pause_after_response(status, told, wait, why):
    assert begin(visited(1000.0, status, retry_after=told), 1000.0)[1] == Wait(wait, why)


def test_back_off_doubles_up_to_an_hour():
    state, now, pauses = UNVISITED, 0.0, []
    for status in [503, 429, None] * 4:
        state = pace.release(state, "a", now, status=status)
        pauses.append(state.not_before - now)
        now = state.not_before

    assert pauses == [30, 60, 120, 240, 480, 960, 1920, 3600, 3600, 3600, 3600, 3600]


@pytest.mark.parametrize(
    ("between", "pause"), [(200, 30), (404, 30), (301, 30), (500, 120), (502, 120), (501, 60), (GIVEN_UP, 60)]
)
def test_failures_are_reset_by_answers_only(between, pause):
    state = pace.release(visited(0.0, 503), "a", 100.0, status=between)

    assert pace.release(state, "a", 200.0, status=503).not_before == 200 + pause


def test_retry_after_replaces_back_off_and_counts_as_failure():
    state = visited(0.0, 503, retry_after=5.0)
    assert state.not_before == 5.0

    assert pace.release(state, "a", 10.0, status=503).not_before == 70.0


@pytest.mark.parametrize(("status", "first"), [(429, 30.0), (503, 30.0), (500, 5.0), (520, 5.0)])
@pytest.mark.parametrize("seconds", [0.0, 1.0, None])
def test_short_retry_after_does_not_cancel_the_back_off_of_repeated_failures(status, first, seconds):
    state, now, pauses = UNVISITED, 0.0, []
    for _ in range(4):
        state = pace.release(state, "a", now, status=status, retry_after=seconds)
        pauses.append(state.not_before - now)
        now = state.not_before

    assert pauses == [first if seconds is None else seconds, 2 * first, 4 * first, 8 * first]


def test_one_error_page_costs_little():
    state, now = UNVISITED, 0.0
    for status in (200, 500, 200, 502, 200):
        state = pace.release(state, "a", now, status=status)
        now = max(state.not_before or 0.0, now) + 1.0

    assert now == 15.0


def test_slow_server_gets_requests_less_often_and_a_fast_one_more_often_again():
    state, gaps = UNVISITED, []
    for seconds in (0.1, 2.0, 0.1, 0.1, 0.1, 0.1, 100.0):
        state = pace.release(state, "a", 0.0, status=200, response_time=seconds)
        gaps.append(pace.required_gap(required_delay(None, slow_down=5.0, now=0.0), state.response_time))

    assert [round(gap, 3) for gap, _ in gaps] == [1.0, 10.0, 5.25, 2.875, 1.688, 1.094, 60.0]
    assert [why for _, why in gaps] == [WaitReason.GAP] + 6 * [WaitReason.SLOW_DOWN]


def test_pause_is_not_shortened():
    state = visited(0.0, 503, retry_after=1000.0)
    state = pace.release(state, "b", 10.0, status=None)

    assert (state.not_before, state.from_server) == (1000.0, True)
    assert begin(state, 10.0)[1] == Wait(990.0, WaitReason.RETRY_AFTER)


def test_longest_wait_is_returned():
    state = visited(0.0, 503, retry_after=100.0)

    assert begin(state, 0.0, gap=200.0, why=WaitReason.CRAWL_DELAY)[1] == Wait(200.0, WaitReason.CRAWL_DELAY)
    assert begin(state, 0.0, gap=200.0, visit_wait=500.0)[1] == Wait(500.0, WaitReason.VISIT_TIME)
    assert begin(state, 0.0, gap=50.0)[1] == Wait(100.0, WaitReason.RETRY_AFTER)


def test_clock_set_back_by_less_than_a_day_shortens_nothing():
    """It may be another machine's, which is behind."""
    state = visited(10_000.0)

    assert begin(state, 9000.0, gap=5.0)[1] == Wait(1005.0, WaitReason.GAP)


def test_clock_of_the_store_set_back_by_less_than_its_tolerance_shortens_nothing():
    state = visited(1000.0)

    assert pace.after_set_back(state, 1000.0 - pace.AHEAD) is state
    assert pace.after_set_back(UNVISITED, 0.0) is UNVISITED


@pytest.mark.parametrize("status", [200, 503])
def test_times_more_than_a_day_ahead_count_as_now(status):
    state = visited(1e9, status)
    kept, answer = begin(state, 1e6, gap=5.0)
    assert answer == Wait(5.0, WaitReason.GAP)

    assert isinstance(begin(kept, 1e6 + 5.0, gap=5.0)[1], Lease)


def test_lease_of_a_clock_ahead_counts_as_expired():
    state, _ = begin(UNVISITED, 1e9)
    kept, answer = begin(state, 1e6, gap=5.0, holder="b")
    assert answer == Wait(5.0, WaitReason.GAP)

    assert isinstance(begin(kept, 1e6 + 5.0, gap=5.0, holder="b")[1], Lease)


def test_pace_without_effect_can_be_deleted():
    state, _ = begin(UNVISITED, 1000.0, gap=5.0, lease=60.0)
    assert (UNVISITED.until, state.until) == (0.0, 1065.0)
    assert visited(1000.0).until == 1001.0
    assert visited(1000.0, 503).until == 1030.0 + 3600.0
    assert visited(1000.0, 503, retry_after=10_000.0).until == 11_000.0 + 3600.0


def test_reasons_have_codes_and_sentences():
    assert (WaitReason.RETRY_AFTER.code, repr(WaitReason.BUSY)) == ("retry-after", "WaitReason.BUSY")
    assert all(why.sentence and not why.sentence.endswith(".") for why in WaitReason)


@given(steps())
def test_leases_never_overlap_and_gaps_are_never_short(played):
    """Whoever asks in whatever order, and whatever the clocks say."""
    state, model = UNVISITED, Model()
    for step in played:
        state, answer = taken(state, step)
        model.saw(step, answer)


@given(steps(), st.floats(0, 400), st.floats(0, 1e6))
def test_waiting_long_enough_gets_a_lease(played, gap, late):
    """No past locks an origin for good, whatever the clocks said in it."""
    state = UNVISITED
    for step in played:
        state, _ = taken(state, step)
    start = now = late
    for _ in range(40):
        state, answer = begin(state, now, gap=gap, holder="last")
        if isinstance(answer, Lease):
            break
        assert answer.seconds > 0
        now = max(now + answer.seconds, now * (1 + 1e-15))
        if answer.why is WaitReason.BUSY:  # instead of asking every 0.1 seconds
            now = max(now, state.lease_expires)
    else:
        pytest.fail("it waits for good")
    assert now - start <= 3 * DAY + gap


@given(steps())
def test_pace_has_plain_finite_values(played):
    state = UNVISITED
    for step in played:
        state, _ = taken(state, step)
        assert isinstance(state, Pace)
        assert (state.holder is None) == (state.lease_expires is None)
        assert 0 <= state.until < float("inf") or step.now < 0


def test_lua_script_has_the_same_constants():
    script = (files("comity.politeness") / "pace.lua").read_text(encoding="utf-8")

    names = "DAY, POLL, BACK_OFF, LONGEST_BACK_OFF, DOUBLINGS"
    values = re.search(f"^local {names} = (.*)$", script, re.MULTILINE)[1]
    constants = (pace.DAY, pace.POLL, pace.BACK_OFF, pace.LONGEST_BACK_OFF, pace._DOUBLINGS)
    assert tuple(map(float, values.split(","))) == constants
    values = re.search("^local ERROR_BACK_OFF, LONGEST_SLOW_DOWN = (.*)$", script, re.MULTILINE)[1]
    assert tuple(map(float, values.split(","))) == (pace.ERROR_BACK_OFF, pace.LONGEST_SLOW_DOWN)
    assert re.search(r"^local UNUSED = (.*)$", script, re.MULTILINE)[1] == str(UNUSED)
    assert float(re.search(r"^local AHEAD = (.*)$", script, re.MULTILINE)[1]) == pace.AHEAD
    statuses = re.search(r"^local BACK_OFF_STATUSES = (.*)$", script, re.MULTILINE)[1]
    assert set(map(int, re.findall(r"\d+", statuses))) == pace.BACK_OFF_STATUSES


def test_back_off_after_many_failures_is_an_hour():
    assert pace.back_off(10_000) == 3600.0
    state = UNVISITED.replace(failures=100_000)
    assert pace.release(state, "a", 0.0, status=503).not_before == 3600.0
