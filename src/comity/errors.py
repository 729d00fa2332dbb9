"""Every exception that Comity raises, as one tree.

    ComityError
    ├── InvalidURL         (ValueError)   the caller passed a URL that no robots.txt covers
    ├── InvalidArgument    (ValueError)   the caller, or a settings file, gave a value that is not valid
    ├── InvalidPlan        (ValueError)   the site owner must correct the plan that robots.txt is built from
    │   └── PlanConflict                  two site owners must agree: one closes what the other opens
    ├── OutOfOrder         (RuntimeError) the caller used a `Fetch` in the wrong order
    ├── StoreUnavailable   (OSError)      the operator must check the store's file or server
    ├── Disallowed                        robots.txt forbids the request, so it was not sent
    │   └── Unreachable                   robots.txt is unreachable, so the request was not sent
    ├── UsageDisallowed                   the site forbids the robot's use of the content
    └── MustWait                          the robot would have to wait longer than its limit

Content never raises. Problems in a robots.txt are its `diagnostics`, and a failed request for one is the
`cause` of its `Access`. Clients that raise `Disallowed`, `Unreachable`, `UsageDisallowed` and `MustWait`
derive them from an error of their HTTP library too.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Protocol, Self

    class Explained(Protocol):
        """The part of `comity.Verdict` that `Disallowed.verdict` guarantees."""

        @property
        def allowed(self) -> bool: ...
        @property
        def line(self) -> int | None: ...
        def explain(self) -> str: ...

    class StatementExplained(Protocol):
        """The part of `comity.Statement` that `UsageDisallowed.usage` guarantees."""

        @property
        def source(self) -> str: ...
        @property
        def place(self) -> int | None: ...
        @property
        def preference(self) -> object: ...

    class UsageExplained(Protocol):
        """The part of `comity.Usage` that `UsageDisallowed.usage` guarantees."""

        @property
        def categories(self) -> tuple[str, ...]: ...
        def deciding(self, category: str) -> "StatementExplained | None": ...
        def permits(self, category: str, *, only_if_allowed: bool = False) -> bool: ...
        def explain(self, category: str) -> str: ...


__all__ = [
    "ComityError",
    "Disallowed",
    "InvalidArgument",
    "InvalidPlan",
    "InvalidURL",
    "MustWait",
    "OutOfOrder",
    "PlanConflict",
    "StoreUnavailable",
    "Unreachable",
    "UsageDisallowed",
]


class ComityError(Exception):
    """The root of all exceptions that Comity raises."""

    #: The attributes with which a pickle creates the exception again, if the message is not enough.
    _arguments = ""

    def __reduce__(self) -> str | tuple[object, ...]:
        if not self._arguments:
            return super().__reduce__()
        return type(self), tuple([getattr(self, name) for name in self._arguments.split()])


class InvalidURL(ComityError, ValueError):
    """A URL without the parts that the question needs; the message names the missing part.

    >>> import comity
    >>> comity.robots_url("example.com/shop")
    Traceback (most recent call last):
    comity.errors.InvalidURL: 'example.com/shop' has no scheme; write https://example.com/shop
    """


class InvalidArgument(ComityError, ValueError):
    """An argument or setting that is not valid; the message says what is expected.

    `name` is the argument or setting, empty if the message concerns several. `allowed` lists the values
    it can have, empty if they cannot be listed.

    >>> import comity
    >>> comity.parse(b"", dialect="bing")
    Traceback (most recent call last):
    comity.errors.InvalidArgument: unknown dialect 'bing': expected rfc9309, google, draft1996 or 1994
    """

    def __init__(self, message: str, *, name: str = "", allowed: "Iterable[str]" = ()) -> None:
        super().__init__(message)
        self.name = name
        self.allowed: tuple[str, ...] = tuple(allowed)

    @classmethod
    def unknown(cls, name: str, value: object, allowed: "Iterable[str]") -> "Self":
        """Create the error for a value that is not one of the allowed values.

        >>> str(InvalidArgument.unknown("purpose", "evil", ["search", "training"]))
        "unknown purpose 'evil': expected search or training"
        """
        allowed = tuple(allowed)
        *most, last = allowed
        expected = f"{', '.join(most)} or {last}" if most else last
        return cls(f"unknown {name} {value!r:.200}: expected {expected}", name=name, allowed=allowed)

    def under(self, prefix: str) -> "Self":
        """Return the same error with a prefix, such as the file or option that the value came from.

        >>> str(InvalidArgument("severity: expected a table").under("comity.toml"))
        'comity.toml: severity: expected a table'
        """
        return type(self)(f"{prefix}: {self}", name=self.name, allowed=self.allowed)

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), self.args, {"name": self.name, "allowed": self.allowed}


class InvalidPlan(ComityError, ValueError):
    """A plan, or fragments of one, that cannot be built into a robots.txt.

    `problems` lists every problem with its place.

    >>> import comity
    >>> comity.build({"clos": ["/tmp/"]})
    Traceback (most recent call last):
    comity.errors.InvalidPlan: plan: clos: unknown key; did you mean close?
    """

    _arguments = "problems"

    def __init__(self, problems: "Sequence[str]") -> None:
        """Create the error from a sentence for each problem."""
        super().__init__("\n".join(problems))
        self.problems: tuple[str, ...] = tuple(problems)


class PlanConflict(InvalidPlan):
    """A plan, or fragments of one, that contradict each other; `problems` names both places of each.

    >>> import comity
    >>> comity.build({"groups": {"agents": "*", "allow": "/a", "disallow": "/%61"}})
    Traceback (most recent call last):
    comity.errors.PlanConflict: *: `Allow: /a` (plan: groups.allow) contradicts `Disallow: /%61` (plan: ...
    """


class OutOfOrder(ComityError, RuntimeError):
    """A call to `comity.Fetch` in the wrong order; the message says which call the fetch expects.

    >>> import comity
    >>> comity.Fetch("https://example.com/").finish(now=0.0)
    Traceback (most recent call last):
    comity.errors.OutOfOrder: finish: the fetch waits for a response
    """


class StoreUnavailable(ComityError, OSError):
    """The file or server of a store cannot be reached or used; the message says why.

    >>> import comity.stores
    >>> comity.stores.SQLiteStore("/dev/null/store").load("https://example.com")
    Traceback (most recent call last):
    comity.errors.StoreUnavailable: /dev/null/store: [Errno 20] Not a directory: '/dev/null'
    """


class Disallowed(ComityError):
    """A request that was not sent because robots.txt forbids it; `verdict` says why.

    `url` is the requested URL, or the target of a redirect.
    """

    _arguments = "url verdict"
    verdict: "Explained"

    def __init__(self, url: str, verdict: "Explained") -> None:
        """Create the error for a URL and the `comity.Verdict` about it."""
        super().__init__(f"{url}: {verdict.explain()}")
        self.url = url
        self.verdict = verdict


class Unreachable(Disallowed):
    """A request that was not sent because robots.txt is unreachable, so nothing is allowed now.

    It does not depend on the URL. Ask again after `until` (seconds since 1970); the robot will then
    request robots.txt again.
    """

    _arguments = "url verdict until"

    def __init__(self, url: str, verdict: "Explained", until: float) -> None:
        """Create the error for a URL and the time of the next attempt."""
        super().__init__(url, verdict)
        self.until = until


class UsageDisallowed(ComityError):
    """Content that a robot discarded because the site forbids a use the robot makes of content.

    `url` is the content's URL and `category` the use, such as "train-ai". `usage` holds all statements of
    the site that are known so far. `reason` names the deciding statement, or the unavailable source.
    """

    _arguments = "url category usage reason"
    usage: "UsageExplained"

    def __init__(self, url: str, category: str, usage: "UsageExplained", reason: str) -> None:
        """Create the error for a URL, a use, and the `comity.Usage` of the URL."""
        super().__init__(f"{url}: {reason}")
        self.url = url
        self.category = category
        self.usage = usage
        self.reason = reason


class MustWait(ComityError):
    """A request that was not sent because the robot would have to wait longer than its limit.

    `seconds` is the remaining wait and `reason` the rule or setting that requires it.
    """

    _arguments = "url seconds reason"

    def __init__(self, url: str, seconds: float, reason: str) -> None:
        """Create the error for a URL and the remaining wait."""
        super().__init__(f"{url}: the robot must wait {seconds:.1f} s more: {reason}")
        self.url = url
        self.seconds = seconds
        self.reason = reason
