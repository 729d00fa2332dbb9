"""The answers of a verification: what was checked, with which outcome, and why the answer follows."""

from typing import NamedTuple

from ..protocol.timestamps import rfc3339
from ..protocol.value import Choice, Value


class Answer(Choice):
    """The four answers about who sent a request: the `code` and the `sentence` of each.

    >>> Answer.IMPOSTOR.code, Answer.IMPOSTOR.sentence
    ('impostor', 'the request names a known robot, and each check that its operator documents failed')
    """

    VERIFIED = "verified", "the request comes from where the operator of the robot says"
    IMPOSTOR = (
        "impostor",
        "the request names a known robot, and each check that its operator documents failed",
    )
    UNVERIFIABLE = "unverifiable", "the request names a known robot, and no check can decide"
    UNKNOWN = "unknown", "the request names no known robot"


class Method(Choice):
    """The methods that operators document for the check of an address.

    `SIGNATURE`, for signed requests, is reserved: no check uses it yet.

    >>> [method.code for method in Method]
    ['ranges', 'dns', 'signature']
    """

    RANGES = "ranges", "the operator's list of addresses"
    DNS = "dns", "forward-confirmed reverse DNS"
    SIGNATURE = "signature", "a signature of the request"


class VerificationReason(Choice):
    """Why an answer or an outcome of a check follows: the `code` and the `sentence` of each.

    >>> VerificationReason.NO_LIST.code
    'no-list'
    """

    LISTED = "listed", "the address is in the operator's list"
    CONFIRMED = (
        "confirmed",
        "the host of the address is the operator's, and its name leads back to the address",
    )
    FAILED = "failed", "each check that the operator documents failed"
    NOT_LISTED = "not-listed", "the address is not in the operator's list"
    NO_HOST = "no-host", "the address has no host name"
    FOREIGN_HOST = "foreign-host", "the host of the address is not one of the operator's"
    NOT_CONFIRMED = "not-confirmed", "the name of the host does not lead back to the address"
    NO_ROBOT = "no-robot", "no known robot is named"
    NO_ADDRESS = "no-address", "it is not an IP address"
    LOCAL_ADDRESS = "local-address", "the address is not public, so it is not that of the client"
    PROXY = "proxy", "the address is one of the site's own proxies"
    TUNNEL = "tunnel", "the address is one of 6to4 or Teredo, so the client may have another one"
    NO_CHECK = "no-check", "the operator documents no check"
    CONTROL_TOKEN = "control-token", "no request uses this token"
    NO_LIST = "no-list", "a usable copy of the operator's list is missing"
    OLD_LIST = "old-list", "the copy of the operator's list is too old for an accusation"
    OLD_REQUEST = "old-request", "the request is too old: addresses change"
    SHARED = "shared", "the operator's list also has the addresses of other services"
    INCOMPLETE = "incomplete", "the operator says that its lists or hosts are not complete"
    RUN_BY_ANYONE = "run-by-anyone", "the robot also runs elsewhere than at its operator"
    DNS_OFF = "dns-off", "DNS was not asked"
    DNS_FAILED = "dns-failed", "DNS gave no answer"
    DNS_BUDGET = "dns-budget", "the time for DNS was used up"
    TOO_MANY_HOSTS = "too-many-hosts", "the address has more host names than are checked"


