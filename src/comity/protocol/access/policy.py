"""What each answer to a request for robots.txt means, as data that `fetch` consults.

RFC 9309 leaves room, Google and the Internet-Draft of 1996 decide otherwise, and well-known robots do
as they please. A policy is a set of answers, one for each point on which they differ. Whoever needs
another one takes the nearest and replaces an answer:

    access_policy("rfc9309").replace(name="careful", forbidden=Outcome.UNREACHABLE)

Lifetimes are in seconds, limits in octets.
"""

from ...errors import InvalidArgument
from ..robotstxt.dialect import DIALECTS
from ..value import Value
from .outcome import Outcome

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["POLICIES", "AccessPolicy", "Stage", "access_policy"]

_RULES, _UNAVAILABLE, _UNREACHABLE = Outcome.RULES, Outcome.UNAVAILABLE, Outcome.UNREACHABLE

_MINUTE, _HOUR, _DAY = 60.0, 3600.0, 86_400.0
_YEAR = 365 * _DAY


class Stage(Value):
    """What holds once a robots.txt has been unreachable for `after` seconds, until the next stage."""

    __slots__ = ("after", "copy", "answered", "unanswered")

    #: seconds since the first failure; 0.0 for the first stage
    after: float
    #: do the rules hold that were fetched last, if there are any?
    copy: bool
    #: what holds without them if the server answers, though with an error
    answered: Outcome
    #: what holds without them if nothing is heard from the server
    unanswered: Outcome


class AccessPolicy(Value):
    """One way to judge what comes of asking for a robots.txt: frozen data, no behaviour.

    >>> access_policy("rfc9309").forbidden, access_policy("draft1996").forbidden
    (Outcome.UNAVAILABLE, Outcome.UNREACHABLE)

    Raises `InvalidArgument` for an answer that its question does not have.
    """

    __slots__ = (
        "name",
        "dialect",
        "schemes",
        "not_found",
        "forbidden",
        "too_many_requests",
        "server_error",
        "network_failure",
        "broken_answer",
        "not_text",
        "needs_disallow",
        "redirects",
        "too_many_redirects",
        "downgrade",
        "limit",
        "conditional",
        "lifetime",
        "floor",
        "ceiling",
        "retry",
        "retry_ceiling",
        "stages",
    )

    #: what `policy=` calls it, and what `Access.policy` keeps
    name: str
    #: the name of the dialect that the rules are read in
    dialect: str
    #: the schemes that have a robots.txt; URLs of any other are allowed, and nothing is fetched
    schemes: tuple[str, ...]
    #: what 404, 410 and every 4xx means that is not named below
    not_found: Outcome
    #: what 401, 402, 403 and 451 mean: there may be a file, and we do not get it
    forbidden: Outcome
    #: what 429 means
    too_many_requests: Outcome
    #: what 5xx means
    server_error: Outcome
    #: what it means that no whole response comes: DNS, timeout, TLS, reset; also 407, a proxy's answer
    network_failure: Outcome
    #: what a response means that is none: an undecodable body, a status that does not exist or was not
    #: asked for (206), a redirect to nowhere
    broken_answer: Outcome
    #: what an HTML page or binary data under a good status means; `Outcome.RULES`: it is parsed
    not_text: Outcome
    #: is a body used only if it is `text/*` and a line in it begins with `Disallow:`?
    needs_disallow: bool
    #: how many redirects are followed
    redirects: int
    #: what more of them mean, and a loop
    too_many_redirects: Outcome
    #: is a redirect from https to http followed?
    downgrade: bool
    #: octets of the body that are read; the rest of it is dropped, with the partial last line
    limit: int
    #: is a copy revalidated with `If-None-Match` and `If-Modified-Since`?
    conditional: bool
    #: how long an answer is used that does not say how long
    lifetime: float
    #: how long it is used at least, whatever it says
    floor: float
    #: how long it is used at most, whatever it says
    ceiling: float
    #: how long to wait after the first failure; as long again as the failing has lasted after others
    retry: float
    #: the longest wait after a failure, unless the server asks for a longer one by `Retry-After`
    retry_ceiling: float
    #: what `Outcome.UNREACHABLE` means as time goes by, in order; the first from 0.0 on
    stages: tuple[Stage, ...]

    if not TYPE_CHECKING:

        def __init__(self, *values: "Any", **named: "Any") -> None:
            """Take an answer to each question."""
            super().__init__(*values, **named)
            _check(self)


