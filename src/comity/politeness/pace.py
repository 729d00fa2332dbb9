"""When the next request to an origin may be sent, and who may send it.

A robot sends one request at a time to an origin, and leaves a gap between the end of one and the
beginning of the next. How long that gap is comes from four sides, which `demand` joins; what has
happened at the origin so far is a `Pace`; `begin`, `renew` and `end` take one to the next. Nothing here
waits, reads a clock or keeps anything: `now` is an argument, in seconds since 1970 (UTC), and the
stores keep what comes back.

A turn is lent. Its holder gives it back with `end`, and has it lent for longer with `renew` where the
request takes its time. If it never does, since it was killed, the turn ends by itself when its lease
runs out, and the gap is measured from there, since nobody knows how long the request went on.
"""

from datetime import UTC, datetime
from enum import Enum

from ..protocol.robotstxt.rules import Rules
from ..protocol.value import Value

__all__ = [
    "BACK_OFF",
    "CAP",
    "DAY",
    "Demand",
    "FLOOR",
    "GIVEN_UP",
    "LONGEST_BACK_OFF",
    "POLL",
    "Pace",
    "Turn",
    "UNUSED",
    "UNVISITED",
    "Wait",
    "Why",
    "begin",
    "demand",
    "end",
    "renew",
]

#: Seconds between two requests where the site asks for nothing.
FLOOR = 1.0

#: The longest Crawl-delay, in seconds, that is obeyed to the letter. Longer ones are more often a
#: mistake or a way to say no than a wish, and a queue that crawls at one page a day helps nobody.
CAP = 300.0

DAY = 86_400.0

#: The status of a request that its robot gave up, which says nothing about the server.
GIVEN_UP = 0

#: The status of a turn that is given back without a request, so that nobody waits for a gap after it.
UNUSED = -1

#: Seconds of back-off after the first refusal, doubled with each further one, and its longest.
BACK_OFF = 30.0
LONGEST_BACK_OFF = 3600.0

#: Seconds after which to look again for the end of somebody else's request, where the gap is shorter.
POLL = 0.1


class Why(Enum):
    """Why a request has to wait; the value says it in words."""

    GAP = "the robot's own gap between two requests to an origin has not passed"
    CRAWL_DELAY = "the gap that Crawl-delay asks for has not passed"
    REQUEST_RATE = "the gap that Request-rate asks for has not passed"
    VISIT_TIME = "visits are not welcome at this time of day"
    RETRY_AFTER = "the server said when to come back"
    BACK_OFF = "the server refused or did not answer, so it is left alone for a while"
    BUSY = "another request to the origin is under way"

    def __repr__(self) -> str:
        return f"Why.{self.name}"

    @property
    def code(self) -> str:
        """The name as it is written in JSON and tables: "crawl-delay"."""
        return self.name.lower().replace("_", "-")


class Demand(Value):
    """What the next request to an origin must respect.

    `gap` are the seconds from the end of one request to the beginning of the next, and `why` tells
    who asks for that many: `Why.GAP` (the robot itself), `Why.CRAWL_DELAY` or `Why.REQUEST_RATE`.
    `visit_wait` are the seconds until a visit is welcome, 0.0 if it is. `notes` are sentences for
    the operator about wishes of the site that are not met in full.
    """

    __slots__ = ("gap", "why", "visit_wait", "notes")
    gap: float
    why: Why
    visit_wait: float
    notes: tuple[str, ...]

    @property
    def reasons(self) -> tuple[Why, ...]:
        """All that binds: who asks for the gap, and `Why.VISIT_TIME` while no visit is welcome."""
        return (self.why, Why.VISIT_TIME) if self.visit_wait else (self.why,)


class Pace(Value):
    """What has happened at an origin, as far as the next request is concerned.

    `ended` is when the last request ended, `gap` the gap that held when it began, `not_before` the
    time before which the server is left alone, `told` whether the server named that time itself
    (Retry-After), `failures` how many times in a row it refused or did not answer. `holder` is who
    has the turn, until `lease`. Times are in seconds since 1970, `None` where there is none.
    """

    __slots__ = ("ended", "gap", "not_before", "told", "failures", "holder", "lease")
    ended: float | None
    gap: float
    not_before: float | None
    told: bool
    failures: int
    holder: str | None
    lease: float | None

    @property
    def until(self) -> float:
        """The time from which nothing here binds anybody, so that it may be forgotten."""
        last = max((time for time in (self.ended, self.lease) if time is not None), default=0.0) + self.gap
        # The count of failures must outlive the back-off, or else the next one would be the first again.
        return max(last, self.not_before or 0.0) + (LONGEST_BACK_OFF if self.failures else 0.0)


