"""Find the clause of a standard that decides between two answers.

Each clause is a setting of a dialect, or a change of the file or the URL. A clause is a candidate if Comity
gives the answer of the other parser without it. It is the cause if the other parser gives Comity's answer to
a file in which the clause has no effect. Pairs of clauses are tried last.
"""

from collections.abc import Callable, Iterator
from functools import partial
from itertools import combinations
from typing import NamedTuple

from ...errors import InvalidArgument
from ...protocol.robotstxt import Dialect, RobotsTxt, parse
from . import edits
from .edits import Edits, Question


class Clause(NamedTuple):
    """A clause: its `section`, a `sentence`, and how a file is read and written without it.

    `undo` writes the file so that the clause has no effect. `settings` of a dialect, `misread` and `url` read
    it as a parser that does not know the clause.
    """

    section: str
    sentence: str
    undo: Callable[[Question], Edits]
    settings: dict[str, object]
    misread: Callable[[Question], Edits] | None = None
    url: Callable[[str], str] = str


class Candidate(NamedTuple):
    """Clauses that may be the cause, and the file and the URL without an effect of them."""

    section: str
    sentence: str
    body: bytes
    url: str


_TOKEN = "a group applies if its name equals the product token of the robot, ignoring case"  # noqa: S105
_VERSION = "a version or other text after the name of a robot does not count"
_MERGED = "all groups for the same robot are combined"
_ESCAPES = "escapes of reserved characters differ from the characters, and other escapes do not"
_QUERY = "delimiters in a query are the same as their escapes"
_BETWEEN = "another field between two User-agent lines does not end the group"
_MARK = "a byte order mark is not a part of the first line"
_SLASHES = "several slashes in a row differ from one slash"
_INDEX = "a rule for an index page also opens its folder"

_CLAUSES = (
    Clause("RFC 9309 2.2", _MARK, edits.without_mark, {}, edits.first_line_unread),
    Clause("RFC 9309 2.2.4", _BETWEEN, edits.without_fields_between_names, {}, edits.names_ended_by_fields),
    Clause("RFC 9309 2.2.1", _VERSION, edits.names_alone, {}, edits.long_names_unread),
    Clause(
        "RFC 9309 2.2.2",
        "the longest matching rule decides, not the first one",
        edits.longest_first,
        {"precedence": "first"},
    ),
    *(
        Clause("RFC 9309 2.2.1", _TOKEN, edits.only_own_groups, {"agent_match": match})
        for match in ("substring", "value-in-name", "name-in-value", "google-token")
    ),
    Clause("RFC 9309 2.2.1", _MERGED, edits.one_group, {"merges_named": False}),
    Clause("RFC 9309 2.2.1", _MERGED, edits.one_group, {"merges_default": False}),
    Clause("RFC 9309 2.2.2", _QUERY, edits.queries_of_the_url, {}, edits.other_queries_unread),
    Clause(
        "RFC 9309 2.2",
        "an empty line does not end a group",
        edits.without_blank_lines,
        {"blank_line_ends_group": True},
    ),
    *(
        Clause(
            "RFC 9309 2.2.3",
            "* and a final $ are special",
            edits.literal_rules,
            {"wildcards": False, "escapes": escapes},
        )
        for escapes in ("draft1996", "none")
    ),
    *(
        Clause("RFC 9309 2.2.2", _ESCAPES, edits.literal_rules, {"escapes": escapes})
        for escapes in ("google", "none")
    ),
    Clause(
        "RFC 9309 2.2",
        "a rule without a path matches nothing",
        edits.without_empty_rules,
        {"empty_disallow": "allow"},
    ),
    Clause(
        "RFC 9309 2.2.2",
        "/robots.txt itself is always allowed",
        edits.robots_txt_allowed,
        {"opens_robots_txt": False},
    ),
    Clause(
        "RFC 9309 2.2.4",
        "misspelt fields and missing colons may be accepted",
        partial(edits.plain_lines, typos=False),
        {"typos": False},
    ),
    Clause("Google's parser", _INDEX, edits.without_index_pages, {"index_pages": True}),
    Clause(
        "Google's parser",
        "a field that begins with a known name counts",
        partial(edits.plain_lines, prefixes=True),
        {"prefixes": True},
    ),
    Clause("RFC 9309 2.2.2", _SLASHES, edits.single_slashes, {}, None, edits.merged_slashes),
)


class Clauses:
    """The clauses of a dialect, to explain the answers of another parser."""

    def __init__(self, dialect: Dialect) -> None:
        self._variants = [
            (found, changed)
            for count in (1, 2)
            for found in combinations(_CLAUSES, count)
            if (changed := _without(dialect, found)) is not None
        ]
        self._parsed: dict[tuple[bytes, Dialect], RobotsTxt] = {}

    def candidates(self, question: Question) -> Iterator[Candidate]:
        """Yield the clauses without which Comity gives the opposite answer, single ones first."""
        robots, agent, allowed = question.robots, question.agent, question.verdict.allowed
        misreadings = {one.sentence: one.misread(question) for one in _CLAUSES if one.misread is not None}
        for clauses, dialect in self._variants:
            misread, url = Edits(), question.url
            for clause in clauses:
                misread |= misreadings.get(clause.sentence, {})
                url = clause.url(url)
            if not all(
                clause.settings
                or misreadings.get(clause.sentence)
                or clause.url(question.url) != question.url
                for clause in clauses
            ):
                continue
            body = edits.written(robots, misread) if misread else robots.body
            if self._read(body, dialect).allowed(url, agent=agent) == allowed:
                continue
            undone = question
            for clause in clauses:
                read = self._read(edits.written(undone.robots, clause.undo(undone)), robots.dialect)
                undone = Question(read, agent, url, read.check(url, agent=agent))
            if undone.verdict.allowed == allowed:
                sections = dict.fromkeys(clause.section for clause in clauses)
                sentences = dict.fromkeys(clause.sentence for clause in clauses)
                yield Candidate(", ".join(sections), "; ".join(sentences), undone.robots.body, url)

    def _read(self, body: bytes, dialect: Dialect) -> RobotsTxt:
        key = body, dialect
        if key not in self._parsed:
            if len(self._parsed) >= _MAX_PARSED:
                self._parsed.clear()
            self._parsed[key] = parse(body, dialect=dialect)
        return self._parsed[key]


#: Maximum number of changed files in memory.
_MAX_PARSED = 200


def _without(dialect: Dialect, clauses: tuple[Clause, ...]) -> Dialect | None:
    """Return the dialect without some clauses, or `None` if they contradict each other or change nothing."""
    settings: dict[str, object] = {}
    for clause in clauses:
        if settings.keys() & clause.settings.keys():
            return None
        changed = {name: value for name, value in clause.settings.items() if getattr(dialect, name) != value}
        if clause.settings and not changed:
            return None
        settings |= clause.settings
    try:
        return dialect.replace(**settings) if settings else dialect
    except InvalidArgument:  # settings that do not fit each other
        return None
