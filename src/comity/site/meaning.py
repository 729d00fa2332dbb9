"""A body -> what it means in each dialect, wherever its lines stand: two layouts of one file are equal.

This is finer than verdicts: bodies of one meaning have the same groups, in the same order, with the same
octets in each name, rule and field. So no question, by whatever robot for whatever URL, tells them apart.
"""

from collections.abc import Sequence

from ..protocol.robotstxt import engine
from ..protocol.robotstxt.dialect import DIALECTS, Dialect
from ..protocol.robotstxt.document import parse
from ..protocol.robotstxt.groups import Record

__all__ = ["meaning", "same_meaning"]


def meaning(body: bytes, dialect: Dialect) -> tuple[object, ...]:
    r"""Give all that a body says in a dialect, without line numbers, to be compared.

    >>> from comity import RFC9309, STANDARD1994
    >>> meaning(b"User-agent: *\nDisallow:/x", RFC9309) == meaning(b"user-agent:*\n\ndisallow: /x", RFC9309)
    True
    >>> meaning(b"User-agent: *\nDisallow:/x", STANDARD1994) == meaning(
    ...     b"user-agent:*\n\ndisallow: /x", STANDARD1994
    ... )
    False
    """
    reading = engine.Reading(body, dialect)
    return (
        [
            (
                _said(group.agents),
                _said(group.rules),
                # A field speaks to some of the group's User-agent lines, which is part of what it means.
                [(name, value, first, end) for (_, name, value), first, end in group.fields],
            )
            for group in reading.groups
        ],
        _said(reading.whole_file),
        _said(reading.strays),
    )


def same_meaning(one: bytes, other: bytes) -> bool:
    r"""Say whether two bodies mean the same in every dialect.

    >>> same_meaning(b"user-agent:*\rdisallow:/x", b"User-agent: *\nDisallow: /x\n")
    True
    >>> same_meaning(b"User-agent: *\nDisalow: /x", b"User-agent: *\nDisallow: /x")
    False
    """
    return _acap_version(one) == _acap_version(other) and all(
        meaning(one, dialect) == meaning(other, dialect) for dialect in DIALECTS.values()
    )


def _said(records: Sequence[Record]) -> list[tuple[str, bytes]]:
    return [(name, value) for _, name, value in records]


def _acap_version(body: bytes) -> str | None:
    """Give the version of ACAP, which stands in a comment; nothing else of a comment means anything."""
    return parse(body).acap.version if b"##acap" in body.lower() else None
