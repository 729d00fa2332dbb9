"""What a robot keeps to, origin by origin: whose rules hold, whose turn it is, and what was decided.

A request is judged by its own origin's robots.txt, waits for its turn there, and holds the turn until
its response was read to the end or closed. Within one robot, requests to an origin stand in a queue;
between robots that share a store, the store lends the turn.
"""

import itertools
import logging
import os
import threading
from collections import OrderedDict
from collections.abc import AsyncIterator
from functools import lru_cache
from inspect import iscoroutinefunction
from operator import itemgetter
from typing import Any

import httpx2

from ...errors import StoreUnavailable
from ...politeness import pace
from ...politeness._async.concurrency import AWAITED, Clock, Gate, me, shielded
from ...politeness.identity import Identity
from ...politeness.log import DecisionLog
from ...politeness.page import Page, Requirement, usage_record
from ...politeness.received import ReceivedResponse, advance, replay_response
from ...politeness.records import decision, evidence, without_password
from ...politeness.stores import AsyncStore
from ...protocol.access.fetch import Fetch, exempt
from ...protocol.access.freshness import retry_after
from ...protocol.access.outcome import Access, Cause, Outcome
from ...protocol.access.policy import AccessPolicy
from ...protocol.origin import Origin
from ...protocol.robotstxt.fields.vocabulary import CURRENT, Vocabulary
from ...protocol.robotstxt.rules import Rules
from ...protocol.robotstxt.verdict import Reason, Verdict
from ...protocol.usage.answer import FIELDS, Usage, usage
from ..failures import FAULTS, cause_of, is_silence, said_by, was_sent
from ..refusals import Disallowed, MustWait, Unreachable, UsageDisallowed
from .sending import Prepare, Send, with_deadline

__all__ = ["ANY_USE", "AsyncKeeper", "judged_as"]

#: The extension of a request for what is read as the site's own word, whatever it may be used for.
ANY_USE = "comity.any-use"

#: Why a line of the log has content that was not fetched, or not handed out.
_KEPT_FROM_USE = "usage-disallowed"

#: So many origins' rules are kept ready, of files of so many octets in all: rules that are ready take
#: many times the octets of their file. More are kept by the store.
_READY = 4096
_READY_OCTETS = 16 << 20

#: Seconds for which a turn is lent. Whoever is killed with a turn keeps others waiting for so long. A
#: response that takes longer has its turn lent again as it comes in.
_LEASE = 120.0

#: Seconds after which a wait is told to the operator.
_LONG = 30.0

#: Seconds for which a task waits behind a response that it has open itself.
_OWN = 10.0

_logger = logging.getLogger("comity.robot")


@lru_cache(_READY)
def _origin(url: str) -> str:
    """Give the origin of a URL as text; most URLs are of one that was asked for lately."""
    return str(Origin.of(url))


def _path_at(url: str) -> int | None:
    """Say where the path of a URL begins, `None` if nowhere: the origin stands before it."""
    start = url.find("/", url.find("://") + 3)
    return start if start >= 0 else None


def judged_as(url: httpx2.URL) -> str:
    """Give a URL as rules speak of it: what opens a WebSocket is a GET by http or https (RFC 6455 4.1)."""
    text = str(url)
    return f"http{text[2:]}" if url.scheme in ("ws", "wss") else text


class _Ward:
    """What a robot has ready for one origin: its access, its rules, and the queue before it."""

    __slots__ = (
        "access",
        "demand",
        "evidence",
        "gate",
        "notes",
        "octets",
        "origin",
        "owner",
        "queue",
        "rules",
        "speaks",
    )

    def __init__(self, origin: str) -> None:
        self.origin = origin
        self.gate = Gate()
        self.access: Access | None = None
        self.rules: Rules | None = None
        self.demand: pace.Delay | None = None  # where it is the same at all times
        self.notes: tuple[str, ...] = ()
        self.owner: object = None  # the task or thread whose request has the turn
        self.queue = 0  # how many stand before the gate
        self.octets = 0  # of the robots.txt that the rules come from
        self.evidence: dict[str, object] | None = None
        self.speaks = False  # whether the rules say anything of usage


