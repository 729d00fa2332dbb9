"""Find the clause of a standard that decides between two answers.

Each clause is a setting of a dialect, or a change of the URL. If Comity gives the answer of the other parser
after one of them, this clause decides. Pairs are tried next.
"""

import re
from collections.abc import Callable
from itertools import combinations
from typing import NamedTuple

from ...errors import InvalidArgument
from ...protocol.robotstxt.dialect import Dialect
from ...protocol.robotstxt.document import RobotsTxt, parse
from ...protocol.robotstxt.verdict import Reason, Verdict


class Clause(NamedTuple):
    """A clause: its `section`, a `sentence`, and the `settings` of a dialect and the `url` without it."""

    section: str
    sentence: str
    settings: dict[str, object]
    url: Callable[[str], str] = str


#: Several slashes in a row, escaped or not, but not those of `http://`.
_SLASHES = re.compile("(?<!:)(?:/|%2f){2,}", re.IGNORECASE)


def _merged_slashes(url: str) -> str:
    return _SLASHES.sub("/", url)


_TOKEN = "a group applies if its name equals the product token of the robot, ignoring case"  # noqa: S105
_MERGED = "all groups for the same robot are combined"
_ESCAPES = "escapes of reserved characters differ from the characters, and other escapes do not"

_CLAUSES = (
    Clause("RFC 9309 2.2.2", "the longest matching rule decides, not the first one", {"precedence": "first"}),
    Clause("RFC 9309 2.2.1", _TOKEN, {"agent_match": "substring"}),
    Clause("RFC 9309 2.2.1", _TOKEN, {"agent_match": "value-in-name"}),
    Clause("RFC 9309 2.2.1", _TOKEN, {"agent_match": "name-in-value"}),
    Clause("RFC 9309 2.2.1", _TOKEN, {"agent_match": "google-token"}),
    Clause("RFC 9309 2.2.1", _MERGED, {"merges_named": False}),
    Clause("RFC 9309 2.2.1", _MERGED, {"merges_default": False}),
    Clause("RFC 9309 2.2", "an empty line does not end a group", {"blank_line_ends_group": True}),
    Clause("RFC 9309 2.2.3", "* and a final $ are special", {"wildcards": False, "escapes": "draft1996"}),
    Clause("RFC 9309 2.2.3", "* and a final $ are special", {"wildcards": False, "escapes": "none"}),
    Clause("RFC 9309 2.2.2", _ESCAPES, {"escapes": "google"}),
    Clause("RFC 9309 2.2.2", _ESCAPES, {"escapes": "none"}),
    Clause("RFC 9309 2.2", "a rule without a path matches nothing", {"empty_disallow": "allow"}),
    Clause("RFC 9309 2.2.2", "/robots.txt itself is always allowed", {"opens_robots_txt": False}),
    Clause("RFC 9309 2.2.4", "misspelt fields may be accepted", {"typos": False}),
    Clause("RFC 9309 2.2", "Allow is a rule", {"allow": False}),
    Clause("Google's parser", "a rule for an index page also opens its folder", {"index_pages": True}),
    Clause("Google's parser", "a field that begins with a known name counts", {"prefixes": True}),
)

#: The clauses that one parser alone breaks. They are tried first.
_OF_PARSER = {
    "robotspy": (
        Clause("RFC 9309 2.2.2", "several slashes in a row differ from one slash", {}, _merged_slashes),
    ),
}

#: For answers that no change of settings explains: the section by Comity's reason; 2.2.2 for all others.
_BY_REASON = {
    Reason.NO_GROUP_APPLIES: "RFC 9309 2.2.1",
    Reason.GROUP_WITHOUT_RULES: "RFC 9309 2.2.1",
    Reason.FILE_WITHOUT_GROUPS: "RFC 9309 2.2",
    Reason.INDEX_PAGE: "Google's parser",
}


class Clauses:
    """The clauses of a dialect, to explain the answers of another parser about one file."""

    def __init__(self, robots: RobotsTxt, body: bytes, parser: str) -> None:
        self._body = body
        clauses = (*_OF_PARSER.get(parser, ()), *_CLAUSES)
        self._variants = [
            (found, dialect)
            for count in (1, 2)
            for found in combinations(clauses, count)
            if (dialect := _without(robots.dialect, found)) is not None
        ]
        self._parsed: dict[int, RobotsTxt] = {}

    def deciding(self, verdict: Verdict, agent: str, url: str) -> tuple[str, str]:
        """Return the section and the sentence of the clause that decides against the opposite answer."""
        for number, (clauses, dialect) in enumerate(self._variants):
            if number not in self._parsed:
                self._parsed[number] = parse(self._body, dialect=dialect)
            changed = url
            for clause in clauses:
                changed = clause.url(changed)
            if self._parsed[number].allowed(changed, agent=agent) != verdict.allowed:
                sections = dict.fromkeys(clause.section for clause in clauses)
                return ", ".join(sections), "; ".join(dict.fromkeys(clause.sentence for clause in clauses))
        return _BY_REASON.get(verdict.reason, "RFC 9309 2.2.2"), verdict.reason.sentence


def _without(dialect: Dialect, clauses: tuple[Clause, ...]) -> Dialect | None:
    """Return the dialect without some clauses, or `None` if they contradict each other or change nothing."""
    settings: dict[str, object] = {}
    for clause in clauses:
        if settings.keys() & clause.settings.keys():
            return None
        settings |= clause.settings
    if settings and all(getattr(dialect, name) == value for name, value in settings.items()):
        return None
    try:
        return dialect.replace(**settings)
    except InvalidArgument:  # settings that do not fit each other
        return None
