"""A site as it speaks to robots: its robots.txt, what it says of paths, and whether it is open at all."""

import time
import warnings
from collections.abc import Iterable, Sequence

from ...errors import InvalidArgument
from ...protocol.robotstxt.diagnostics.file import is_html, is_utf16
from ...protocol.robotstxt.fields.vocabulary import CURRENT
from ...protocol.robotstxt.matcher import Matcher, compile_pattern
from ...protocol.text import to_bytes
from .answers import Answer, File, Request, whole_seconds
from .fields import Fields, united
from .header_rules import HeaderRule
from .paths import comparable_path, comparable_pattern

__all__ = ["ENVIRONMENTS", "Site"]

#: The environments that a site may run in, and whether robots may come in. No other name is taken: one that
#: is not known would open a site that should be closed, or close one that lives on being found.
ENVIRONMENTS = {
    "production": True,
    "staging": False,
    "preview": False,
    "testing": False,
    "development": False,
}

#: The one path at which a host has a robots.txt (RFC 9309 2.3).
_ROBOTS_TXT = b"/robots.txt"

#: What a closed site says of each page, to those who ask for pages all the same.
_CLOSED = Fields(("noindex, nofollow",), tuple(f"{label}=n" for label in CURRENT.labels))

_NOTHING = Fields((), ())


class Site:
    r"""What a site says to robots, ready to be asked for each request; threads may share it.

    `robots` is the body of its robots.txt, in UTF-8 (RFC 9309 2.3), or `None` where the application or
    somebody in front of it serves that. `headers` are the rules for paths. `max_age` is for how many
    seconds robots may keep the file, `last_modified` when it was changed, in seconds since 1970; a moment in
    the future is taken for now, as no response may tell of one that is later than itself (RFC 9110 8.8.2.1).

    `environment` is one of `ENVIRONMENTS`. Where it is not "production", the site is closed: its
    robots.txt disallows everything, and each response says `noindex`, `nofollow`, and no to each use.

    >>> site = Site(b"User-agent: *\n", environment="production", headers=[HeaderRule("/a/", "noindex")])
    >>> site.answer(Request("GET", b"/robots.txt", b"", ())).body
    b'User-agent: *\n'
    >>> site.answer(Request("GET", b"/a/b", b"", ())) is None  # the application's to answer
    True
    >>> site.fields_for(Request("GET", b"/a/b", b"", ())).tags
    ('noindex',)

    Raises `InvalidArgument` for an unknown environment, for what cannot be sent, and for a body that no
    robot could read: one that is not UTF-8, or a web page; `TypeError` for headers that are no `HeaderRule`,
    or seconds that are no whole number. A rule that
    says `noindex` of paths that `robots` disallows is a `UserWarning`, since nobody would see it.
    """

    __slots__ = ("_file", "_tags", "_usage", "environment", "open")

    def __init__(
        self,
        robots: bytes | str | None,
        *,
        environment: str,
        headers: Iterable[HeaderRule] = (),
        max_age: int = 3600,
        last_modified: float | None = None,
    ) -> None:
        """Check and prepare all of it once, so that no request can fail."""
        if environment not in ENVIRONMENTS:
            *most, last = [name for name, is_open in ENVIRONMENTS.items() if not is_open]
            raise InvalidArgument(
                f"no environment {environment!r}; there are production, which is open, "
                f"and {', '.join(most)} and {last}, which are closed"
            )
        if type(max_age) is not int:  # True is no number of seconds
            raise TypeError(f"max_age is a whole number of seconds, not {max_age!r:.60}")
        if max_age < 0:
            raise InvalidArgument(f"max_age is a number of seconds that is not negative, not {max_age}")
        rules = tuple(headers)
        for rule in rules:
            if not isinstance(rule, HeaderRule):
                raise TypeError(f"headers are values of HeaderRule, not {rule!r:.60}")
        body = None if robots is None else _readable(to_bytes(robots))
        if body is not None and any(rule.x_robots_tag for rule in rules):
            from .unseen import unseen  # reads who is who

            for told in unseen(body, rules):
                warnings.warn(told, stacklevel=2)
        modified = (
            None if last_modified is None else min(whole_seconds(last_modified), float(int(time.time())))
        )
        self.environment = environment
        self.open = ENVIRONMENTS[environment]
        file = None if body is None else File(body, f"max-age={max_age:d}", modified)
        self._file = file if self.open else _closed_file()
        self._tags = _Longest([(rule.pattern, rule.x_robots_tag) for rule in rules])
        self._usage = _Longest([(rule.pattern, rule.content_usage) for rule in rules])

    def answer(self, request: Request) -> Answer | None:
        """Answer a request for the host's robots.txt; `None` for any other, which is for the application."""
        if request.path != _ROBOTS_TXT or self._file is None:
            return None
        answer = self._file.answer(request)
        return answer.replace(headers=tuple(self.fields_for(request).added_to(answer.headers)))

    def fields_for(self, request: Request) -> Fields:
        """Give the fields that the response to a request gets besides those of the application.

        Of the rules whose pattern matches path and query, for each field the longest speaks, in octets, or
        all of those that are equally long.
        """
        if not self.open:
            return _CLOSED
        path = comparable_path(request.path, request.query)
        tags, usage = self._tags.values_for(path), self._usage.values_for(path)
        if not tags and not usage:
            return _NOTHING
        return united([Fields(tuple(tags), ()), *(Fields((), tuple(value.split(", "))) for value in usage)])


def _readable(body: bytes) -> bytes:
    """Give the body of a robots.txt that robots can read; raises `InvalidArgument` for another."""
    if is_html(body):
        raise InvalidArgument("this robots.txt looks like a web page")
    if is_utf16(body):
        raise InvalidArgument("this robots.txt looks like UTF-16, and has to be UTF-8 (RFC 9309 2.3)")
    try:
        body.decode()
    except UnicodeDecodeError as error:
        line = body.count(b"\n", 0, error.start) + 1
        raise InvalidArgument(f"line {line} of this robots.txt is not UTF-8 (RFC 9309 2.3)") from None
    return body


def _closed_file() -> File:
    """Give the robots.txt of a closed site, which also names the robots that no `*` binds.

    Nobody is to keep it: the same host may be open tomorrow.
    """
    from ..assembly.agent_reach import ALL_ROBOTS  # reads a file that open sites need not read

    lines = [*(f"User-agent: {name}" for name in ALL_ROBOTS), "Disallow: /", ""]
    return File("\n".join(lines).encode("ascii"), "no-store")


class _Longest:
    """Patterns with a value each -> the values of the longest that match a path."""

    __slots__ = ("_matcher", "_ranked")

    def __init__(self, rules: Sequence[tuple[str, str | None]]) -> None:
        ranked = [(comparable_pattern(pattern), value) for pattern, value in rules if value is not None]
        ranked.sort(key=lambda rule: -len(rule[0]))
        self._ranked = ranked
        self._matcher = Matcher(
            [compile_pattern(pattern, True) for pattern, _ in ranked], [False] * len(ranked)
        )

    def values_for(self, path: str) -> list[str]:
        matching = self._matcher.matching(path)
        longest = len(self._ranked[matching[0]][0]) if matching else 0
        return [
            value for pattern, value in map(self._ranked.__getitem__, matching) if len(pattern) == longest
        ]
