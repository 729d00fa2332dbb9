"""The four dialects of robots.txt, as data that the other stages consult.

A dialect is a set of answers, one for each point on which the standards differ. The four that have
names contradict each other on purpose: nothing here is a compromise between them. Whoever needs
another reading takes the nearest and replaces an answer:

    RFC9309.replace(name="strict", typos=False)
"""

from ...errors import InvalidArgument
from ..value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["DIALECTS", "DRAFT1996", "GOOGLE", "RFC9309", "STANDARD1994", "Dialect", "named"]


#: The answers that a question has, where they are not yes and no.
_ANSWERS = {
    "agents": ("token", "google-token", "value-in-name", "name-in-value"),
    "precedence": ("longest", "first"),
    "escapes": ("rfc9309", "google", "draft1996", "none"),
    "empty_disallow": ("ignored", "allow"),
}


class Dialect(Value):
    """One reading of robots.txt: frozen data, no behaviour.

    >>> RFC9309.precedence, DRAFT1996.precedence
    ('longest', 'first')

    Raises `InvalidArgument` for an answer that its question does not have.
    """

    __slots__ = (
        "name",
        "allow",
        "typos",
        "prefixes",
        "line_limit",
        "nul_ends_line",
        "partial_bom",
        "blank_line_ends_group",
        "usage_ends_header",
        "agents",
        "merges_named",
        "merges_default",
        "precedence",
        "wildcards",
        "escapes",
        "empty_disallow",
        "index_pages",
        "opens_robots_txt",
    )

    #: what `comity.parse(dialect=...)` and `comity check --dialect` call it
    name: str
    #: is `Allow` a rule? The 1994 standard has only `Disallow`.
    allow: bool
    #: are Google's misspelt fields (`Disalow`) and its missing colons accepted?
    typos: bool
    #: does a field count that merely begins with a known name (`Disallowed:`)?
    prefixes: bool
    #: octets of a line that are read; the rest of it is dropped. `None`: all.
    line_limit: int | None
    #: does NUL end the text of a line, as in a C string?
    nul_ends_line: bool
    #: is the beginning of a UTF-8 byte order mark (EF, EF BB) skipped as well as a whole one?
    partial_bom: bool
    #: does a blank line end a group ("record")?
    blank_line_ends_group: bool
    #: is `Content-Usage` a rule, so that it ends a run of `User-agent` lines?
    usage_ends_header: bool
    #: how a robot's name meets a `User-agent` value: "token", "google-token",
    #: "value-in-name" or "name-in-value"; see `selection`
    agents: str
    #: do all groups that name the robot apply together, or only the first?
    merges_named: bool
    #: do all `*` groups apply together, or only the first?
    merges_default: bool
    #: which matching rule decides: the "longest" or the "first"
    precedence: str
    #: are `*` and a final `$` in a path pattern special?
    wildcards: bool
    #: how paths and patterns are made comparable: "rfc9309", "google", "draft1996" or "none"
    escapes: str
    #: is an empty `Disallow` "ignored", or does it "allow" all that no earlier rule closed?
    empty_disallow: str
    #: does `Allow: /a/index.html` open `/a/` too?
    index_pages: bool
    #: is `/robots.txt` itself always allowed?
    opens_robots_txt: bool

    if not TYPE_CHECKING:

        def __init__(self, *values: "Any", **named: "Any") -> None:
            """Take an answer to each question."""
            super().__init__(*values, **named)
            for question in self.__slots__:
                answer = getattr(self, question)
                answers = _ANSWERS.get(question)
                if answers is not None and answer not in answers:
                    raise InvalidArgument.unknown(question, answer, answers)
                if (
                    answers is None
                    and question not in ("name", "line_limit")
                    and not isinstance(answer, bool)
                ):
                    raise InvalidArgument(
                        f"invalid {question} {answer!r}: expected True or False", name=question
                    )
            limit = self.line_limit
            if limit is not None and (not isinstance(limit, int) or limit < 1):
                raise InvalidArgument(
                    f"invalid line_limit {limit!r}: expected a number of bytes, at least 1, or None",
                    name="line_limit",
                )
            # Escapes are read so that wildcards and plain characters can be told apart, or are not.
            if self.wildcards != (self.escapes == "rfc9309") and self.escapes in ("rfc9309", "draft1996"):
                raise InvalidArgument(
                    f"invalid combination: wildcards={self.wildcards} and escapes={self.escapes!r}"
                )


#: RFC 9309 (2022), with the tolerance that its section 2.2.4 permits.
RFC9309 = Dialect(
    name="rfc9309",
    allow=True,
    typos=True,
    prefixes=False,
    line_limit=None,
    nul_ends_line=False,
    partial_bom=False,
    blank_line_ends_group=False,
    usage_ends_header=True,
    agents="token",
    merges_named=True,
    merges_default=True,
    precedence="longest",
    wildcards=True,
    escapes="rfc9309",
    empty_disallow="ignored",
    index_pages=False,
    opens_robots_txt=True,
)

#: As Google's published parser (github.com/google/robotstxt) answers, its oddities included.
GOOGLE = RFC9309.replace(
    name="google",
    prefixes=True,
    line_limit=16_663,  # 2,083 octets, the longest URL of old browsers, times 8, less a NUL
    nul_ends_line=True,
    partial_bom=True,
    usage_ends_header=False,
    agents="google-token",
    escapes="google",
    index_pages=True,
    opens_robots_txt=False,  # Google's crawlers know it, their parser does not
)

#: draft-koster-robots-00 (1996): `Allow`, file order, and escapes decoded before comparing.
DRAFT1996 = Dialect(
    name="draft1996",
    allow=True,
    typos=False,
    prefixes=False,
    line_limit=None,
    nul_ends_line=False,
    partial_bom=False,
    blank_line_ends_group=True,
    usage_ends_header=False,
    agents="name-in-value",
    merges_named=False,
    merges_default=False,
    precedence="first",
    wildcards=False,
    escapes="draft1996",
    empty_disallow="allow",
    index_pages=False,
    opens_robots_txt=True,
)

#: "A Standard for Robot Exclusion" (1994): `Disallow` only, plain prefixes.
STANDARD1994 = DRAFT1996.replace(
    name="1994",
    allow=False,
    agents="value-in-name",
    merges_default=True,
    escapes="none",
)

DIALECTS = {dialect.name: dialect for dialect in (RFC9309, GOOGLE, DRAFT1996, STANDARD1994)}


def named(dialect: str | Dialect) -> Dialect:
    """Give the dialect of that name, or the `Dialect` itself.

    >>> named("1994") is STANDARD1994
    True

    Raises `InvalidArgument` for any other name.
    """
    found = DIALECTS.get(dialect) if isinstance(dialect, str) else dialect
    if isinstance(found, Dialect):
        return found
    raise InvalidArgument.unknown("dialect", dialect, DIALECTS)
