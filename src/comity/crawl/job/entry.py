"""The values that a job stores: requested links, entries in progress, results and skipped links."""

from typing import NamedTuple

from ...protocol.value import Value
from ..urls import MAX_URL_LENGTH


class LinkRequest(Value):
    """A URL to fetch.

    `depth` is the number of links from a start URL. `hops` counts the redirects in a row that lead here, or
    the nesting of style sheets.
    """

    url: str
    origin: str
    depth: int
    #: "page", "sitemap", or "resource" for a URL that a page embeds
    kind: str
    #: whether the user named the URL, or the URL that redirects to it
    start: bool
    hops: int
    #: URL of the page that links here, and the line of the link; or of the URL that redirects here
    referrer: str | None
    referrer_line: int | None


class Entry(Value):
    """A URL that a crawl is fetching now."""

    number: int
    url: str
    origin: str
    depth: int
    kind: str
    start: bool
    #: whether it is fetched although robots.txt disallows it (`--force-start`)
    forced: bool
    #: number of earlier tries that count
    tries: int
    hops: int


class Result(Value):
    """The outcome of a URL, with the properties of the response or the reason for a refusal."""

    #: "stored", "checked" (by `--spider`), "redirect", "http-error", "failed", "too-large", "disallowed",
    #: "usage-disallowed" or "noindex"
    outcome: str
    status: int | None
    #: size of the body in bytes
    size: int
    sha256: str | None
    file: str | None
    media: str | None
    reason: str | None
    #: URL and line of the file that disallows the page
    source: str | None
    line: int | None

    @classmethod
    def of(cls, outcome: str, **known: object) -> "Result":
        """Create a result from the fields that are known.

        >>> Result.of("failed", reason="timeout").size
        0
        """
        return cls(outcome, *({"size": 0, **known}.get(name) for name in cls.__slots__[1:]))  # type: ignore[arg-type]


class FinishedURL(NamedTuple):
    """A URL with its result, and the time of the result in seconds since 1970."""

    url: str
    depth: int
    start: bool
    time: float | None
    result: Result
    referrer: str | None = None
    referrer_line: int | None = None


class Postponement(NamedTuple):
    """The time until which an origin waits, in seconds since 1970, and the reason."""

    until: float
    reason: str


class SkippedLink(Value):
    """A link that is not followed, with the reason, and the page and line where it stands."""

    url: str
    reason: str
    source: str | None
    line: int | None


def storable(value: object) -> object:
    r"""Return a value that every backend can store: text is cut to a length and made valid UTF-8.

    >>> print(storable("no\udcff"), len(storable("long" * 9000)), storable(3))
    no\udcff 8000 3
    """
    if not isinstance(value, str):
        return value
    text = value[:MAX_URL_LENGTH].encode("utf-8", "backslashreplace")
    return text[:MAX_URL_LENGTH].decode("utf-8", "ignore")


def folders_of(name: str) -> list[str]:
    """Return the folders above a file, outermost first.

    >>> folders_of("example.com/tea/index.html")
    ['example.com', 'example.com/tea']
    """
    parts = name.split("/")
    return ["/".join(parts[:end]) for end in range(1, len(parts))]
