"""The rules of merged groups -> whether a URL is allowed: the reference engine's policy.

`_compiled.Policy` is its twin and answers the same; `engine` chooses one of them. `Rules` stands on
the chosen one, and asks this one for reasons.
"""

from collections.abc import Iterable, Sequence

from ..origin import RelativeReference
from ..text import to_text
from .dialect import Dialect
from .engine.arrow import is_arrow, octets_of, strings_of
from .groups import RawGroup, Record
from .matcher import Matcher, Pattern, compile_pattern
from .paths import path_reader, pattern_reader, query_spellings

__all__ = ["Policy", "Ranked", "closes", "ranked"]

#: A rule that takes part: (its pattern, the octets it counts with, its record, its group's place,
#: does it open an index page's directory)
Ranked = tuple[Pattern, int, Record, int, bool]


class Policy:
    """The rules of some groups as one, ready for questions."""

    __slots__ = ("_matcher", "_ranked", "_read", "dialect", "raw_groups")

    def __init__(self, dialect: Dialect, groups: Sequence[RawGroup]) -> None:
        """Merge groups, in file order."""
        self.dialect = dialect
        self.raw_groups = tuple(groups)
        self._read = path_reader(dialect)
        self._ranked = ranked(self.raw_groups, dialect)
        self._matcher = Matcher(
            [pattern for pattern, *_ in self._ranked], [closes(record) for _, _, record, *_ in self._ranked]
        )

    def allowed(self, url: str | bytes) -> bool:
        """Say whether the robot may fetch a URL.

        `url` is an absolute URL or a path that begins with a slash. A reference with neither scheme
        nor slash could be a path or a host, and is allowed only if it is in both readings. Raises
        `InvalidURL` for a URL that has a scheme and no host, as `mailto:`.
        """
        try:
            path = self._read(url if type(url) is str else _text(url))
        except RelativeReference as doubt:
            return all(self.allowed(reading) for reading in doubt.readings)
        matcher = self._matcher
        if matcher.heads is not None and not path.startswith(matcher.heads):
            return True
        return matcher.allowed(path) or (path == "/robots.txt" and self.dialect.opens_robots_txt)

    def allowed_many(self, urls: Iterable[str | bytes]) -> list[bool]:
        r"""Say of each URL, in order, whether the robot may fetch it.

        >>> import comity
        >>> comity.parse("User-agent: *\nDisallow: /x").rules_for("ExampleBot").allowed_many(["/x", "/y"])
        [False, True]

        `urls` may also be a pyarrow array of strings, which is read where it lies; a null of it is
        answered `False`. Raises `InvalidURL` as `allowed` does, at the first such URL.
        """
        if isinstance(urls, (str, bytes)):
            raise TypeError("allowed_many takes several URLs; for one there is allowed")
        if is_arrow(urls):
            return [
                url is not None and self.allowed(url)
                for strings in strings_of(urls)
                for url in octets_of(strings)
            ]
        return [self.allowed(url) for url in urls]

    def path_of(self, url: str | bytes) -> str:
        """Give what is compared with the patterns, an octet a character."""
        return self._read(_text(url))

    def matching(self, path: str) -> list[Ranked]:
        """Give the rules that match a path, best first and each once."""
        found: dict[int, Ranked] = {}
        for rank in self._matcher.matching(path):
            rule = self._ranked[rank]
            found.setdefault(rule[2][0], rule)  # a rule may match in more than one spelling
        return list(found.values())


def _text(url: str | bytes) -> str:
    if isinstance(url, bytes):
        return to_text(url)
    if isinstance(url, str):
        return url
    raise TypeError(f"a URL is str or bytes, not {type(url).__name__}")


def closes(record: Record) -> bool:
    """Say whether a rule closes what it wins: an empty Disallow does not."""
    return record[1] == "disallow" and record[2] != b""


def ranked(groups: Sequence[RawGroup], dialect: Dialect) -> tuple[Ranked, ...]:
    """Put the rules that can match anything in order, the one that wins over all others first."""
    read = pattern_reader(dialect)
    found: list[Ranked] = []
    for place, group in enumerate(groups):
        for record in group.rules:
            _, name, value = record
            if not value and not (dialect.empty_disallow == "allow" and name == "disallow"):
                continue  # an empty pattern matches nothing (RFC 9309 2.2, empty-pattern)
            pattern = read(value)
            found.append((compile_pattern(pattern, dialect.wildcards), len(pattern), record, place, False))
            if dialect.escapes == "rfc9309" and name == "disallow" and "?" in pattern:
                for spelling in sorted(query_spellings(pattern)):
                    other = compile_pattern(spelling, dialect.wildcards)
                    found.append((other, len(pattern), record, place, False))
            if dialect.index_pages and name == "allow":
                # robots.cc, HandleAllow: `Allow: /a/index.html` stands for `Allow: /a/$` as well.
                slash = pattern.rfind("/")
                if slash >= 0 and pattern.startswith("/index.htm", slash):
                    page = pattern[: slash + 1] + "$"
                    found.append((compile_pattern(page, dialect.wildcards), len(page), record, place, True))
    # A path begins with a slash, so what begins with anything else never matches.
    able = [rule for rule in found if rule[0][0][:1] in ("", "/")]
    if dialect.precedence == "longest":
        # RFC 9309 2.2.2: the most octets win, and allow wins over a disallow with as many.
        able.sort(key=_precedence)
    return tuple(able)


def _precedence(rule: Ranked) -> tuple[int, bool, int]:
    return -rule[1], rule[2][1] != "allow", rule[2][0]
