"""What a job knows of a page: that it is wanted or under way, what became of it, or why it is not wanted."""

from ...protocol.value import Value
from ..address import LONGEST

__all__ = ["Entry", "Omission", "Result", "Want", "sound"]


class Want(Value):
    """A page that is wanted; `depth` is how many links lead there, `hops` how many redirects did last."""

    __slots__ = ("url", "origin", "depth", "kind", "start", "hops")
    url: str
    origin: str
    depth: int
    #: "page", "sitemap", or "part" for what a page embeds
    kind: str
    start: bool
    hops: int


class Entry(Value):
    """A page that is under way."""

    __slots__ = ("number", "url", "origin", "depth", "kind", "start", "forced", "tries", "hops")
    number: int
    url: str
    origin: str
    depth: int
    kind: str
    start: bool
    #: is it asked for although the robots.txt forbids it, as the operator wants?
    forced: bool
    tries: int
    hops: int


class Result(Value):
    """What became of a page: the outcome in a word, what came, and of what was left out whose word it is."""

    __slots__ = ("outcome", "status", "octets", "sha256", "file", "media", "why", "source", "line")
    #: "stored", "redirect", "no-page", "failed", "disallowed", "usage-disallowed", "too-large"
    outcome: str
    status: int | None
    octets: int
    sha256: str | None
    file: str | None
    media: str | None
    why: str | None
    #: the file that said so, and its line
    source: str | None
    line: int | None

    @classmethod
    def of(cls, outcome: str, **known: object) -> "Result":
        """Make one of what is known.

        >>> Result.of("failed", why="timeout").octets
        0
        """
        return cls(outcome, *({"octets": 0, **known}.get(name) for name in cls.__slots__[1:]))  # type: ignore[arg-type]


class Omission(Value):
    """A link that is not followed, why, and the line of the page that said so, if one did."""

    __slots__ = ("url", "reason", "source", "line")
    url: str
    reason: str
    source: str | None
    line: int | None


def sound(value: object) -> object:
    r"""Give a value as any home keeps it: what a site wrote may be long, or have what UTF-8 has no place for.

    >>> print(sound("no\udcff"), len(sound("long" * 9000)), sound(3))
    no\udcff 8000 3
    """
    if not isinstance(value, str):
        return value
    return value[:LONGEST].encode("utf-8", "backslashreplace")[:LONGEST].decode("utf-8", "ignore")
