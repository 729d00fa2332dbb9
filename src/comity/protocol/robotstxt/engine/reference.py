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
from ..precedence import RankedRule, closes, named, rank
from ..selection import Directory
from .arrow import bytes_of, is_arrow, strings_of


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
        numbers = dict.fromkeys(group for group, _ in selection.mentions)
        return selection.name, [self.groups[number] for number in numbers]


class RankedRules:
    """The rules of merged groups, in order of precedence and ready for questions."""

    __slots__ = ("_matcher", "_ranked", "_read", "dialect", "raw_groups")

    def __init__(self, dialect: Dialect, groups: Sequence[RawGroup]) -> None:
        """Merge groups, in file order."""
        self.dialect: Dialect = dialect
        self.raw_groups: tuple[RawGroup, ...] = tuple(groups)
        self._read = path_reader(dialect)
        self._ranked = rank(self.raw_groups, dialect)
        self._matcher = Matcher(
            [parts for parts, *_ in self._ranked], [closes(record) for _, _, record, _, _ in self._ranked]
        )

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
        matcher = self._matcher
        if matcher.closing_prefixes is not None and not path.startswith(matcher.closing_prefixes):
            return True
        return matcher.allowed(path) or (path == "/robots.txt" and self.dialect.opens_robots_txt)

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
        found: dict[int, RankedRule] = {}
        for number in self._matcher.matching(path):
            rule = self._ranked[number]
            line = rule[2][0]
            if line not in found:  # a rule may match in more than one spelling
                found[line] = named(rule)
        return list(found.values())


def _text(url: str | bytes) -> str:
    if isinstance(url, bytes):
        return to_text(url)
    if isinstance(url, str):
        return url
    raise TypeError(f"a URL is str or bytes, not {type(url).__name__}")