def _check(policy: AccessPolicy) -> None:
    """Raise for answers that no question has."""
    if policy.dialect not in DIALECTS:
        raise InvalidArgument.unknown("dialect", policy.dialect, DIALECTS)
    for question in (*_OUTCOMES, "not_text"):
        answer = getattr(policy, question)
        if not isinstance(answer, Outcome) or (answer is _RULES and question != "not_text"):
            raise InvalidArgument(f"{question} is Outcome.UNAVAILABLE or Outcome.UNREACHABLE, not {answer!r}")
    for question in ("needs_disallow", "downgrade", "conditional"):
        if not isinstance(getattr(policy, question), bool):
            raise InvalidArgument(f"{question} is True or False, not {getattr(policy, question)!r}")
    for question in ("redirects", "limit", "lifetime", "floor", "ceiling", "retry", "retry_ceiling"):
        answer = getattr(policy, question)
        if not (isinstance(answer, (int, float)) and 0 <= answer < float("inf")):
            raise InvalidArgument(f"{question} is a number that is not negative, not {answer!r}")
    if policy.floor > policy.ceiling:
        raise InvalidArgument(f"floor={policy.floor} is above ceiling={policy.ceiling}")
    begins = [stage.after for stage in policy.stages]
    if begins[:1] != [0.0] or begins != sorted(begins):
        raise InvalidArgument(f"stages begin at 0.0 and go up, not {begins}")


_OUTCOMES = (
    "not_found",
    "forbidden",
    "too_many_requests",
    "server_error",
    "network_failure",
    "broken_answer",
    "too_many_redirects",
)

#: Nothing but the site itself opens what is closed.
_CLOSED = Stage(0.0, copy=False, answered=_UNREACHABLE, unanswered=_UNREACHABLE)

#: RFC 9309 2.3.1 and 2.4. It lets a robot treat a site as unavailable that was unreachable for 30 days;
#: this policy makes no use of that, and keeps the last copy, which the same sentence offers.
RFC9309_ACCESS = AccessPolicy(
    name="rfc9309",
    dialect="rfc9309",
    schemes=("http", "https", "ftp"),  # 2.3 names FTP
    not_found=_UNAVAILABLE,  # 2.3.1.3
    forbidden=_UNAVAILABLE,  # 2.3.1.3: status codes 400-499
    too_many_requests=_UNREACHABLE,  # 2.3.1.3 permits access and does not demand it; Google says so too
    server_error=_UNREACHABLE,  # 2.3.1.4
    network_failure=_UNREACHABLE,  # 2.3.1.4
    broken_answer=_UNREACHABLE,  # silent; doubt goes to the site
    not_text=_RULES,  # 2.3.1.1: the parseable rules must be followed
    needs_disallow=False,
    redirects=5,  # 2.3.1.2
    too_many_redirects=_UNAVAILABLE,  # 2.3.1.2
    downgrade=True,  # 2.3.1.2: across authorities; no scheme is excepted
    limit=512 * 1024,  # 2.5 wants 500 KiB or more
    conditional=True,
    lifetime=_DAY,  # 2.4
    floor=10 * _MINUTE,  # silent; many servers send max-age=0, which would be a fetch for each page
    ceiling=_DAY,  # 2.4
    retry=_MINUTE,
    retry_ceiling=_HOUR,
    stages=(Stage(0.0, copy=True, answered=_UNREACHABLE, unanswered=_UNREACHABLE),),  # 2.4, 2.3.1.4
)

