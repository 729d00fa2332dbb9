"""What a client writes to its decision log: one record for each request that it sent or did not send."""

from collections.abc import Callable

from ..protocol.robotstxt.verdict import Verdict
from ..protocol.usage.answer import Usage
from ..protocol.userinfo import without_password
from .log import DecisionLog
from .origin_state import AgentRules, OriginState
from .pace import WaitReason
from .page import Page, usage_record
from .records import decision
from .settings import PolitenessSettings

#: The reason in the log if robots.txt allows a request, but a use of the content is disallowed.
USAGE_DISALLOWED = "usage-disallowed"

#: The reason in the log for a request to a host that is not public.
NOT_PUBLIC = "not-public"

#: The reason in the log for a robots.txt that was supplied by hand, without a request.
RULES_SUPPLIED = "rules-supplied"


class OutgoingRequest:
    """A request that a client wants to send.

    `url` is the URL that rules are compared with, `sent_url` the URL that is sent and logged. `any_use` is
    true for a request whose content is not restricted to permitted uses, such as one for `ai.txt`.
    """

    __slots__ = ("_sent_url", "any_use", "method", "url")

    def __init__(self, method: str, url: str, sent_url: object = None, *, any_use: bool = False) -> None:
        """Describe a request; `sent_url` is `url` by default."""
        self.method: str = method
        self.url: str = url
        self._sent_url = url if sent_url is None else sent_url
        self.any_use: bool = any_use

    @property
    def sent_url(self) -> str:
        """The URL without a password."""
        return without_password(self._sent_url)


class DecisionRecorder:
    """Writes the decisions of one client to its log, if it has one."""

    def __init__(
        self, settings: PolitenessSettings, log: DecisionLog | None, now: Callable[[], float]
    ) -> None:
        self.is_enabled: bool = log is not None
        self._log = log
        self._now = now
        self._agent = settings.identity.names[0]
        requirement = settings.requirement
        self._respect: dict[str, object] | None = None
        if requirement.categories:
            self._respect = {
                "uses": list(requirement.categories),
                "only_if_allowed": requirement.only_if_allowed,
            }

    def log_decision(
        self,
        request: OutgoingRequest,
        state: OriginState,
        rules: AgentRules,
        *,
        made: bool,
        waited: float,
        verdict: Verdict | None = None,
        status: int | None = None,
        error: str | None = None,
        usage: Usage | None = None,
        reason: str | None = None,
    ) -> None:
        """Record a request that was decided by a robots.txt."""
        if self._log is None:
            return
        verdict = verdict or rules.check(request.url)
        access = rules.access
        self._write(
            request,
            made=made,
            reason=reason or verdict.reason.code,
            verdict=verdict,
            robots=state.evidence,
            age=self._now() - (access.checked if access.fetched is None else access.fetched),
            waited=waited,
            status=status,
            error=error,
            usage=None if usage is None else usage_record(usage),
        )

    def log_given_up(
        self, request: OutgoingRequest, waited: float, error: str, reason: str = "given-up"
    ) -> None:
        """Record a request that was given up before anything was decided about it."""
        if self._log is not None:
            self._write(request, made=False, reason=reason, waited=waited, error=error)

    def log_wait(self, request: OutgoingRequest, why: WaitReason) -> None:
        """Record a request that was not sent because it would have been too early."""
        if self._log is not None:
            self._write(request, made=False, reason=why.code)

    def log_robots_txt(self, url: object, status: int | None, error: str | None, *, made: bool) -> None:
        """Record a request for a robots.txt."""
        if self._log is not None:
            request = OutgoingRequest("GET", str(url))
            self._write(request, made=made, reason="robots-txt-itself", status=status, error=error)

    def log_supplied(self, state: OriginState) -> None:
        """Record a robots.txt that was supplied by hand."""
        if self._log is not None:
            request = OutgoingRequest("GET", f"{state.origin}/robots.txt")
            self._write(request, made=False, reason=RULES_SUPPLIED, robots=state.evidence)

    def log_page(self, request: OutgoingRequest, state: OriginState, page: Page, refused: str | None) -> None:
        """Record a page that was read; `refused` says why it is not returned, if so."""
        if self._log is not None:
            self._write(
                request,
                made=True,
                reason="page-read" if refused is None else USAGE_DISALLOWED,
                robots=state.evidence,
                status=page.status,
                error=refused,
                usage=usage_record(page.usage, whole=True),
                page=page.evidence(),
            )

    def log_skipped(self, request: OutgoingRequest, state: OriginState, usage: Usage, why: str) -> None:
        """Record a request that was not sent because the permitted uses of its content are not sufficient."""
        if self._log is not None:
            self._write(
                request,
                made=False,
                reason=USAGE_DISALLOWED,
                robots=state.evidence,
                error=why,
                usage=usage_record(usage, whole=True),
            )

    def _write(self, request: OutgoingRequest, **facts: object) -> None:
        assert self._log is not None  # noqa: S101  # checked by the caller
        arguments = request.method, request.sent_url, self._agent, self._now()
        self._log.write(decision(*arguments, respect=self._respect, **facts))  # type: ignore[arg-type]
