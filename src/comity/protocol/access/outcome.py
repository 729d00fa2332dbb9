"""What came of asking for a robots.txt -> `Access`: what a robot may do, why, and until when.

RFC 9309 2.3.1 knows three outcomes, whatever the protocol that they came by: there are rules, there is
no file, or the file cannot be reached. `Access` is one of them with all that is needed to ask again
later, as plain data: numbers, text, octets and two enums, so that anyone can keep it anywhere.
`fetch.Fetch` makes it from HTTP responses; `access_policy` says which response means what.
"""

from collections.abc import Sequence
from enum import Enum

from ...errors import InvalidURL
from ..origin import Origin, RelativeReference, is_scheme, path_and_query
from ..robotstxt.document import RobotsTxt, parse
from ..robotstxt.selection import names_of
from ..robotstxt.verdict import Reason, Verdict
from ..text import to_text
from ..value import Value

__all__ = ["FAILURES", "Access", "Cause", "Outcome"]

#: Clocks that share a store may differ by so many seconds.
_SKEW = 300.0


class Outcome(Enum):
    """What holds for an origin, by RFC 9309 2.3.1; the value says it in words."""

    RULES = "the rules of the robots.txt hold"
    UNAVAILABLE = "there is no robots.txt, so everything is allowed"
    UNREACHABLE = "the robots.txt cannot be had, so everything is disallowed"

    def __repr__(self) -> str:
        return f"Outcome.{self.name}"

    @property
    def code(self) -> str:
        """The name as it is written in JSON and tables: "unreachable"."""
        return self.name.lower()


class Cause(Enum):
    """Why an outcome is what it is; the value says it in words."""

    OK = "the server sent a robots.txt"
    NO_CONTENT = "the server sent an empty robots.txt, which has no rules"
    NOT_MODIFIED = "the server says that the copy of its robots.txt is still right"
    NOT_TEXT = "the server sent an HTML page or binary data for a robots.txt"
    NO_DISALLOW = "the server sent a body without a line that begins with Disallow, or no text"
    NOT_FOUND = "the server has no robots.txt"
    FORBIDDEN = "the server refuses to give its robots.txt"
    CLIENT_ERROR = "the server answers a request for its robots.txt with a client error"
    TOO_MANY_REQUESTS = "the server says that it gets too many requests"
    SERVER_ERROR = "the server answers a request for its robots.txt with a server error"
    UNEXPECTED_STATUS = "the server gives a status that is no answer to the request"
    TOO_MANY_REDIRECTS = "the redirects of the robots.txt go on for too long"
    REDIRECT_LOOP = "the redirects of the robots.txt go round in a circle"
    BROKEN_REDIRECT = "the robots.txt is redirected to nowhere that it could be fetched from"
    DOWNGRADE = "the robots.txt is redirected from https to http, which is not followed"
    UNDECODABLE = "the body of the robots.txt cannot be decoded"
    INCOMPLETE = "the body of the robots.txt ends too early"
    DNS = "the name of the host cannot be resolved"
    REFUSED = "the host refuses the connection"
    TIMEOUT = "the host takes too long"
    TLS = "the host offers no secure connection"
    RESET = "the connection breaks off"
    PROTOCOL_ERROR = "the host does not keep to the protocol"
    NETWORK = "the network does not reach the host"
    NOT_FETCHABLE = "this client cannot fetch from there, or may not"
    NO_POLICY = "no robots.txt speaks of URLs of this scheme"

    def __repr__(self) -> str:
        return f"Cause.{self.name}"

    @property
    def code(self) -> str:
        """The name as it is written in JSON and tables: "too-many-redirects"."""
        return self.name.lower().replace("_", "-")


#: What a client may report when no response came, or not all of one.
FAILURES = frozenset(
    {
        Cause.INCOMPLETE,
        Cause.DNS,
        Cause.REFUSED,
        Cause.TIMEOUT,
        Cause.TLS,
        Cause.RESET,
        Cause.PROTOCOL_ERROR,
        Cause.NETWORK,
        Cause.NOT_FETCHABLE,
    }
)