#: As Google documents its crawlers ("How Google interprets the robots.txt specification").
GOOGLE_ACCESS = RFC9309_ACCESS.replace(
    name="google",
    dialect="google",
    limit=500 * 1024,
    conditional=False,  # its GET is unconditional
    # Google may keep a copy for longer if max-age says so and gives no bound; the RFC's bound stays.
    stages=(
        _CLOSED,  # crawling stops for 12 hours
        Stage(12 * _HOUR, copy=True, answered=_UNAVAILABLE, unanswered=_UNAVAILABLE),
        # after 30 days as if there were no file if the site is reachable at all, else closed
        Stage(30 * _DAY, copy=False, answered=_UNAVAILABLE, unanswered=_UNREACHABLE),
    ),
)

#: draft-koster-robots-00 (1996), 3.1 and 3.4.
DRAFT1996_ACCESS = RFC9309_ACCESS.replace(
    name="draft1996",
    dialect="draft1996",
    schemes=("http", "https"),
    forbidden=_UNREACHABLE,  # 3.1 recommends it for 401 and 403; 402 and 451 came later
    too_many_redirects=_UNREACHABLE,  # 3.1: redirects are followed until a resource is found
    lifetime=7 * _DAY,  # 3.4
    ceiling=_YEAR,  # HTTP's own bound of Expires (RFC 2068 14.21)
    stages=(_CLOSED,),  # 3.1: visits are put off
)

#: As libwww-perl's LWP::RobotUA does: whatever goes wrong, the site is open.
LWP_ACCESS = RFC9309_ACCESS.replace(
    name="lwp",
    dialect="1994",
    schemes=("http", "https"),
    too_many_requests=_UNAVAILABLE,
    server_error=_UNAVAILABLE,
    network_failure=_UNAVAILABLE,
    broken_answer=_UNAVAILABLE,
    not_text=_UNAVAILABLE,
    needs_disallow=True,
    redirects=7,
    conditional=False,
    lifetime=_YEAR,
    ceiling=_YEAR,
    stages=(_CLOSED,),
)

#: As GNU Wget does: asked once in a run, and a failure of any kind leaves no rules. A run is taken to be
#: shorter than a year; keep such an access for the run only.
WGET_ACCESS = LWP_ACCESS.replace(
    name="wget",
    dialect="draft1996",
    not_text=_RULES,
    needs_disallow=False,
    redirects=20,
    floor=_YEAR,
    retry=_YEAR,
    retry_ceiling=_YEAR,
)

#: For a robot that wants a clear yes: every refusal and every oddity closes the site.
STRICT_ACCESS = RFC9309_ACCESS.replace(
    name="strict",
    forbidden=_UNREACHABLE,
    too_many_redirects=_UNREACHABLE,
    not_text=_UNREACHABLE,
    downgrade=False,
    stages=(_CLOSED,),
)

POLICIES = {
    policy.name: policy
    for policy in (
        RFC9309_ACCESS,
        GOOGLE_ACCESS,
        DRAFT1996_ACCESS,
        LWP_ACCESS,
        WGET_ACCESS,
        STRICT_ACCESS,
    )
}


def access_policy(policy: str | AccessPolicy) -> AccessPolicy:
    """Give the policy of that name, or the `AccessPolicy` itself.

    >>> access_policy("google").limit
    512000

    Raises `InvalidArgument` for any other name, and for a policy that has the name of one of
    these and other answers: what is kept of a site is kept under the policy's name.
    """
    if isinstance(policy, AccessPolicy):
        if POLICIES.get(policy.name, policy) != policy:
            raise InvalidArgument(f"{policy.name!r} is the name of another policy: give this one its own")
        return policy
    try:
        return POLICIES[policy]
    except (KeyError, TypeError):
        raise InvalidArgument.unknown("policy", policy, POLICIES) from None
