"""ACAP 1.0 and 1.1 records (2007, 2009) -> a table of their own, which does not change any verdict.

With ACAP, publishers wrote permissions into robots.txt with fields of its own. No large robot supported it.
The lines are returned as written, with their numbers. `ACAP-crawler` lines begin a group as `User-agent`
lines do, and the marker `##ACAP version=1.1` is a comment for every other parser.
"""

from collections.abc import Iterable

from ...text import to_text
from ...value import Value
from ..engine.lexer import Line
from ..engine.verdict import Field, Rule

_MARKER = b"##acap version="


class AcapGroup(Value):
    r"""A run of ACAP-crawler lines and the ACAP lines that follow.

    `crawlers` are the names of the robots, and `line` is the first line. The names of the `fields` are in
    lower case, their values as written.

    >>> import comity
    >>> comity.parse("ACAP-crawler: ABot\nACAP-disallow-crawl: /x").acap.groups[0].crawlers
    ('ABot',)
    """

    crawlers: tuple[str, ...]
    fields: tuple[Field, ...]
    line: int


class Acap(Value):
    r"""The ACAP fields of a file: the `version` of the marker line, or `None`, and the `groups`.

    >>> import comity
    >>> acap = comity.parse("##ACAP version=1.1\nACAP-crawler: *\nACAP-disallow-crawl: /x").acap
    >>> acap.version, acap.groups[0].crawlers, acap.groups[0].fields[0].value
    ('1.1', ('*',), '/x')
    """

    version: str | None
    groups: tuple[AcapGroup, ...]


class AcapRule(Rule):
    r"""An ACAP line that decides crawling for a robot which obeys ACAP.

    `allow`, `pattern` and `line` are as in other rules; `text` is the field and its value.

    >>> import comity
    >>> from comity.protocol.usage import AcapRules
    >>> robots = comity.parse("ACAP-crawler: *\nACAP-disallow-crawl: /x time-limit=1")
    >>> AcapRules(robots, agent="ABot").restricted(robots.check("/x", agent="ABot"), "/x").rule.text
    'ACAP-disallow-crawl: /x time-limit=1'
    """

    allow: bool
    pattern: str
    line: int
    text: str

    def __str__(self) -> str:
        return self.text


def acap_of(lines: Iterable[Line]) -> Acap:
    """Return the ACAP records; those before any ACAP-crawler line form a group without a crawler."""
    version: str | None = None
    groups: list[tuple[list[str], list[Field], int]] = []
    for line in lines:
        if line.field is None:
            if version is None and line.text.lower().startswith(_MARKER):
                version = to_text(line.text[len(_MARKER) :]).strip()
        elif line.field.startswith("acap-"):
            names = line.field == "acap-crawler"
            if not groups or (names and groups[-1][1]):
                groups.append(([], [], line.number))
            crawlers, fields, _ = groups[-1]
            if names:
                crawlers.append(to_text(line.value))
            else:
                fields.append(Field(line.field, to_text(line.value), line.number))
    return Acap(
        version, tuple(AcapGroup(tuple(names), tuple(fields), line) for names, fields, line in groups)
    )