class AsyncKeeper:
    """Judges, delays and writes down the requests of one robot, whatever transports send them."""

    def __init__(
        self,
        identity: Identity,
        *,
        policy: AccessPolicy,
        store: AsyncStore,
        delay: float,
        crawl_delay_cap: float,
        max_wait: float,
        robots_timeout: float,
        log: DecisionLog | None,
        clock: Clock | None,
    ) -> None:
        """Take what `AsyncRobot` was made with."""
        self.identity = identity
        self._headers = identity.headers
        self._policy = policy
        self._store = store
        self._delay = delay
        self._cap = crawl_delay_cap
        self._max_wait = max_wait
        self._robots_timeout = robots_timeout
        self._log = log
        self.clock = Clock() if clock is None else clock
        # The store's own clock is the one that all who share the store have in common.
        self._own_clock = clock is not None
        self._wards: OrderedDict[str, _Ward] = OrderedDict()
        self._octets = 0
        self._lock = threading.Lock()  # of the wards, which other threads may add to and take away
        self._requirement: Requirement | None = None
        self._prepare: Prepare | None = None
        self._respect: dict[str, object] | None = None  # the same as the log has it
        self._vocabulary: Vocabulary = CURRENT
        self._holder = f"{os.getpid()}-{os.urandom(6).hex()}"
        self._numbers = itertools.count()
        if iscoroutinefunction(getattr(store, "load", None)) is not AWAITED or not hasattr(store, "load"):
            raise TypeError(f"{store!r} is no store for this flavour of robot; see comity.politeness.stores")
        pace.required_delay(None, floor=delay, cap=crawl_delay_cap, now=0.0)  # complains now if it must

    def require(self, requirement: Requirement, vocabulary: Vocabulary, prepare: Prepare) -> None:
        """Send and hand out nothing, from now on, that is kept from these uses.

        `prepare` is called with each request before it stands in the queue, and may refuse it.
        """
        self._prepare = prepare if requirement.categories else None
        self._requirement = requirement if requirement.categories else None
        self._respect = (
            {
                "uses": list(requirement.categories),
                "only_if_allowed": requirement.only_if_allowed,
            }
            if requirement.categories
            else None
        )
        self._vocabulary = vocabulary

    # Judging ------------------------------------------------------------------------------------

    async def access(self, url: str, send: Send) -> tuple[Access, Rules | None]:
        """Give what holds for the origin of a URL, and the rules for this robot if there are any.

        `url` is one that `judged_as` gives.
        """
        free = exempt(url, self._policy)
        if free is not None:
            return free, None
        ward = self._ward(str(Origin.of(url)))
        if not self._is_fresh(ward):
            request = httpx2.Request("GET", url)
            deadline = self.clock.time() + self._max_wait
            await self._enter(ward, request, deadline)
            try:
                if not self._is_fresh(ward):  # nobody has asked meanwhile
                    await self._learn(ward, send, request, deadline)
            finally:
                ward.gate.release()
        assert ward.access is not None  # noqa: S101  # learnt
        return ward.access, ward.rules

    async def obey(self, request: httpx2.Request, send: Send) -> httpx2.Response:
        """Send a request if it is allowed and when it is time; the response holds the turn.

        Raises `Disallowed` and `MustWait`, and whatever `send` raises.
        """
        for name, value in self._headers:
            request.headers[name] = value  # by one name it asks and fetches, whoever set another
        url = judged_as(request.url)
        if request.url.scheme not in self._policy.schemes and exempt(url, self._policy) is not None:
            return await send(request)
        if self._prepare is not None and ANY_USE not in request.extensions:
            await self._prepare(request)
        ward = self._ward(_origin(url[: _path_at(url)]))
        asked = self.clock.time()
        if self._is_fresh(ward):
            self._refuse(ward, url, request, asked)  # what is known to be forbidden need not wait
        try:
            turn = await self._turn(ward, url, send, request, asked)
        except (Disallowed, MustWait, UsageDisallowed):  # which were written down where they were decided
            raise
        except BaseException as failure:
            self._note_failure(request, asked, failure)
            raise
        waited = self.clock.time() - asked
        try:
            response = await send(request)
        except BaseException as failure:
            try:
                self._note(request, ward, made=was_sent(failure), waited=waited, error=said_by(failure))
            finally:
                await turn.end(None if is_silence(failure) else pace.GIVEN_UP)
            raise
        held = _HeldStream(response, turn, self.clock)
        try:
            said = self._usage(ward, url, response.headers)
            status = response.status_code
            if response.is_success:
                self._refuse_use(said, request, ward, made=True, waited=waited, status=status)
            self._note(request, ward, made=True, waited=waited, status=status, usage=said)
        except BaseException:  # nobody will have the response, so nobody else would close it
            await held.aclose()
            raise
        if response.is_closed:  # it was made in memory, so nobody will close it
            await held.aclose()
        else:
            response.stream = held
        return response

    async def _turn(
        self, ward: _Ward, url: str, send: Send, request: httpx2.Request, asked: float
    ) -> "_Turn":
        """Stand in the queue, and wait for leave to send a request."""
        deadline = asked + self._max_wait
        await self._enter(ward, request, deadline)
        try:
            holder = await self._leave_to_send(ward, url, send, request, asked, deadline)
        except BaseException:
            ward.gate.release()
            raise
        ward.owner = me()
        return _Turn(self, ward, holder, self.clock)

    async def _leave_to_send(
        self, ward: _Ward, url: str, send: Send, request: httpx2.Request, asked: float, deadline: float
    ) -> str:
        """Judge a request and wait for its turn; give the name that the turn is held under."""
        again = False
        while True:
            if not self._is_fresh(ward):
                await self._learn(ward, send, request, deadline)
            self._refuse(ward, url, request, asked)
            holder = await self._begin(ward.origin, ward, request, deadline)
            if self._is_fresh(ward) or again:
                return holder
            # The wait was longer than the rules are good for: ask for them and judge again. Once, or else
            # a gap that is longer than that would let no page through.
            again = True
            await self._end(ward.origin, holder, pace.UNUSED)

    def _refuse(self, ward: _Ward, url: str, request: httpx2.Request, asked: float) -> None:
        """Raise if what is known of the origin forbids a URL."""
        if (ward.rules is not None and ward.rules.allowed(url)) or (verdict := self._judge(ward, url)):
            if ward.speaks and self._requirement is not None:
                waited = self.clock.time() - asked
                self._refuse_use(self._usage(ward, url), request, ward, made=False, waited=waited)
            return
        self._note(request, ward, made=False, waited=self.clock.time() - asked, verdict=verdict)
        if ward.access is not None and verdict.reason is Reason.UNREACHABLE:
            raise Unreachable(request, verdict, ward.access.expires)
        raise Disallowed(request, verdict)

    def _refuse_use(
        self,
        said: Usage | None,
        request: httpx2.Request,
        ward: _Ward,
        *,
        made: bool,
        waited: float,
        status: int | None = None,
    ) -> None:
        """Raise if a use that the robot would make of what it asks for is disallowed."""
        if said is None or self._requirement is None or ANY_USE in request.extensions:
            return
        category = self._requirement.broken(said)
        if category is not None:
            reason = _KEPT_FROM_USE
            self._note(request, ward, made=made, waited=waited, status=status, usage=said, reason=reason)
            raise UsageDisallowed(request, category, said, said.explain(category))

    def _usage(self, ward: _Ward, url: str, headers: httpx2.Headers | None = None) -> Usage | None:
        """Give what the robots.txt and the header fields say of usage; `None` if they say nothing."""
        if self._log is None and self._requirement is None:
            return None
        spoken = [] if headers is None else [pair for pair in headers.multi_items() if pair[0] in FIELDS]
        if not ward.speaks and not spoken:
            return None
        robots = ward.access if ward.rules is None else ward.rules
        names = self.identity.names
        return usage(url, agent=names, robots=robots, headers=spoken, vocabulary=self._vocabulary)

    def note_page(self, request: httpx2.Request, page: Page, *, refused: str | None) -> None:
        """Write down what a page that was fetched and read says, and why it is not handed out, if so."""
        if self._log is not None:
            self._write(
                request,
                made=True,
                reason="page-read" if refused is None else _KEPT_FROM_USE,
                robots=self._evidence(self._ward(str(Origin.of(judged_as(request.url))))),
                status=page.status,
                error=refused,
                usage=usage_record(page.usage, whole=True),
                page=page.evidence(),
            )

    def note_left_out(self, request: httpx2.Request, said: Usage, why: str) -> None:
        """Write a request down that was not made, since what may be done with the answer is not known."""
        if self._log is not None:
            self._write(
                request,
                made=False,
                reason=_KEPT_FROM_USE,
                robots=self._evidence(self._ward(str(Origin.of(judged_as(request.url))))),
                error=why,
                usage=usage_record(said, whole=True),
            )

    def _evidence(self, ward: _Ward) -> dict[str, object] | None:
        """Say which robots.txt is known of an origin."""
        if ward.evidence is None and ward.access is not None:
            ward.evidence = evidence(ward.access)
        return ward.evidence

    def _ward(self, origin: str) -> _Ward:
        with self._lock:
            ward = self._wards.get(origin)
            if ward is None:
                ward = self._wards[origin] = _Ward(origin)
                self._make_room(ward)
            else:
                self._wards.move_to_end(origin)
        return ward

    def _make_room(self, kept: _Ward) -> None:
        """Let go of the origins that were asked about the longest time ago; the lock is held."""
        while len(self._wards) > _READY or self._octets > _READY_OCTETS:
            idle = (each for each in self._wards.values() if not each.gate.busy and each is not kept)
            ward = next(idle, None)
            if ward is None:
                return
            del self._wards[ward.origin]
            self._octets -= ward.octets

    def _is_fresh(self, ward: _Ward) -> bool:
        return ward.access is not None and ward.access.fresh(self.clock.time())

    def _judge(self, ward: _Ward, url: str) -> Verdict:
        if ward.rules is not None:
            return ward.rules.check(url)
        assert ward.access is not None  # noqa: S101  # learnt
        return ward.access.check(url, agent=self.identity.names)

    def _note(
        self,
        request: httpx2.Request,
        ward: _Ward,
        *,
        made: bool,
        waited: float,
        verdict: Verdict | None = None,
        status: int | None = None,
        error: str | None = None,
        usage: Usage | None = None,
        reason: str | None = None,
    ) -> None:
        """Write a request down that a robots.txt decided about."""
        if self._log is None:
            return
        verdict = verdict or self._judge(ward, judged_as(request.url))
        access = ward.access
        assert access is not None  # noqa: S101  # learnt
        self._write(
            request,
            made=made,
            reason=reason or verdict.reason.code,
            verdict=verdict,
            robots=self._evidence(ward),
            age=self.clock.time() - (access.checked if access.fetched is None else access.fetched),
            waited=waited,
            status=status,
            error=error,
            usage=None if usage is None else usage_record(usage),
        )

    def _note_failure(self, request: httpx2.Request, asked: float, failure: BaseException) -> None:
        """Write a request down that was given up before anything was decided about it."""
        if self._log is not None:
            waited = self.clock.time() - asked
            self._write(request, made=False, reason="given-up", waited=waited, error=said_by(failure))

    def _write(self, request: httpx2.Request, **facts: Any) -> None:
        """Write a line of the log, which there is."""
        assert self._log is not None  # noqa: S101  # by whoever calls
        now = self.clock.time()
        asked = request.method, without_password(request.url)
        self._log.write(decision(*asked, self.identity.names[0], now, respect=self._respect, **facts))

    # Turns --------------------------------------------------------------------------------------

    async def _enter(self, ward: _Ward, request: httpx2.Request, deadline: float) -> None:
        """Stand in the queue of this robot's requests to an origin."""
        if ward.gate.pass_now():
            return
        gap = max(ward.demand.gap if ward.demand else 0.0, self._delay)
        patience = deadline - self.clock.time()
        # Whoever stands before this one takes a gap at the least.
        if gap * (ward.queue + 1) > patience:
            raise self._too_early(request, gap * (ward.queue + 1), pace.WaitReason.BUSY)
        if ward.owner == me():
            _logger.warning("%s: a response is still open where the next is asked for", ward.origin)
            patience = min(patience, _OWN)
        ward.queue += 1
        try:
            passed = await ward.gate.acquire(max(patience, 0.0))
        finally:
            ward.queue -= 1
        if not passed:
            raise self._too_early(request, gap * (ward.queue + 1), pace.WaitReason.BUSY)

    def _too_early(self, request: httpx2.Request, seconds: float, why: pace.WaitReason) -> MustWait:
        """Write down that a request was not made, and give the error that says so."""
        if self._log is not None:
            self._write(request, made=False, reason=why.code)
        return MustWait(request, seconds, why.value)

    def _demand(self, ward: _Ward | None) -> pace.Delay:
        """Say what the next request must respect; there is no ward where only the robot's own gap counts."""
        if ward is not None and ward.demand is not None:
            return ward.demand
        rules = None if ward is None else ward.rules
        wanted = pace.required_delay(rules, floor=self._delay, cap=self._cap, now=self.clock.time())
        if ward is not None:
            if rules is None or not (rules.request_rates or rules.visit_times):
                ward.demand = wanted
            if wanted.notes != ward.notes:
                ward.notes = wanted.notes
                for note in wanted.notes:
                    _logger.warning("%s: %s", ward.origin, note)
        return wanted

    async def _begin(self, origin: str, ward: _Ward | None, request: httpx2.Request, deadline: float) -> str:
        """Wait for the turn at an origin; give the name that it is held under."""
        holder = await self._begin_unless_busy(origin, ward, request, deadline, patient=True)
        assert holder is not None  # noqa: S101  # who is patient has it in the end
        return holder

    async def _begin_unless_busy(
        self, origin: str, ward: _Ward | None, request: httpx2.Request, deadline: float, *, patient: bool
    ) -> str | None:
        """Wait for the turn at an origin, or give `None` if another has it and this one is not patient."""
        holder = f"{self._holder}-{next(self._numbers)}"
        began, told = self.clock.time(), False
        while True:
            wanted = self._demand(ward)  # each time, as a window may close while another wait goes on
            now = self.clock.time()
            try:
                answer = await self._store.acquire(
                    origin, wanted, holder, now if self._own_clock else None, _LEASE
                )
            except Exception:
                raise
            except BaseException:  # cancelled, when the turn may have been lent already
                await self._end(origin, holder, pace.UNUSED)
                raise
            if isinstance(answer, pace.Lease):
                return holder
            if not patient and answer.why is pace.WaitReason.BUSY:
                return None
            if now + answer.seconds > deadline:
                raise self._too_early(request, answer.seconds, answer.why)
            if not told and max(answer.seconds, now - began) >= _LONG:
                told = True
                so_far = now - began
                _logger.warning(
                    "%s: %.0f s waited, %.1f s to go: %s", origin, so_far, answer.seconds, answer.why.value
                )
            await self.clock.sleep(answer.seconds)

    async def renew(self, ward: _Ward, holder: str) -> None:
        """Have a turn for longer, while its response comes in."""
        now = self.clock.time() if self._own_clock else None
        try:
            await self._store.renew(ward.origin, holder, now, _LEASE)
        except StoreUnavailable as error:  # no reason to lose the response; whoever shares it cannot begin
            _logger.warning("%s: the turn is not renewed: %s", ward.origin, error)

    async def _end(
        self, origin: str, holder: str, status: int | None, retry_after: float | None = None
    ) -> None:
        """Give a turn back, whoever has cancelled what was done with it."""
        with shielded():
            now = self.clock.time() if self._own_clock else None
            try:
                await self._store.release(origin, holder, now, status, retry_after)
            except Exception:
                raise
            except BaseException:  # an event loop that closes cancels once more, and once only
                await self._store.release(origin, holder, now, status, retry_after)
                raise

    async def end(self, ward: _Ward, holder: str, status: int | None, retry_after: float | None) -> None:
        """Give a turn back, and let the next in the queue go on."""
        try:
            await self._end(ward.origin, holder, status, retry_after)
        finally:
            ward.owner = None
            ward.gate.release()

    # robots.txt ---------------------------------------------------------------------------------

    async def _learn(self, ward: _Ward, send: Send, request: httpx2.Request, deadline: float) -> None:
        """Have the access of an origin that holds now, from the store or from the origin."""
        access = await self._stored(ward.origin)
        if access is None:
            access = await self._ask(ward, send, request, deadline)
        ward.rules = access.robots.rules_for(self.identity.names) if access.outcome is Outcome.RULES else None
        ward.demand = ward.evidence = None
        ward.speaks = ward.rules is not None and bool(ward.rules.content_usage or ward.rules.content_signals)
        ward.access = access  # the last, since other threads look at it to see whether the rest is right
        with self._lock:
            if self._wards.get(ward.origin) is ward:
                self._octets += len(access.body) - ward.octets
                ward.octets = len(access.body)
                if self._octets > _READY_OCTETS:
                    self._make_room(ward)

    async def _stored(self, origin: str) -> Access | None:
        """Give the stored access of an origin if it is fresh and was judged by this robot's policy."""
        access = await self._store.load(origin)
        return access if access is not None and self._is_usable(access) else None

    def _is_usable(self, access: Access) -> bool:
        return access.policy == self._policy.name and access.fresh(self.clock.time())

    async def _ask(self, ward: _Ward, send: Send, request: httpx2.Request, deadline: float) -> Access:
        """Ask an origin for its robots.txt, unless another robot has while the turn was waited for.

        The turn is kept until the answer is stored, so that nobody who shares the store asks too. A
        redirect takes its turn where it leads. Whoever would wait for the request of another to an origin
        that sorts before the one whose turn it has gives that back first, so that two origins that lead to
        each other block nobody.
        """
        first = ward.origin
        holder: str | None = await self._begin(first, ward, request, deadline)
        status: int | None = pace.UNUSED
        pause: float | None = None
        try:
            known = await self._store.load(first)
            if known is not None and self._is_usable(known):
                return known
            fetch = Fetch(first, policy=self._policy, known=known)
            while fetch.request is not None:
                origin = str(Origin.of(fetch.request.url))
                if origin != first:
                    patient = holder is None or origin > first
                    if not await self._follow(fetch, origin, send, request, deadline, patient=patient):
                        await self._end(first, holder or "", status, pause)
                        holder = None
                    continue
                if holder is None:
                    holder = await self._begin(first, ward, request, deadline)
                elif status != pace.UNUSED:  # redirected to itself
                    await self._rest(self._demand(ward), pause, request, deadline)
                status = pace.GIVEN_UP  # until there is another
                status, pause = await self._send(fetch, send)
            if holder is None and (known := await self._stored(first)) is not None:
                return known  # from somebody who had the turn meanwhile
            await self._store.save(fetch.access)
            return fetch.access
        finally:
            if holder is not None:
                await self._end(first, holder, status, pause)

    async def _follow(
        self,
        fetch: Fetch,
        origin: str,
        send: Send,
        request: httpx2.Request,
        deadline: float,
        *,
        patient: bool,
    ) -> bool:
        """Send the request that a redirect to another origin asks for, when it is time there.

        Gives False, and sends nothing, if somebody else's request is under way there and the robot is not
        patient.
        What that origin answers about its own file need not be asked again, now or later.
        """
        own = fetch.request is not None and fetch.request.url == f"{origin}/robots.txt"
        if own and await self._replayed(fetch, origin):
            return True
        holder = await self._begin_unless_busy(origin, None, request, deadline, patient=patient)
        if holder is None:
            return False
        status: int | None = pace.UNUSED
        pause: float | None = None
        try:
            if own and await self._replayed(fetch, origin):
                return True
            other = Fetch(origin, policy=self._policy, known=await self._store.load(origin)) if own else None
            status = pace.GIVEN_UP
            status, pause = await self._send(fetch, send, other)
            if other is not None and other.request is None:
                await self._store.save(other.access)
        finally:
            await self._end(origin, holder, status, pause)
        return True

    async def _replayed(self, fetch: Fetch, origin: str) -> bool:
        stored = await self._stored(origin)
        return stored is not None and replay_response(stored, fetch, self.clock.time())

    async def _rest(
        self, wanted: pace.Delay, pause: float | None, request: httpx2.Request, deadline: float
    ) -> None:
        """Wait between two requests of one turn for as long as between two turns."""
        seconds, why = max(
            (wanted.gap, wanted.why), (pause or 0.0, pace.WaitReason.RETRY_AFTER), key=itemgetter(0)
        )
        if self.clock.time() + seconds > deadline:
            raise self._too_early(request, seconds, why)
        await self.clock.sleep(seconds)

    async def _send(
        self, fetch: Fetch, send: Send, other: Fetch | None = None
    ) -> tuple[int | None, float | None]:
        """Send one request for a robots.txt, in bounded time and memory, and let the fetch see the reply.

        The other one that may see it too is the fetch of the origin that is asked. Gives what the end of
        the turn is told: the status, and the seconds of a Retry-After.
        """
        assert fetch.request is not None  # noqa: S101  # by whoever calls
        try:
            request = httpx2.Request("GET", fetch.request.url, headers=list(fetch.request.headers))
        except httpx2.InvalidURL as failure:  # where a redirect led, to an address that is none
            fetch.fail(Cause.NOT_FETCHABLE, said_by(failure), self.clock.time())
            return pace.UNUSED, None
        for name, value in self._headers:
            request.headers[name] = value
        seconds = min(self._robots_timeout, 10.0)
        # Less for the pool, so that a wait for our own connections is told from one for the server.
        request.extensions = {"timeout": httpx2.Timeout(seconds, pool=seconds / 2).as_dict()}
        reply = ReceivedResponse()
        try:
            await with_deadline(self._robots_timeout, request, self._receive, reply, send)
        except httpx2.PoolTimeout:  # nothing was asked, so nothing is known of the server
            raise
        except FAULTS as failure:
            reply.fail(cause_of(failure), said_by(failure))
        except BaseException as failure:
            self._note_robots_txt(request, reply.status, said_by(failure), made=was_sent(failure))
            raise
        made = reply.cause not in (Cause.DNS, Cause.REFUSED, Cause.NOT_FETCHABLE)
        self._note_robots_txt(request, reply.status, reply.detail or None, made=made)
        now = self.clock.time()
        if other is not None and (reply.status != 304 or _asks_the_same(fetch, other)):
            advance(other, reply, now)  # 304 speaks of the copy that was asked about
        advance(fetch, reply, now)
        return reply.complete_status, reply.retry_after(now)

    def _note_robots_txt(
        self, request: httpx2.Request, status: int | None, error: str | None, *, made: bool
    ) -> None:
        """Write a request for a robots.txt down."""
        if self._log is not None:
            self._write(request, made=made, reason="robots-txt-itself", status=status, error=error)

    async def _receive(self, request: httpx2.Request, reply: ReceivedResponse, send: Send) -> None:
        """Fill a reply with what comes, as long as it is wanted."""
        response = await send(request)
        try:
            reply.start(response.status_code, response.headers.multi_items())
            if reply.wants_body:
                assert isinstance(response.stream, httpx2.AsyncByteStream)  # noqa: S101
                async for chunk in response.stream:  # undecoded, and there even if it was made in memory
                    if not reply.add(chunk, self._policy.limit):
                        if reply.overflows:  # a stream that closing does not end
                            break
                        # Not left in the middle, which async generators take amiss: it ends by an error.
                        await response.aclose()
        except FAULTS:
            if not reply.is_cut:
                raise
        finally:
            await response.aclose()