class Check(Value):
    """One check of an address: its `method`, its outcome and the evidence.

    `passed` is true, false, or None if the check had no result; `reason` says why. `url` is the list,
    `prefix` its most specific prefix with the address, and `fetched` when the list was last fetched, in
    seconds since 1970. `service` is the service that the list names for the prefix. `host` is the name of
    the address. Each has the value None where it does not apply.

    >>> print(Check(Method.DNS, False, VerificationReason.FOREIGN_HOST, host="a.example").explain())
    dns: the host of the address is not one of the operator's: a.example
    """

    method: Method
    passed: bool | None
    reason: VerificationReason
    url: str | None
    prefix: str | None
    service: str | None
    fetched: float | None
    host: str | None

    _times = ("fetched",)

    def __init__(
        self,
        method: Method,
        passed: bool | None,
        reason: VerificationReason,
        url: str | None = None,
        prefix: str | None = None,
        service: str | None = None,
        fetched: float | None = None,
        host: str | None = None,
    ) -> None:
        """Create a check from its fields; the documentation of the class describes them."""
        super().__init__(method, passed, reason, url, prefix, service, fetched, host)

    def explain(self) -> str:
        """Return the outcome in words, with the list or the host."""
        evidence = [self.prefix, self.url, self.host]
        if self.fetched is not None:
            evidence.append(f"fetched {rfc3339(self.fetched)}")
        found = ", ".join(text for text in evidence if text)
        return f"{self.method.code}: {self.reason.sentence}{f': {found}' if found else ''}"


class Verification(Value):
    """The answer about who sent a request, and the evidence. `comity.agents.verify` creates it.

    `answer` is one of the four of `Answer`, and `reason` says why. `address` is the address as it was given,
    `agent` the token of the known robot, and `operator` its operator; both are None if they are unknown.
    `checks` has the checks that were made. A verification is true if the answer is "verified".

    `proves` is "token" if the check that passed is only for this robot. It is "operator" if it is for other
    robots of the operator too: then the token is still a claim. It is None without a passed check.

    >>> from comity import agents
    >>> found = agents.verify("10.0.0.1", "Googlebot")
    >>> found.answer, found.reason, bool(found)
    (Answer.UNVERIFIABLE, VerificationReason.LOCAL_ADDRESS, False)
    >>> print(found.explain())
    10.0.0.1 as Googlebot of Google: unverifiable: the address is not public, so it is not that of the client
    """

    address: str
    agent: str | None
    operator: str | None
    answer: Answer
    reason: VerificationReason
    proves: str | None
    checks: tuple[Check, ...]

    def __bool__(self) -> bool:
        return self.answer is Answer.VERIFIED

    @property
    def decisive(self) -> Check | None:
        """The check that decides: the one that passed, else the one without a result, else the last one."""
        for wanted in (True, None, False):
            found = [check for check in self.checks if check.passed is wanted]
            if found:
                return found[-1] if wanted is False else found[0]
        return None

    @property
    def method(self) -> Method | None:
        """The method of the decisive check, or None if nothing was checked."""
        return self.decisive.method if self.decisive else None

    @property
    def url(self) -> str | None:
        """The URL of the list in the decisive check, if any."""
        return self.decisive.url if self.decisive else None

    @property
    def host(self) -> str | None:
        """The host name in the decisive check, if any."""
        return self.decisive.host if self.decisive else None

    @property
    def fetched(self) -> float | None:
        """When the list of the decisive check was last fetched, in seconds since 1970."""
        return self.decisive.fetched if self.decisive else None

    def explain(self) -> str:
        """Return the answer and the reason as one line, then one line for each check."""
        whose = f" of {self.operator}" if self.operator else ""
        named = f" as {self.agent}{whose}" if self.agent else ""
        lines = [f"{self.address}{named}: {self.answer.code}: {self.reason.sentence}"]
        if self.proves == "operator":
            lines.append(f"other robots of {self.operator or 'the operator'} pass this check too")
        return "\n".join((*lines, *(check.explain() for check in self.checks)))

    def record(self) -> dict[str, object]:
        """Return the fields as a dict that is ready for JSON, with those of the decisive check."""
        return super().record() | {
            "method": self.method.code if self.method else None,
            "url": self.url,
            "host": self.host,
            "fetched": None if self.fetched is None else rfc3339(self.fetched),
        }


class VerificationProblem(NamedTuple):
    """A problem that keeps a verification from an answer, such as a list of addresses that is out of date.

    `code` names the problem, such as "feed-error", `level` is "note", "warning" or "error", and `message` is
    a sentence.

    >>> from comity import agents
    >>> found = agents.verify("192.0.2.7", "GPTBot")
    >>> agents.verification_problems([found])[0].code
    'feed-error'
    """

    code: str
    level: str
    message: str
