"""The result of a request for a robots.txt -> `Access`: what a robot may fetch, why, and until when.

RFC 9309 2.3.1 has three outcomes: there are rules, the file is missing, or it is unreachable. `Access` is
one of them, with everything that a later request needs. It is plain data (numbers, text, bytes, two enums),
so it can be stored anywhere. `fetch.Fetch` creates it from HTTP responses, as an access policy prescribes.
"""

from collections.abc import Sequence

from ..input_errors import InvalidURL
from ..origin import Origin, RelativeReference, is_scheme, path_and_query
from ..robotstxt.document import RobotsTxt, parse
from ..robotstxt.engine.dialect import Dialect, dialect_named
from ..robotstxt.engine.known_robot import KnownRobot, names_agent
from ..robotstxt.engine.selection import names_of
from ..robotstxt.engine.verdict import Reason, Verdict
from ..text import printable, to_text
from ..userinfo import without_password
from ..value import Choice, Value

#: Maximum difference of clocks that share a store, in seconds.
_SKEW = 300.0


class Outcome(Choice):
    """The three outcomes of RFC 9309 2.3.1: the `code` and the `sentence` of each.

    >>> Outcome.UNREACHABLE.code, Outcome.UNREACHABLE.sentence
    ('unreachable', 'the robots.txt is unreachable, so everything is disallowed')
    """

    RULES = "rules", "the rules of the robots.txt hold"
    UNAVAILABLE = "unavailable", "there is no robots.txt, so everything is allowed"
    UNREACHABLE = "unreachable", "the robots.txt is unreachable, so everything is disallowed"


class Cause(Choice):
    """The cause of an outcome: its `code`, such as "not-found", and its `sentence`.

    >>> Cause.TOO_MANY_REDIRECTS.code
    'too-many-redirects'
    """

    OK = "ok", "the server sent a robots.txt"
    NO_CONTENT = "no-content", "the server sent an empty robots.txt, which has no rules"
    NOT_MODIFIED = "not-modified", "the server confirms that the copy of its robots.txt is still valid"
    NOT_TEXT = "not-text", "the server sent an HTML page or binary data as its robots.txt"
    NO_DISALLOW = "no-disallow", "the server sent a body without a line that begins with Disallow, or no text"
    NOT_FOUND = "not-found", "the server has no robots.txt"
    FORBIDDEN = "forbidden", "the server refuses to send its robots.txt"
    CLIENT_ERROR = "client-error", "the server answers a request for its robots.txt with a client error"
    TOO_MANY_REQUESTS = "too-many-requests", "the server reports too many requests"
    SERVER_ERROR = "server-error", "the server answers a request for its robots.txt with a server error"
    UNEXPECTED_STATUS = "unexpected-status", "the server sends a status that does not answer the request"
    TOO_MANY_REDIRECTS = "too-many-redirects", "there are too many redirects of the robots.txt"
    REDIRECT_LOOP = "redirect-loop", "the redirects of the robots.txt form a loop"
    BROKEN_REDIRECT = "broken-redirect", "the robots.txt is redirected to a URL that cannot be fetched"
    DOWNGRADE = "downgrade", "the robots.txt is redirected from https to http, which is not followed"
    UNDECODABLE = "undecodable", "the body of the robots.txt cannot be decoded"
    INCOMPLETE = "incomplete", "the body of the robots.txt ends too early"
    DNS = "dns", "the name of the host cannot be resolved"
    REFUSED = "refused", "the host refuses the connection"
    TIMEOUT = "timeout", "the host takes too long"
    TLS = "tls", "the host does not offer a secure connection"
    RESET = "reset", "the connection breaks off"
    PROTOCOL_ERROR = "protocol-error", "the host violates the protocol"
    NETWORK = "network", "the network does not reach the host"
    NOT_FETCHABLE = "not-fetchable", "this client cannot or must not fetch from there"
    NO_POLICY = "no-policy", "robots.txt does not apply to URLs of this scheme"
    SUPPLIED = "supplied", "the rules were supplied by hand"