def _asks_the_same(fetch: Fetch, other: Fetch) -> bool:
    return fetch.request == other.request


class _Turn:
    """A turn that is held until the response is read."""

    def __init__(self, keeper: AsyncKeeper, ward: _Ward, holder: str, clock: Clock) -> None:
        self._keeper = keeper
        self._ward = ward
        self._holder = holder
        self._clock = clock
        self._lent = clock.time()
        self._held = True

    async def keep(self) -> None:
        """Have the turn for longer, once more than half of its lease is over."""
        now = self._clock.time()
        if self._held and now - self._lent > _LEASE / 2:
            self._lent = now
            await self._keeper.renew(self._ward, self._holder)

    async def end(self, status: int | None, retry_after: float | None = None) -> None:
        """Give the turn back, once."""
        if self._held:
            self._held = False
            await self._keeper.end(self._ward, self._holder, status, retry_after)

    def __del__(self) -> None:
        """Let the queue go on behind a response that nobody closed; the lease of the turn runs out."""
        if self._held:
            self._ward.gate.release()


class _HeldStream(httpx2.AsyncByteStream):
    """The stream of a response, which ends the turn of its request when it is closed."""

    def __init__(self, response: httpx2.Response, turn: _Turn, clock: Clock) -> None:
        assert isinstance(response.stream, httpx2.AsyncByteStream)  # noqa: S101  # of an async transport
        self._stream = response.stream
        self._turn = turn
        self._status = response.status_code
        self._headers = response.headers
        self._clock = clock

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for chunk in self._stream:
            await self._turn.keep()
            yield chunk

    async def aclose(self) -> None:
        """Close the stream, and end the turn."""
        try:
            await self._stream.aclose()
        finally:
            pause = None
            if "retry-after" in self._headers:
                pause = retry_after(self._headers["retry-after"], self._clock.time())
            await self._turn.end(self._status, pause)
