"""The groups that speak to one robot, merged -> answers about any URL.

`Rules` is what a crawler keeps: it can be pickled, shared between threads, and stands alone without
the file that it came from.
"""

from collections.abc import Iterable, Sequence
from datetime import datetime

from ..origin import RelativeReference
from .dialect import Dialect
from .groups import RawGroup, Record
from .matcher import Matcher, Pattern, compile_pattern
from .paths import path_reader, pattern_reader, query_spellings
from .rates import RequestRate, VisitTime, crawl_delay, interval_of, request_rate, visit_time, wait_for
from .selection import Selection
from .verdict import Field, Group, Reason, Rule, Verdict, text_of

__all__ = ["Rules"]

#: A rule that takes part: (its rank's pattern, octets it counts with, its record, its group's
#: place, does it open an index page's directory)
_Ranked = tuple[Pattern, int, Record, int, bool]


class Rules:
    r"""All that one file says to one robot, ready for millions of questions.

    >>> import comity
    >>> rules = comity.parse("User-agent: *\nDisallow: /shop\nCrawl-delay: 2.5").rules_for("ExampleBot")
    >>> rules.allowed("https://example.com/shop"), rules.allowed("/about")
    (False, True)
    >>> rules.crawl_delay
    2.5
    """

    __slots__ = (
        "_dialect",
        "_fields",
        "_groups",
        "_matcher",
        "_names",
        "_ranked",
        "_read",
        "_selection",
        "_without_groups",
    )

    def __init__(
        self,
        dialect: Dialect,
        names: Sequence[str],
        selection: Selection,
        groups: Sequence[RawGroup],
        without_groups: Reason,
    ) -> None:
        """Merge the groups that were selected for a robot; `RobotsTxt.rules_for` calls this."""
        self._dialect = dialect
        self._names = tuple(names)
        self._without_groups = without_groups
        self._selection = selection
        places: dict[int, list[int]] = {}
        for group, place in selection.mentions:
            places.setdefault(group, []).append(place)
        self._groups = tuple(groups[group] for group in places)
        self._fields = [field for group, named in places.items() for field in groups[group].fields_for(named)]
        self._read = path_reader(dialect)
        self._ranked = _ranked(self._groups, dialect)
        self._matcher = Matcher(
            [pattern for pattern, *_ in self._ranked], [_closes(record) for _, _, record, *_ in self._ranked]
        )

    @property
    def agent(self) -> str:
        """The robot's name, the one that a group was found by or else the first that was given."""
        matched = self._selection.name
        return matched if matched in self._names and matched else "".join(self._names[:1])

    @property
    def matched(self) -> str | None:
        """The name by which the groups were chosen: "*" for the default groups, `None` for no group."""
        return self._selection.name

    @property
    def groups(self) -> tuple[Group, ...]:
        """The groups that were merged, in file order."""
        return tuple(group.value for group in self._groups)

    @property
    def fields(self) -> tuple[Field, ...]:
        """Every line other than a rule that speaks to the robot, with its value as written."""
        return tuple(Field(name, text_of(value), line) for line, name, value in self._fields)

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
        return matcher.allowed(path) or (path == "/robots.txt" and self._dialect.opens_robots_txt)

    def allowed_many(self, urls: Iterable[str | bytes]) -> list[bool]:
        r"""Say of each URL, in order, whether the robot may fetch it.

        >>> import comity
        >>> comity.parse("User-agent: *\nDisallow: /x").rules_for("ExampleBot").allowed_many(["/x", "/y"])
        [False, True]
        """
        if isinstance(urls, (str, bytes)):
            raise TypeError("allowed_many takes several URLs; for one there is allowed")
        return [self.allowed(url) for url in urls]

    def check(self, url: str | bytes) -> Verdict:
        """Say whether the robot may fetch a URL, and why; see `allowed` for what a URL is."""
        try:
            path = self._read(_text(url))
        except RelativeReference as doubt:
            verdicts = [self.check(reading) for reading in doubt.readings]
            return next((verdict for verdict in verdicts if not verdict), verdicts[0])
        if path == "/robots.txt" and self._dialect.opens_robots_txt:
            return self._verdict(path, Reason.ROBOTS_TXT_ITSELF)
        if not self._groups:
            return self._verdict(path, self._without_groups)
        # A rule may match in more than one spelling; its best counts.
        ranked = [self._ranked[rank] for rank in self._matcher.matching(path)]
        matching = list({rule[2][0]: rule for rule in reversed(ranked)}.values())[::-1]
        if matching:
            return self._verdict(path, self._reason(matching), matching)
        ruled = any(value for group in self._groups for _, _, value in group.rules)
        return self._verdict(path, Reason.NO_RULE_MATCHES if ruled else Reason.GROUP_WITHOUT_RULES)

    def _reason(self, matching: Sequence[_Ranked]) -> Reason:
        _, length, (_, name, _), _, index_page = matching[0]
        if self._dialect.precedence == "first":
            return Reason.FIRST_MATCH
        if index_page:
            return Reason.INDEX_PAGE
        if name == "allow" and any(rival[1] == length and _closes(rival[2]) for rival in matching[1:]):
            return Reason.ALLOW_WINS_TIE
        return Reason.LONGEST_MATCH

    def _verdict(self, path: str, reason: Reason, matching: Sequence[_Ranked] = ()) -> Verdict:
        decided = [
            Rule(name == "allow", text_of(value), line) for _, _, (line, name, value), _, _ in matching
        ]
        group = self._groups[matching[0][3] if matching else 0].value if self._groups else None
        return Verdict(
            allowed=not (matching and _closes(matching[0][2])),
            reason=reason,
            rule=decided[0] if decided else None,
            group=group,
            overruled=tuple(decided[1:]),
            agent=self.agent,
            matched=self._selection.name,
            octets=matching[0][1] if matching else 0,
            path=text_of(path.encode("latin-1")),
        )

    @property
    def crawl_delay(self) -> float | None:
        """Seconds between requests that the file asks for; the larger if it asks for several."""
        return max(
            (seconds for value in self._values("crawl-delay") if (seconds := crawl_delay(value)) is not None),
            default=None,
        )

    @property
    def request_rates(self) -> tuple[RequestRate, ...]:
        """The Request-rate lines that are valid, in file order."""
        return tuple(rate for value in self._values("request-rate") if (rate := request_rate(value)))

    @property
    def visit_times(self) -> tuple[VisitTime, ...]:
        """The Visit-time lines that are valid, in file order; the robot is welcome in any of them."""
        return tuple(window for value in self._values("visit-time") if (window := visit_time(value)))

    def visit_wait(self, now: datetime) -> float:
        """Give the seconds from `now` until a visit is welcome: 0.0 if it is already."""
        return wait_for(self.visit_times, now)

    def request_interval(self, now: datetime) -> float | None:
        """Give the seconds between requests by the slowest Request-rate that applies at `now`."""
        return interval_of(self.request_rates, now)

    @property
    def content_signals(self) -> tuple[str, ...]:
        """The values of the Content-Signal lines, as written."""
        return tuple(self._values("content-signal"))

    @property
    def content_usage(self) -> tuple[str, ...]:
        """The values of the Content-Usage lines, as written."""
        return tuple(self._values("content-usage"))

    def _values(self, field: str) -> list[str]:
        return [text_of(value) for _, name, value in self._fields if name == field]

    def _state(self) -> tuple[object, ...]:
        return self._dialect, self._names, self._selection.name, self.groups, self.fields

    def __eq__(self, other: object) -> bool:
        return self._state() == other._state() if isinstance(other, Rules) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._state())

    def __repr__(self) -> str:
        rules = sum(len(group.rules) for group in self._groups)
        return f"<Rules for {self.agent!r}: {rules} rules of group {self.matched!r}, {self._dialect.name}>"

    def __reduce__(self) -> tuple[object, ...]:
        places: dict[int, int] = {}
        mentions = tuple(
            (places.setdefault(group, len(places)), place) for group, place in self._selection.mentions
        )
        selection = self._selection.replace(mentions=mentions)
        return Rules, (self._dialect, self._names, selection, self._groups, self._without_groups)


