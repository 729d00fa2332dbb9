"""Leases for tests: random steps of several robots with unreliable clocks, and a model that checks the answers."""

from typing import NamedTuple

from hypothesis import strategies as st

from comity.politeness.pace import UNUSED, Delay, Lease, Wait, WaitReason

DAY = 86_400.0


def make_demand(gap, why=WaitReason.GAP, visit_wait=0.0, slow_down=0.0):
    return Delay(gap, why, visit_wait, (), slow_down)


class Step(NamedTuple):
    """A robot acquires, renews or releases a lease."""

    kind: str
    holder: str
    now: float
    demand: Delay
    lease: float
    status: int | None
    told: float | None
    took: float | None


_gaps = st.sampled_from([0.0, 0.1, 1.0, 2.5, 5.0, 60.0, 300.0]) | st.floats(0, 1000)
_demands = st.builds(
    make_demand,
    _gaps,
    st.sampled_from([WaitReason.GAP, WaitReason.CRAWL_DELAY, WaitReason.REQUEST_RATE]),
    st.just(0.0) | st.floats(0, DAY),
    st.sampled_from([0.0, 5.0]),
)

#: Steps of the clock: mostly forward, sometimes back, rarely by years.
_moves = st.one_of(
    st.sampled_from([0.0, 0.1, 1.0, 2.5, 5.0, 60.0, 300.0]),
    st.floats(0, 400),
    st.floats(-100, 0),
    st.floats(-1e9, 1e9),
)
_statuses = st.sampled_from([200, 200, 404, 429, 503, 500, 502, 520, 501, None, 0, -1])
_times = st.none() | st.floats(0, 400) | st.sampled_from([0.0, 0.1, 1e9, float("inf")])
_told = st.none() | st.floats(-10, 2 * DAY) | st.sampled_from([0.0, 120.0, float("inf")])


@st.composite
def steps(draw, most=30):
    """Draw a list of at most `most` steps at one origin."""
    now, played = 1.7e9, []
    for _ in range(draw(st.integers(0, most))):
        now = max(now + draw(_moves), 0.0)
        played.append(
            Step(
                draw(st.sampled_from(["begin", "begin", "renew", "end"])),
                draw(st.sampled_from("abc")),
                now,
                draw(_demands),
                draw(st.sampled_from([1.0, 60.0, 120.0, 1e6])),
                draw(_statuses),
                draw(_told),
                draw(_times),
            )
        )
    return played


class Model:
    """Checks each lease against the list of earlier steps."""

    def __init__(self):
        self.under_way = {}  # holder -> lease
        self.ends = []

    def _pass(self, now):
        """Drop the expired leases. A time far in the future comes from a wrong clock."""
        for holder, lease in list(self.under_way.items()):
            if lease > now + 2 * DAY:
                lease = now
            if lease <= now:
                del self.under_way[holder]
                self.ends.append(lease)
        self.ends = [now if end > now + DAY else end for end in self.ends]

    def begun(self, step, answer):
        self._pass(step.now)
        if isinstance(answer, Wait):
            assert answer.seconds > 0
            return
        assert isinstance(answer, Lease)
        assert (answer.holder, answer.began) == (step.holder, step.now)
        assert not self.under_way, "two requests at a time"
        assert all(step.now >= end + step.demand.gap for end in self.ends), "a short gap"
        assert not step.demand.visit_wait, "outside the visit time"
        self.under_way[step.holder] = answer.expires

    def renewed(self, step):
        if step.holder in self.under_way:  # also an expired lease that no other robot has acquired since
            self.under_way[step.holder] = step.now + min(step.lease, DAY)

    def ended(self, step):
        self._pass(step.now)
        self.under_way.pop(step.holder, None)
        if step.status != UNUSED:
            self.ends.append(step.now)

    def saw(self, step, answer):
        if step.kind == "begin":
            self.begun(step, answer)
        elif step.kind == "renew":
            self.renewed(step)
        else:
            self.ended(step)
