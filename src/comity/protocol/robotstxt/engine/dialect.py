"""The four dialects of robots.txt, as data that the other stages consult.

A dialect has one setting for each point on which the standards differ. The four named dialects contradict
each other on purpose; none is a compromise. For another dialect, change a setting of the nearest one:

    RFC9309.replace(name="strict", typos=False)
"""

from ...input_errors import InvalidArgument
from ...value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


#: The values of each setting that is not true or false.
_VALUES: "dict[str, tuple[str, ...]]" = {
    "agent_match": ("token", "google-token", "value-in-name", "name-in-value", "substring"),
    "precedence": ("longest", "first"),
    "escapes": ("rfc9309", "google", "draft1996", "none"),
    "empty_disallow": ("ignored", "allow"),
}


#: Maximum number of dialects with another `agent_match` that are kept.
_MAX_REMATCHED = 64


class Dialect(Value):
    """The settings for reading a robots.txt: immutable data without behaviour.

    - `name`: the name for `comity.parse(dialect=...)` and `comity check --dialect`
    - `allow`: whether `Allow` is a rule. The 1994 standard has only `Disallow`
    - `typos`: whether misspelt fields (`Disalow`) and missing colons are accepted, as Google accepts them
    - `prefixes`: whether a field counts that begins with a known name (`Disallowed:`)
    - `line_limit`: maximum number of bytes that are read of a line, or `None`
    - `nul_ends_line`: whether NUL ends the text of a line, as in a C string
    - `partial_bom`: whether the beginning of a UTF-8 byte order mark (EF, EF BB) is skipped like a whole
      one
    - `blank_line_ends_group`: whether a blank line ends a group ("record")
    - `agent_match`: how a robot's name is compared with a `User-agent` value, without regard to case:
      "token" (equal to the product token), "google-token" (equal to the leading letters, `-` and `_`),
      "value-in-name" (contains the value without version), "name-in-value" (is part of the value), or
      "substring" (equal to the product token; if no value is, then "value-in-name" or "name-in-value")
    - `merges_named`: whether all groups that name the robot apply together, or only the first
    - `merges_default`: whether all `*` groups apply together, or only the first
    - `precedence`: which matching rule decides: the "longest" or the "first"
    - `wildcards`: whether `*` and a final `$` in a path pattern are special
    - `escapes`: how paths and patterns are made comparable: "rfc9309", "google", "draft1996" or "none"
    - `empty_disallow`: whether an empty `Disallow` is "ignored", or "allow"s every path that no earlier
      rule closed
    - `index_pages`: whether `Allow: /a/index.html` opens `/a/` too
    - `opens_robots_txt`: whether `/robots.txt` itself is always allowed

    >>> RFC9309.precedence, DRAFT1996.precedence
    ('longest', 'first')

    Raises `InvalidArgument` for a value that the setting cannot have, and `TypeError` for a `line_limit` that
    is true or false.
    """

    name: str
    allow: bool
    typos: bool
    prefixes: bool
    line_limit: int | None
    nul_ends_line: bool
    partial_bom: bool
    blank_line_ends_group: bool
    agent_match: str
    merges_named: bool
    merges_default: bool
    precedence: str
    wildcards: bool
    escapes: str
    empty_disallow: str
    index_pages: bool
    opens_robots_txt: bool

    if not TYPE_CHECKING:

        def __init__(self, *values: "Any", **named: "Any") -> None:
            super().__init__(*values, **named)
            for setting in self.__slots__:
                value = getattr(self, setting)
                allowed = _VALUES.get(setting)
                if allowed is not None and value not in allowed:
                    raise InvalidArgument.unknown(setting, value, allowed)
                if allowed is None and setting not in ("name", "line_limit") and not isinstance(value, bool):
                    raise InvalidArgument.unknown(setting, value, ("True", "False"))
            limit = self.line_limit
            if isinstance(limit, bool):
                raise TypeError("line_limit: expected an int or None, not bool")
            if limit is not None and (not isinstance(limit, int) or limit < 1):
                raise InvalidArgument(
                    f"invalid line_limit {limit!r}: expected a number of bytes, at least 1, or None",
                    name="line_limit",
                )
            # Both of these ways to read escapes fit only one setting of wildcards.
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
    agent_match="token",
    merges_named=True,
    merges_default=True,
    precedence="longest",
    wildcards=True,
    escapes="rfc9309",
    empty_disallow="ignored",
    index_pages=False,
    opens_robots_txt=True,
)

#: Google's published parser (github.com/google/robotstxt), with its deviations.
GOOGLE = RFC9309.replace(
    name="google",
    prefixes=True,
    line_limit=16_663,  # 2,083 bytes, the longest URL of old browsers, times 8, less a NUL
    nul_ends_line=True,
    partial_bom=True,
    agent_match="google-token",
    escapes="google",
    index_pages=True,
    opens_robots_txt=False,  # Google's crawlers make this exception, their parser does not
)

#: draft-koster-robots-00 (1996): `Allow`, file order, and escapes decoded before comparing.
DRAFT1996 = RFC9309.replace(
    name="draft1996",
    typos=False,
    blank_line_ends_group=True,
    agent_match="name-in-value",
    merges_named=False,
    merges_default=False,
    precedence="first",
    wildcards=False,
    escapes="draft1996",
    empty_disallow="allow",
)

#: "A Standard for Robot Exclusion" (1994): `Disallow` only, plain prefixes.
STANDARD1994 = DRAFT1996.replace(
    name="1994", allow=False, agent_match="value-in-name", merges_default=True, escapes="none"
)

#: All dialects, by name.
DIALECTS = {dialect.name: dialect for dialect in (RFC9309, GOOGLE, DRAFT1996, STANDARD1994)}


#: The ways to compare a robot's name with a `User-agent` value.
AGENT_MATCHES = _VALUES["agent_match"]

#: The dialects with another `agent_match`, so that the same arguments always give the same object: the
#: engine finds its settings by identity.
_rematched: dict[tuple[Dialect, str], Dialect] = {}


def dialect_named(dialect: str | Dialect, agent_match: str | None = None) -> Dialect:
    """Return the dialect with this name; a `Dialect` is returned as it is.

    `agent_match` replaces the setting of that name; None keeps the dialect's own.

    >>> dialect_named("1994") is STANDARD1994
    True
    >>> dialect_named("rfc9309", "substring").agent_match
    'substring'

    Raises `InvalidArgument` for any other name, and for an unknown `agent_match`.
    """
    found = DIALECTS.get(dialect) if isinstance(dialect, str) else dialect
    if not isinstance(found, Dialect):
        raise InvalidArgument.unknown("dialect", dialect, DIALECTS)
    if agent_match is None or agent_match == found.agent_match:
        return found
    if agent_match not in AGENT_MATCHES:
        raise InvalidArgument.unknown("agent_match", agent_match, AGENT_MATCHES)
    known = _rematched.get((found, agent_match))
    if known is None:
        if len(_rematched) >= _MAX_REMATCHED:
            _rematched.clear()
        # Another thread may have added the same dialect, or may clear the dict at any time.
        known = _rematched.setdefault((found, agent_match), found.replace(agent_match=agent_match))
    return known