class Access(Value):
    """What a robot may do at one origin, why, and until when.

    Times are seconds since 1970. Two accesses are equal if all their fields are. Nothing is parsed
    before it is asked for, and nothing that was parsed is kept: for many questions, keep
    `access.robots.rules_for(agent)`.

    >>> from comity.protocol.access.fetch import Fetch
    >>> fetch = Fetch("https://example.com/shop")
    >>> fetch.request.url
    'https://example.com/robots.txt'
    >>> fetch.receive(404, [], now=0.0)
    False
    >>> access = fetch.access
    >>> access.outcome, access.cause, access.expires
    (Outcome.UNAVAILABLE, Cause.NOT_FOUND, 86400.0)
    >>> print(access.check("https://example.com/shop", agent="ExampleBot").explain())
    there is no robots.txt (https://example.com/robots.txt answers 404), so everything is allowed
    """

    __slots__ = (
        "origin",
        "policy",
        "dialect",
        "outcome",
        "cause",
        "detail",
        "status",
        "url",
        "hops",
        "checked",
        "expires",
        "failing_since",
        "body",
        "truncated",
        "fetched",
        "etag",
        "last_modified",
        "content_type",
    )

    #: what the access is valid for, such as "https://example.com"; "mailto:" for a scheme without hosts
    origin: str
    #: the name of the policy that judged
    policy: str
    #: the name of the dialect that the rules are read in
    dialect: str
    #: what holds
    outcome: Outcome
    #: why
    cause: Cause
    #: what was seen, for a person: "status 503"
    detail: str
    #: the status of the last response, `None` if there was none
    status: int | None
    #: the URL that was asked last; with a body, the one that the body came from
    url: str
    #: the redirects on the way there, each the URL that redirected and its status
    hops: tuple[tuple[str, int], ...]
    #: when the network was asked last
    checked: float
    #: until when it may be used without asking again
    expires: float
    #: since when the robots.txt has been unreachable, `None` if it is not
    failing_since: float | None
    #: the robots.txt: content coding removed, cut at the policy's limit, in UTF-8 as far as is known.
    #: While the origin is unreachable, the last that was had; `b""` if there is none
    body: bytes
    #: was the body longer than the policy's limit, and its partial last line dropped?
    truncated: bool
    #: when the body was fetched, `None` if there is none
    fetched: float | None
    #: the validators and the media type that came with the body
    etag: str | None
    last_modified: str | None
    content_type: str | None

    def fresh(self, now: float) -> bool:
        """Say whether it may be used at `now` without asking again.

        One that was made after `now` is not fresh: it was made by a clock that was wrong.
        """
        return self.checked - _SKEW <= now < self.expires

    @property
    def robots(self) -> RobotsTxt:
        """The body, parsed anew each time; without rules unless the outcome is `Outcome.RULES`."""
        return parse(self.body if self.outcome is Outcome.RULES else b"", self.dialect)

    @property
    def sha256(self) -> str:
        """The SHA-256 of the body in hexadecimal, to tell whether two bodies are the same."""
        import hashlib  # loads OpenSSL

        return hashlib.sha256(self.body).hexdigest()

    def allowed(self, url: str | bytes, *, agent: str | Sequence[str]) -> bool:
        """Say whether a robot may fetch a URL of this origin; see `check`."""
        return self.check(url, agent=agent).allowed

    def check(self, url: str | bytes, *, agent: str | Sequence[str]) -> Verdict:
        """Say whether a robot may fetch a URL of this origin, and why.

        `url` is an absolute URL or a path, `agent` as for `comity.RobotsTxt.check`. `/robots.txt`
        itself is always allowed (RFC 9309 2.2.2), in every dialect and whatever the outcome.

        Raises `InvalidURL` for a URL of another origin: nothing is known about it here.
        """
        text = to_text(url) if isinstance(url, bytes) else url
        self._bind(text.lstrip())
        try:
            path = "" if self.cause is Cause.NO_POLICY else path_and_query(text)
        except RelativeReference as doubt:
            verdicts = [self.check(reading, agent=agent) for reading in doubt.readings]
            return next((verdict for verdict in verdicts if not verdict), verdicts[0])
        if self.outcome is Outcome.RULES and path != "/robots.txt":
            return self.robots.check(url, agent=agent)
        if path == "/robots.txt":
            allowed, reason = True, Reason.ROBOTS_TXT_ITSELF
        elif self.outcome is Outcome.UNAVAILABLE:
            allowed, reason = True, Reason.UNAVAILABLE
        else:
            allowed, reason = False, Reason.UNREACHABLE
        return Verdict(
            allowed=allowed,
            reason=reason,
            rule=None,
            group=None,
            overruled=(),
            agent="".join(names_of(agent)[:1]),
            matched=None,
            octets=0,
            path=path,
            detail=self.detail if reason is not Reason.ROBOTS_TXT_ITSELF else "",
        )

    def explain(self) -> str:
        """Say in a sentence what holds, and why."""
        seen = f" ({self.detail})" if self.detail else ""
        return f"{self.cause.value}{seen}: {self.outcome.value}"

    def _bind(self, text: str) -> None:
        """Raise for a URL of another origin."""
        exempt = self.cause is Cause.NO_POLICY
        if text.startswith("//") and not exempt:
            text = self.origin.partition("//")[0] + text  # a network-path reference, RFC 3986 4.2
        scheme, colon, rest = text.partition(":")
        if exempt:
            origin = scheme.lower() + colon
        elif rest.startswith("//") and is_scheme(scheme.lower()):
            origin = str(Origin.of(text))
        else:
            return
        if origin != self.origin:
            raise InvalidURL(
                f"{text[:200]!r} is not of {self.origin}, which is all that this access speaks of"
            )
