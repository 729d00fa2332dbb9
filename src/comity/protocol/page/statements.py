"""META tags and header fields -> statements: which rule is spoken, to whom, where, and whether it counts."""

from collections.abc import Iterable, Iterator
from enum import Enum

from ..robotstxt.verdict import printable
from ..value import Value
from .dates import iso_of
from .rules import ALL_ROBOTS, GRANTS, LIMITS, Spoken, is_known, rules_in, scoped_rules_in, strictness

__all__ = ["KEPT", "Standing", "Statement", "gathered", "of_headers", "of_meta"]

#: So many statements are kept whatever they say; after them, only those that change an answer.
KEPT = 1000

#: Statements quote so much of what was written.
_QUOTED = 200

#: Robots whose names do not show that they are any.
_ROBOTS = frozenset(("slurp", "teoma", "yandex", "google", "bing", "baidu"))


class Standing(Enum):
    """Whether a statement counts, and if not, why; the value says it in words."""

    APPLIES = "it applies"
    OVERRULED = "another statement overrules it"
    OTHER_ROBOT = "it is for another robot"
    OWN_LIST = "the same field has a list for this robot"
    META_ONLY = "Yandex reads it only in META tags"
    UNKNOWN = "it is not a known rule"
    INVALID = "its value cannot be read"
    NEEDS_NOINDEX = "it has no effect without noindex"
    NOT_DUE = "its date has not come yet"
    TIME_UNKNOWN = "the current time is not known"

    def __repr__(self) -> str:
        return f"Standing.{self.name}"

    @property
    def code(self) -> str:
        """The name as it is written in JSON and tables: "other-robot"."""
        return self.name.lower().replace("_", "-")


class Statement(Value):
    """One rule that a page or its response states.

    `rule` is in lower case; `value` is what it takes: characters for `max-snippet`, seconds for
    `max-video-preview` (-1 is any number), "none", "standard" or "large" for `max-image-preview`, seconds
    since 1970 for `unavailable_after`, else `None`. `agent` is the robot that it speaks to, in lower case,
    or `*`. `field` is "meta", "X-Robots-Tag" or "Robots-Tag", `text` its content as written (its first 200
    characters), `line` the line of the tag, `None` for a header or where the parser knows no lines.
    `standing` says whether it counts.
    """

    __slots__ = ("rule", "value", "agent", "field", "text", "line", "standing")
    rule: str
    value: int | float | str | None
    agent: str
    field: str
    text: str
    line: int | None
    standing: Standing

    @property
    def source(self) -> str:
        """Where it stands: "meta robots, line 3" or "X-Robots-Tag: googlebot: noindex"."""
        if self.field != "meta":
            return printable(f"{self.field}: {self.text}")
        name = "robots" if self.agent == ALL_ROBOTS else self.agent
        return printable(f"meta {name}" + ("" if self.line is None else f", line {self.line}"))

    def __str__(self) -> str:
        value = iso_of(self.value) if isinstance(self.value, float) else self.value
        return printable(self.rule if value is None else f"{self.rule}: {value}")


def of_meta(name: str, content: str, line: int | None, names: frozenset[str]) -> Iterator[Statement]:
    """Give the statements of a META tag; none if it is not meant for robots.

    `names` are those of the robot that asks, in lower case. A tag without content says `all` (robotstxt.org).
    """
    name = name.strip().lower()
    if name == "robots":
        agent, standing = ALL_ROBOTS, Standing.APPLIES
    elif _robot(name) in names:
        agent, standing = name, Standing.APPLIES
    elif name in _ROBOTS or any(kind in name for kind in ("bot", "crawl", "spider")):
        agent, standing = name[:_QUOTED], Standing.OTHER_ROBOT
    else:
        return
    text = content[:_QUOTED]
    for spoken in rules_in(content):
        yield _statement(spoken, agent, "meta", text, line, standing, False)


def of_headers(fields: Iterable[tuple[str, str]], names: frozenset[str], yandex: bool) -> Iterator[Statement]:
    """Give the statements of the header fields, line by line, the proposed `Robots-Tag` last."""
    proposed: list[str] = []
    for field, value in fields:
        match field:
            case "x-robots-tag":
                text = value[:_QUOTED]
                for scope, spoken in scoped_rules_in(value):
                    known = scope in (ALL_ROBOTS, "robots") or _robot(scope) in names
                    standing = Standing.APPLIES if known else Standing.OTHER_ROBOT
                    yield _statement(spoken, scope[:_QUOTED], "X-Robots-Tag", text, None, standing, yandex)
            case "robots-tag":
                proposed.append(value)
    if proposed:
        yield from _of_robots_tag(proposed, names, yandex)


def gathered(spoken: Iterable[Statement]) -> tuple[tuple[Statement, ...], int]:
    """Keep the first statements, and of the rest what may change an answer; count those left out.

    The first of each rule that applies is enough, or of a limit the strictest.
    """
    kept: list[Statement] = []
    late: dict[str, Statement] = {}
    omitted = 0
    for statement in spoken:
        if len(kept) < KEPT:
            kept.append(statement)
            continue
        omitted += 1
        if statement.standing is Standing.APPLIES:
            known = late.setdefault(statement.rule, statement)
            if strictness(statement.rule, statement.value) < strictness(known.rule, known.value):
                late[statement.rule] = statement
    return (*kept, *late.values()), omitted - len(late)


def _of_robots_tag(values: list[str], names: frozenset[str], yandex: bool) -> Iterator[Statement]:
    """Read `Robots-Tag` (draft-illyes-repext-00): a list with semicolons of `token=rules`.

    Whoever has an entry, were it empty, is not meant by those for all.
    """
    entries = []
    for value in values:
        for entry in filter(str.strip, value.split(";")):
            token, equals, rules = entry.partition("=")
            agent = token.strip().lower() if equals else ALL_ROBOTS
            entries.append((agent, rules if equals else entry, value[:_QUOTED]))
    named = any(_robot(agent) in names for agent, _, _ in entries if agent != ALL_ROBOTS)
    for agent, rules, text in entries:
        if agent == ALL_ROBOTS:
            standing = Standing.OWN_LIST if named else Standing.APPLIES
        else:
            standing = Standing.APPLIES if _robot(agent) in names else Standing.OTHER_ROBOT
        for spoken in rules_in(rules):
            yield _statement(spoken, agent[:_QUOTED], "Robots-Tag", text, None, standing, yandex)


def _statement(
    spoken: Spoken,
    agent: str,
    field: str,
    text: str,
    line: int | None,
    standing: Standing,
    yandex_header: bool,
) -> Statement:
    rule, value = spoken
    if standing is Standing.APPLIES:
        if not is_known(rule):
            standing = Standing.UNKNOWN
        elif rule in LIMITS and value is None:
            standing = Standing.INVALID
        elif yandex_header and (rule in GRANTS or rule == "noyaca"):
            standing = Standing.META_ONLY
    return Statement(rule, value, agent, field, text, line, standing)


def _robot(name: str) -> str:
    """Give the name of a robot without the version that some write behind it."""
    return name.partition("/")[0].rstrip()
