"""The reference engine: reads a body into groups, and answers questions about the rules of groups.

`_compiled_reading.Reading` and `_compiled.RankedRules` give the same answers. The package chooses an engine.
"""

from collections.abc import Iterable, Sequence

from ...origin import RelativeReference
from ...text import several, to_text
from ..dialect import Dialect
from ..groups import RawGroup, Record, grouped
from ..lexer import fields
from ..matcher import Matcher
from ..paths import path_reader
from ..precedence import Ranked, RankedRule, closes, matching_rules, named, rank
from ..selection import Directory
from .arrow import bytes_of, is_arrow, strings_of

#: Number of questions that are answered before all rules are ranked.
_UNPREPARED_QUESTIONS = 3


class Reading:
    """The groups and the other fields of a body."""

    __slots__ = ("_directory", "dialect", "groups", "strays", "whole_file")

    def __init__(self, body: bytes, dialect: Dialect) -> None:
        """Read a body in a dialect, in time proportional to its length."""
        self.dialect: Dialect = dialect
        self.groups: Sequence[RawGroup]
        self.whole_file: Sequence[Record]
        self.strays: Sequence[Record]
        self.groups, self.whole_file, self.strays = grouped(fields(body, dialect), dialect)
        self._directory: Directory | None = None

    @property
    def has_groups(self) -> bool:
        """Whether the body has any group."""
        return bool(self.groups)

    def select(self, names: Sequence[str]) -> tuple[str | None, Sequence[RawGroup]]:
        """Return the name that selected groups for a robot, and those groups in file order."""
        if self._directory is None:
            self._directory = Directory([group.names for group in self.groups], self.dialect)
        selection = self._directory.select(names)
        numbers = dict.fromkeys([group for group, _ in selection.mentions])
        return selection.name, [self.groups[number] for number in numbers]


class RankedRules:
    """The rules of merged groups, ready for questions."""

    __slots__ = ("_matcher", "_questions", "_ranked", "_read", "dialect", "raw_groups")

    def __init__(self, dialect: Dialect, groups: Sequence[RawGroup]) -> None:
        """Merge groups, in file order."""
        self.dialect: Dialect = dialect
        self.raw_groups: tuple[RawGroup, ...] = tuple(groups)
        self._read = path_reader(dialect)
        #: The rules in order of precedence and their matcher, once there were some questions.
        self._ranked: list[Ranked] = []
        self._matcher: Matcher | None = None
        self._questions = 0

    def allowed(self, url: str | bytes) -> bool:
        """Return whether the robot may fetch a URL.

        `url` is an absolute URL or a path that begins with a slash. A reference with neither scheme nor
        slash could be a path or a host, so it is allowed only if both readings are. Raises `InvalidURL` for
        a URL that has a scheme and no host, such as `mailto:`.
        """
        try:
            path = self._read(url if type(url) is str else _text(url))
        except RelativeReference as reference:
            return all(self.allowed(reading) for reading in reference.readings)
        matcher = self._matcher or self._prepared()
        if matcher is None:
            winner = next(matching_rules(self.raw_groups, self.dialect, path), None)
            allowed = winner is None or not closes(winner[2])
        elif matcher.closing_prefixes is not None and not path.startswith(matcher.closing_prefixes):
            return True
        else:
            allowed = matcher.allowed(path)
        return allowed or (path == "/robots.txt" and self.dialect.opens_robots_txt)

    def allowed_many(self, urls: str | bytes | Iterable[str | bytes]) -> tuple[bool, ...]:
        r"""Return, for each URL in order, whether the robot may fetch it.

        >>> import comity
        >>> comity.parse("User-agent: *\nDisallow: /x").rules_for("ExampleBot").allowed_many(["/x", "/y"])
        (False, True)

        `urls` are as for `allowed`; a lone URL is one of them. They may also be a pyarrow array of strings,
        which is not copied; the answer for a null is `False`.
        Raises `InvalidURL` as `allowed` does, at the first such URL.
        """
        if is_arrow(urls):
            return tuple(
                [
                    url is not None and self.allowed(url)
                    for strings in strings_of(urls)
                    for url in bytes_of(strings)
                ]
            )
        return tuple([self.allowed(url) for url in several(urls, "urls")])

    def path_of(self, url: str | bytes) -> str:
        """Return the path that is compared with the patterns, one character a byte."""
        return self._read(_text(url))

    def matching(self, path: str) -> list[RankedRule]:
        """Return the rules that match a path, best first and each once."""
        matcher = self._matcher or self._prepared()
        if matcher is None:
            matching = list(matching_rules(self.raw_groups, self.dialect, path))
        else:
            matching = [self._ranked[number] for number in matcher.matching(path)]
        found: dict[int, RankedRule] = {}
        for rule in matching:
            line = rule[2][0]
            if line not in found:  # a rule may match in more than one spelling
                found[line] = named(rule)
        return list(found.values())

    def _prepared(self) -> Matcher | None:
        """Return the matcher; `None` for the first questions, which take less time than to rank all rules."""
        self._questions += 1
        if self._questions <= _UNPREPARED_QUESTIONS:
            return None
        self._ranked = ranked = rank([group.rules for group in self.raw_groups], self.dialect)
        self._matcher = Matcher(
            [parts for parts, *_ in ranked], [closes(record) for _, _, record, _, _ in ranked]
        )
        return self._matcher


def _text(url: str | bytes) -> str:
    if isinstance(url, bytes):
        return to_text(url)
    if isinstance(url, str):
        return url
    raise TypeError(f"a URL is str or bytes, not {type(url).__name__}")
