"""Every exception that Comity raises, as one tree.

    ComityError
    ├── InvalidURL         (ValueError)  the caller's URL is not one that robots.txt can speak of
    ├── InvalidDialect     (ValueError)  the caller made a dialect of answers that no question has
    ├── UnknownDialect     (ValueError)  the caller named a dialect that does not exist
    ├── InvalidPolicy      (ValueError)  the caller made an access policy of answers that no question has
    ├── UnknownPolicy      (ValueError)  the caller named a policy that does not exist
    ├── UnknownPurpose     (ValueError)  the caller named a purpose of agents that does not exist
    ├── UnknownVocabulary  (ValueError)  the caller named a vocabulary of preferences that does not exist
    ├── UnknownCategory    (ValueError)  the caller asked about a use that no vocabulary in force names
    ├── InvalidSettings    (ValueError)  the caller's settings of the linter are none
    ├── InvalidSite        (ValueError)  the caller's site would say what no robot understands
    ├── UnknownEnvironment (ValueError)  the caller named an environment that is neither open nor closed
    ├── InvalidPlan        (ValueError)  the owner of a site has to mend what its robots.txt is built from
    │   └── PlanConflict                 or two owners have to agree, since one closes what the other opens
    ├── InvalidIdentity    (ValueError)  the caller's robot says not who it is, or whom to write to
    ├── OutOfOrder         (RuntimeError) the caller gave a fetch what it was not waiting for
    ├── StoreUnavailable   (OSError)     the operator has to see to the file or server that keeps a store
    ├── Disallowed                       a robot did not send a request, since the site forbids it
    │   └── Unreachable                  or since its robots.txt cannot be had for now
    ├── UsageDisallowed                  a robot did not fetch or keep what must not be used as it would
    └── MustWait                         a robot did not send a request, since it would be too early

Content never raises: what is wrong with a robots.txt is told by its diagnostics, and what is wrong with
a server by the cause of its `Access`. `Disallowed`, `UsageDisallowed` and `MustWait` are errors of the HTTP
client too, where a client raises them.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from .protocol.robotstxt.fields.preferences import Usage
    from .protocol.robotstxt.verdict import Verdict

__all__ = [
    "ComityError",
    "Disallowed",
    "InvalidDialect",
    "InvalidIdentity",
    "InvalidPlan",
    "InvalidPolicy",
    "InvalidSettings",
    "InvalidSite",
    "InvalidURL",
    "MustWait",
    "OutOfOrder",
    "PlanConflict",
    "StoreUnavailable",
    "UnknownCategory",
    "UnknownDialect",
    "UnknownEnvironment",
    "UnknownPolicy",
    "UnknownPurpose",
    "UnknownVocabulary",
    "Unreachable",
    "UsageDisallowed",
]


class ComityError(Exception):
    """The root of all exceptions that Comity raises."""


class InvalidURL(ComityError, ValueError):
    """A URL without the parts that the question needs; the message says which.

    >>> import comity
    >>> comity.robots_url("example.com/shop")
    Traceback (most recent call last):
    comity.errors.InvalidURL: 'example.com/shop' has no scheme; write https://example.com/shop
    """


class InvalidDialect(ComityError, ValueError):
    """A dialect with an answer that its question does not have, or two that exclude each other.

    >>> import comity
    >>> comity.RFC9309.replace(precedence="last")
    Traceback (most recent call last):
    comity.errors.InvalidDialect: precedence is 'longest' or 'first', not 'last'
    """


class UnknownDialect(ComityError, ValueError):
    """A dialect name that is none of the four.

    >>> import comity
    >>> comity.parse(b"", dialect="bing")
    Traceback (most recent call last):
    comity.errors.UnknownDialect: no dialect 'bing'; there are rfc9309, google, draft1996 and 1994
    """


class InvalidPolicy(ComityError, ValueError):
    """An access policy with an answer that its question does not have, or two that exclude each other.

    >>> from comity.protocol.access.policy import access_policy
    >>> access_policy("rfc9309").replace(redirects=-1)
    Traceback (most recent call last):
    comity.errors.InvalidPolicy: redirects is a number that is not negative, not -1
    """


class UnknownPolicy(ComityError, ValueError):
    """A name of a policy, for access or for pages, that does not exist.

    >>> from comity.protocol.access.policy import access_policy
    >>> access_policy("bing")
    Traceback (most recent call last):
    comity.errors.UnknownPolicy: no policy 'bing'; there are rfc9309, google, draft1996, lwp, wget and strict
    """


class UnknownPurpose(ComityError, ValueError):
    """A purpose of agents that is none of `comity.agents.PURPOSES`.

    >>> from comity import agents
    >>> agents.by_purpose("evil")
    Traceback (most recent call last):
    comity.errors.UnknownPurpose: no purpose 'evil'; there are search, training, ...
    """


class OutOfOrder(ComityError, RuntimeError):
    """A call to `comity.protocol.access.fetch.Fetch` outside its order; the message says what it waits for.

    >>> from comity.protocol.access.fetch import Fetch
    >>> Fetch("https://example.com/").finish(now=0.0)
    Traceback (most recent call last):
    comity.errors.OutOfOrder: finish: the fetch waits for a response
    """


class StoreUnavailable(ComityError, OSError):
    """The file or server where a store keeps things cannot be reached or used; the message says why.

    >>> from comity.politeness.stores import SQLiteStore
    >>> SQLiteStore("/dev/null/store").load("https://example.com")
    Traceback (most recent call last):
    comity.errors.StoreUnavailable: /dev/null/store: [Errno 20] Not a directory: '/dev/null'
    """


class UnknownVocabulary(ComityError, ValueError):
    """A name of a vocabulary of preferences that is none of the drafts'.

    >>> from comity.protocol.robotstxt.fields.vocabulary import vocabulary_of
    >>> vocabulary_of("rsl")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    comity.errors.UnknownVocabulary: no vocabulary 'rsl'; there are aipref-vocab-05, ...
    """


class UnknownCategory(ComityError, ValueError):
    """A category of use that no vocabulary in force names: an answer would say nothing.

    >>> import comity
    >>> comity.usage("/", agent="ExampleBot").permits("chat")
    Traceback (most recent call last):
    comity.errors.UnknownCategory: no category 'chat' here; there are train-ai, search, ai-input, tdm, crawl
    """


class InvalidSite(ComityError, ValueError):
    """What a site is to say, as its robots.txt or with responses, in a form that no robot understands.

    >>> from comity.site.serve import HeaderRule
    >>> HeaderRule("/drafts/", x_robots_tag="no-index")
    Traceback (most recent call last):
    comity.errors.InvalidSite: X-Robots-Tag `no-index`: there is no rule `no-index`
    """


class UnknownEnvironment(ComityError, ValueError):
    """An environment of which it is not known whether robots may come in.

    >>> from comity.site.serve import Site
    >>> Site(b"", environment="prod")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    comity.errors.UnknownEnvironment: no environment 'prod'; there are production, which is open, and ...
    """


class InvalidSettings(ComityError, ValueError):
    """Settings with a key, a code or a severity that does not exist, or a file of them that is not TOML.

    >>> from comity.site.lint.settings import Settings
    >>> Settings(select=("C999",))
    Traceback (most recent call last):
    comity.errors.InvalidSettings: no rule has the code 'C999'
    """


class InvalidIdentity(ComityError, ValueError):
    """A robot that nobody could recognise or write to; the message says what is missing."""


class InvalidPlan(ComityError, ValueError):
    """A plan or fragments of which no robots.txt can be built; `problems` are all that is wrong, with places.

    >>> import comity
    >>> comity.build({"clos": ["/tmp/"]})
    Traceback (most recent call last):
    comity.errors.InvalidPlan: plan: clos: there is no such key; did you mean close?
    """

    def __init__(self, problems: "Sequence[str]") -> None:
        """Tell of problems, a sentence each."""
        super().__init__("\n".join(problems))
        self.problems = tuple(problems)

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.problems,)


class PlanConflict(InvalidPlan):
    """A plan or fragments that contradict each other; `problems` name both places of each contradiction.

    >>> import comity
    >>> comity.build({"groups": {"agents": "*", "allow": "/a", "disallow": "/%61"}})
    Traceback (most recent call last):
    comity.errors.PlanConflict: *: `Allow: /a` (plan: groups.allow) contradicts `Disallow: /%61` (plan: ...
    """


class Disallowed(ComityError):
    """A request that was not sent, since the site's robots.txt forbids it; `verdict` says why.

    `url` is what was asked for, or where a redirect led.
    """

    def __init__(self, url: str, verdict: "Verdict") -> None:
        """Tell of a refusal."""
        super().__init__(f"{url}: {verdict.explain()}")
        self.url = url
        self.verdict = verdict

    def __reduce__(self) -> tuple[object, ...]:
        return Disallowed, (self.url, self.verdict)


class Unreachable(Disallowed):
    """A request that was not sent, since the site's robots.txt cannot be had, so nothing is allowed now.

    It says nothing of the URL: ask again after `until` (seconds since 1970), when the robot will ask the
    site again.
    """

    def __init__(self, url: str, verdict: "Verdict", until: float) -> None:
        """Tell of a site that cannot be asked."""
        super().__init__(url, verdict)
        self.until = until

    def __reduce__(self) -> tuple[object, ...]:
        return Unreachable, (self.url, self.verdict, self.until)


class UsageDisallowed(ComityError):
    """Content that a robot left out, since the site does not permit a use that the robot would make of it.

    `url` is where the content is, `category` the use, such as "train-ai", and `usage` all that the site was
    heard to say by then. `reason` says which statement decides, or what could not be heard.
    """

    def __init__(self, url: str, category: str, usage: "Usage", reason: str) -> None:
        """Tell of a refusal."""
        super().__init__(f"{url}: {reason}")
        self.url = url
        self.category = category
        self.usage = usage
        self.reason = reason

    def __reduce__(self) -> tuple[object, ...]:
        return UsageDisallowed, (self.url, self.category, self.usage, self.reason)


class MustWait(ComityError):
    """A request that was not sent, since the robot would have had to wait longer than it was to.

    `seconds` is how long from now, `reason` says on whose word.
    """

    def __init__(self, url: str, seconds: float, reason: str) -> None:
        """Tell of a request that came too early."""
        super().__init__(f"{url}: the robot must wait {seconds:.1f} s more: {reason}")
        self.url = url
        self.seconds = seconds
        self.reason = reason

    def __reduce__(self) -> tuple[object, ...]:
        return MustWait, (self.url, self.seconds, self.reason)