#: The pace of an origin that nobody has visited.
UNVISITED = Pace(None, 0.0, None, False, 0, None, None)


class Turn(Value):
    """Leave to send one request: its holder, when the turn began, and when its lease runs out."""

    __slots__ = ("holder", "began", "lease")
    holder: str
    began: float
    lease: float


class Wait(Value):
    """No leave yet: ask again after so many seconds (more than 0), and why.

    The seconds are never more than is certain; the answer may be to wait once more.
    """

    __slots__ = ("seconds", "why")
    seconds: float
    why: Why


def demand(rules: Rules | None, *, floor: float = FLOOR, cap: float = CAP, now: float) -> Demand:
    r"""Join what the rules of a robot ask for with the robot's own gap, by the longest.

    `rules` is `None` while they are unknown. `floor` is the robot's own gap in seconds, which
    nothing shortens. A Crawl-delay of more than `cap` seconds counts as `cap`, and a Request-rate
    slower than one in a day as one in a day; `notes` tells of either.

    >>> import comity
    >>> rules = comity.parse("User-agent: *\nCrawl-delay: 900\nRequest-rate: 1/10").rules_for("ExampleBot")
    >>> wanted = demand(rules, now=0.0)
    >>> wanted.gap, wanted.why.code, wanted.notes
    (300.0, 'crawl-delay', ('Crawl-delay asks for 900 s; 300 s are kept',))

    Raises `ValueError` if `floor` or `cap` is negative or not finite.
    """
    for name, seconds in (("floor", floor), ("cap", cap)):
        if not 0 <= seconds < float("inf"):
            raise ValueError(f"{name} is a number of seconds from 0 up, not {seconds}")
    if rules is None:
        return Demand(floor, Why.GAP, 0.0, ())
    moment = datetime.fromtimestamp(now, UTC)
    gap, why, notes = floor, Why.GAP, []
    for asker, wish, most in (
        (Why.CRAWL_DELAY, rules.crawl_delay, cap),
        (Why.REQUEST_RATE, rules.request_interval(moment), DAY),
    ):
        if wish is None:
            continue
        if wish > most:
            field = asker.code.capitalize()
            notes.append(f"{field} asks for {wish:.6g} s; {max(most, floor):.6g} s are kept")
        if min(wish, most) > gap:
            gap, why = min(wish, most), asker
    return Demand(gap, why, rules.visit_wait(moment), tuple(notes))


def begin(
    pace: Pace, wanted: Demand, holder: str, now: float, lease_seconds: float
) -> tuple[Pace, Turn | Wait]:
    """Ask for the turn at an origin: the pace to keep from now on, and the turn or how long to wait.

    `holder` names one request, unlike any other that may be under way: whoever asks again while it
    has the turn has to wait as anybody. The lease is `lease_seconds` long, a day at most.

    >>> wanted = Demand(gap=5.0, why=Why.GAP, visit_wait=0.0, notes=())
    >>> pace, turn = begin(UNVISITED, wanted, "a", now=100.0, lease_seconds=60.0)
    >>> turn
    Turn(holder='a', began=100.0, lease=160.0)
    >>> begin(pace, wanted, "b", now=101.0, lease_seconds=60.0)[1]
    Wait(seconds=5.0, why=Why.BUSY)
    >>> pace = end(pace, "a", now=102.0, status=200)
    >>> begin(pace, wanted, "b", now=103.0, lease_seconds=60.0)[1]
    Wait(seconds=4.0, why=Why.GAP)
    """
    pace = _believed(pace, now)
    seconds, why = wanted.visit_wait, Why.VISIT_TIME
    if pace.not_before is not None and pace.not_before - now > seconds:
        seconds, why = pace.not_before - now, Why.RETRY_AFTER if pace.told else Why.BACK_OFF
    if pace.ended is not None and pace.ended + wanted.gap - now > seconds:
        seconds, why = pace.ended + wanted.gap - now, wanted.why
    if pace.lease is not None:
        # The request under way ends now at the earliest, so the gap after it is certain.
        busy = max(min(POLL, pace.lease - now), wanted.gap)
        if busy > seconds:
            seconds, why = busy, Why.BUSY
    if seconds > 0:
        return pace, Wait(seconds, why)
    lease = now + min(lease_seconds, DAY)
    pace = Pace(pace.ended, wanted.gap, pace.not_before, pace.told, pace.failures, holder, lease)
    return pace, Turn(holder, now, lease)


