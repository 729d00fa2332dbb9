"""A body -> what it means in each dialect, wherever its lines stand: two layouts of one file are equal.

This is finer than verdicts: bodies of one meaning have the same groups, in the same order, with the same
octets in each name, rule and field. So no question, by whatever robot for whatever URL, tells them apart.
`answers` is a little coarser, for edits that take away what is said twice: bodies with the same answers still
have the same groups, but the second of two equal lines of a group counts for nothing.
"""

from collections.abc import Iterable, Sequence

from ...protocol.robotstxt import engine
from ...protocol.robotstxt.dialect import DIALECTS, Dialect
from ...protocol.robotstxt.document import parse
from ...protocol.robotstxt.groups import RawGroup, Record

__all__ = ["answers", "meaning", "repeated", "same_meaning"]

_RULES = ("allow", "disallow")


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


def answers(body: bytes) -> tuple[object, ...]:
    r"""Give what decides the answers to robots in every dialect, to be compared.

    A name, a rule or a sitemap that is there already says nothing, and neither does a rule without a group.

    >>> once, twice = b"User-agent: *\nDisallow: /x\n", b"User-agent: *\nDisallow: /x\nDisallow: /x\n"
    >>> answers(once) == answers(twice), same_meaning(once, twice)
    (True, False)
    """
    return _acap_version(body), [_answers(body, dialect) for dialect in DIALECTS.values()]


def repeated(body: bytes) -> frozenset[int]:
    r"""Give the numbers of the lines that may go: each dialect that reads one has read the same before.

    They are names and rules that their group has, and sitemaps that the file has.

    >>> sorted(repeated(b"User-agent: *\nDisalow: /x\nDisallow: /x\nDisallow: /x\n"))  # 1994 needs line 3
    [4]
    """
    read: set[int] = set()
    new: set[int] = set()
    for dialect in DIALECTS.values():
        reading = engine.Reading(body, dialect)
        for group in reading.groups:
            read.update(line for line, _, _ in (*group.agents, *group.rules))
            new |= _firsts(group.rules)
            new |= _firsts([(line, field, value.lower()) for line, field, value in group.agents])
            if any((first, end) != (0, len(group.agents)) for _, first, end in group.fields):
                new.update(line for line, _, _ in group.agents)  # it matters which names a field comes after
        sitemaps = [record for record in reading.whole_file if record[1] == "sitemap"]
        read.update(line for line, _, _ in sitemaps)
        new |= _firsts(sitemaps)
    return frozenset(read - new)


def _firsts(records: Iterable[Record]) -> set[int]:
    """Give the lines of the records that are not there already."""
    seen: dict[tuple[str, bytes], int] = {}
    for line, field, value in records:
        seen.setdefault((field, value), line)
    return set(seen.values())


def _answers(body: bytes, dialect: Dialect) -> tuple[object, ...]:
    reading = engine.Reading(body, dialect)
    return (
        [_of_group(group) for group in reading.groups],
        list(dict.fromkeys(record for record in _said(reading.whole_file) if record[0] == "sitemap")),
        [record for record in _said(reading.whole_file) if record[0] != "sitemap"],
        [record for record in _said(reading.strays) if record[0] not in _RULES],
    )


def _of_group(group: RawGroup) -> tuple[object, ...]:
    names = [name.lower() for name in group.names]
    everybody = frozenset(names)
    return (
        list(dict.fromkeys(names)),
        list(dict.fromkeys(_said(group.rules))),  # in order, since the first decides for some
        [
            (name, value, everybody if end - first == len(names) else frozenset(names[first:end]))
            for (_, name, value), first, end in group.fields
        ],
    )


def _said(records: Sequence[Record]) -> list[tuple[str, bytes]]:
    return [(name, value) for _, name, value in records]


def _acap_version(body: bytes) -> str | None:
    """Give the version of ACAP, which stands in a comment; nothing else of a comment means anything."""
    return parse(body).acap.version if b"##acap" in body.lower() else None