def _text(url: str | bytes) -> str:
    if isinstance(url, bytes):
        return text_of(url)
    if isinstance(url, str):
        return url
    raise TypeError(f"a URL is str or bytes, not {type(url).__name__}")


def _closes(record: Record) -> bool:
    """Say whether a rule closes what it wins: an empty Disallow does not."""
    return record[1] == "disallow" and record[2] != b""


def _ranked(groups: Sequence[RawGroup], dialect: Dialect) -> tuple[_Ranked, ...]:
    """Put the rules that can match anything in order, the one that wins over all others first."""
    read = pattern_reader(dialect)
    ranked: list[_Ranked] = []
    for place, group in enumerate(groups):
        for record in group.rules:
            _, name, value = record
            if not value and not (dialect.empty_disallow == "allow" and name == "disallow"):
                continue  # an empty pattern matches nothing (RFC 9309 2.2, empty-pattern)
            pattern = read(value)
            ranked.append((compile_pattern(pattern, dialect.wildcards), len(pattern), record, place, False))
            if dialect.escapes == "rfc9309" and name == "disallow" and "?" in pattern:
                for spelling in sorted(query_spellings(pattern)):
                    other = compile_pattern(spelling, dialect.wildcards)
                    ranked.append((other, len(pattern), record, place, False))
            if dialect.index_pages and name == "allow":
                # robots.cc, HandleAllow: `Allow: /a/index.html` stands for `Allow: /a/$` as well.
                slash = pattern.rfind("/")
                if slash >= 0 and pattern.startswith("/index.htm", slash):
                    page = pattern[: slash + 1] + "$"
                    ranked.append((compile_pattern(page, dialect.wildcards), len(page), record, place, True))
    # A path begins with a slash, so what begins with anything else never matches.
    able = [rule for rule in ranked if rule[0][0][:1] in ("", "/")]
    if dialect.precedence == "longest":
        # RFC 9309 2.2.2: the most octets win, and allow wins over a disallow with as many.
        able.sort(key=_precedence)
    return tuple(able)


def _precedence(rule: _Ranked) -> tuple[int, bool, int]:
    return -rule[1], rule[2][1] != "allow", rule[2][0]