def renew(pace: Pace, holder: str, now: float, lease_seconds: float) -> Pace:
    """Give the pace in which `holder` has its turn for `lease_seconds` from now, a day at most.

    A lease that ran out is renewed too, as long as nobody has asked for the turn meanwhile. After that
    nothing is changed: the turn may be another's.

    >>> wanted = Demand(gap=5.0, why=Why.GAP, visit_wait=0.0, notes=())
    >>> pace, turn = begin(UNVISITED, wanted, "a", now=100.0, lease_seconds=60.0)
    >>> renew(pace, "a", now=140.0, lease_seconds=60.0).lease
    200.0
    """
    if pace.holder == holder:
        return pace.replace(lease=now + min(lease_seconds, DAY))
    return pace


def end(pace: Pace, holder: str, now: float, *, status: int | None, retry_after: float | None = None) -> Pace:
    """Give the pace after a request of `holder` ended, whatever came of it.

    `status` is the HTTP status, `None` where there was no answer, `GIVEN_UP` where the robot itself
    stopped, and `UNUSED` where it sent nothing. `retry_after` are the seconds that a Retry-After asks
    for. 429, 503 and no answer are followed by a back-off of 30 seconds, twice that after each further
    one in a row, up to an hour; a Retry-After takes its place, up to a day. An answer below 500 other
    than 429 ends the row.

    Whoever ends late, when its lease ran out and the turn may be another's, takes nothing from the
    other; what it learnt counts.

    >>> end(UNVISITED, "a", now=100.0, status=503).not_before
    130.0
    >>> end(UNVISITED, "a", now=100.0, status=503, retry_after=120.0).not_before
    220.0
    """
    pace = _believed(pace, now)
    other, lease = (None, None) if pace.holder == holder else (pace.holder, pace.lease)
    if status == UNUSED:
        return pace.replace(holder=other, lease=lease)
    ended = now if pace.ended is None else max(pace.ended, now)
    refused = status is None or status in (429, 503)
    failures = pace.failures + 1 if refused else 0 if 100 <= (status or 0) < 500 else pace.failures
    pause, told = None, retry_after is not None and retry_after >= 0
    if retry_after is not None and told:
        pause = min(retry_after, DAY)
    elif refused:
        pause = min(BACK_OFF * 2.0 ** min(pace.failures, 16), LONGEST_BACK_OFF)
    not_before = pace.not_before
    if pause is not None and (not_before is None or now + pause > not_before):
        not_before = now + pause
    else:
        told = pace.told
    return Pace(ended, pace.gap, not_before, told, failures, other, lease)


def _believed(pace: Pace, now: float) -> Pace:
    """Give what of a pace can be believed when the clock says `now`.

    Times somewhat ahead of the clock are kept: another machine's clock may be ahead, and to take
    them for now would let it shorten a gap of its own. Times that only a clock more than a day
    ahead can have written are taken for now, so that no wait outlives such a clock.
    """
    ended, not_before, holder, lease = pace.ended, pace.not_before, pace.holder, pace.lease
    if ended is not None and ended > now + DAY:
        ended = now
    if not_before is not None and not_before > now + 2 * DAY:  # a day may have been promised
        not_before = now
    if lease is not None and lease > now + 2 * DAY:
        lease = now
    if lease is not None and lease <= now:
        ended = lease if ended is None else max(ended, lease)
        holder = lease = None
    if ended is pace.ended and not_before is pace.not_before and lease is pace.lease:
        return pace
    return Pace(ended, pace.gap, not_before, pace.told, pace.failures, holder, lease)