#: The causes that a client may report if a response is missing or incomplete.
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
    """What a robot may fetch at one origin, why, and until when.

    Times are seconds since 1970. Two accesses are equal if all their fields are. The body is parsed again for
    each question: for many questions, keep `access.robots.rules_for(agent)`.

    - `origin`: the origin, such as "https://example.com", or "mailto:" for a scheme without hosts
    - `policy`: the name of the access policy
    - `dialect`: the name of the dialect of the rules, or a `Dialect` with other settings
    - `outcome`: the outcome
    - `cause`: its cause
    - `detail`: details for people: "status 503"
    - `status`: the status of the last response, or `None`
    - `url`: the URL that was requested last; with a body, the URL of the body
    - `hops`: the redirects on the way, each with the redirecting URL and its status
    - `checked`: the time of the last request
    - `expires`: the time until which it may be used without another request
    - `failing_since`: the time since which the robots.txt has been unreachable, or `None`
    - `body`: the robots.txt: decoded, cut at the policy's limit, and in UTF-8 if its charset is known.
      While the origin is unreachable, the last copy, or `b""`
    - `truncated`: whether the body was longer than the policy's limit, so its partial last line was
      dropped
    - `fetched`: the time when the body was fetched or supplied, or `None`
    - `etag`, `last_modified`, `content_type`: the validators and the media type that came with the body

    >>> from comity import Fetch
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

    origin: str
    policy: str
    dialect: str | Dialect
    outcome: Outcome
    cause: Cause
    detail: str
    status: int | None
    url: str
    hops: tuple[tuple[str, int], ...]
    checked: float
    expires: float
    failing_since: float | None
    body: bytes
    truncated: bool
    fetched: float | None
    etag: str | None
    last_modified: str | None
    content_type: str | None

    _times = ("checked", "expires", "failing_since", "fetched")

    def record(self) -> dict[str, object]:
        """Return the access as a dict for JSON, with the digest `sha256` in place of the body."""
        record = super().record()
        del record["body"]
        record["dialect"] = self.dialect.name if isinstance(self.dialect, Dialect) else self.dialect
        record["hops"] = [{"url": printable(url), "status": status} for url, status in self.hops]
        return {**record, "sha256": None if self.fetched is None else self.sha256}

    def fresh(self, now: float) -> bool:
        """Return whether it may be used at `now`, in seconds since 1970, without another request.

        An access from the future is not fresh, because a clock was wrong.
        """
        return self.checked - _SKEW <= now < self.expires

    @property
    def robots(self) -> RobotsTxt:
        """The body, parsed again at each access; it is empty unless the outcome is `Outcome.RULES`."""
        return parse(self.body if self.outcome is Outcome.RULES else b"", dialect=dialect_named(self.dialect))

    @property
    def sha256(self) -> str:
        """The SHA-256 of the body in hexadecimal, to compare bodies."""
        import hashlib  # loads OpenSSL

        return hashlib.sha256(self.body).hexdigest()

    @names_agent
    def allowed(self, url: str | bytes, *, agent: str | Sequence[str] | KnownRobot) -> bool:
        """Return whether a robot, `agent`, may fetch a `url` of this origin; see `check`."""
        return self.check(url, agent=agent).allowed

    @names_agent
    def check(self, url: str | bytes, *, agent: str | Sequence[str] | KnownRobot) -> Verdict:
        """Return whether a robot may fetch a URL of this origin, and why.

        `url` is an absolute URL or a path, `agent` as for `comity.RobotsTxt.check`. `/robots.txt`
        itself is always allowed (RFC 9309 2.2.2), in every dialect and for every outcome.

        Raises `InvalidURL` for a URL of another origin.
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
            group_agent=None,
            octets=0,
            path=path,
            detail=self.detail if reason is not Reason.ROBOTS_TXT_ITSELF else "",
            assumptions=(),
        )

    def explain(self) -> str:
        """Return the cause and the outcome as a sentence."""
        seen = f" ({self.detail})" if self.detail else ""
        return f"{self.cause.sentence}{seen}: {self.outcome.sentence}"

    def _bind(self, text: str) -> None:
        """Raise `InvalidURL` for a URL of another origin."""
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
            shown = without_password(text)[:200]
            raise InvalidURL(f"{shown!r} is not a URL of {self.origin}, the origin of this access")
