"""The meaning of a robots.txt body in each dialect, without its layout.

`meaning` is stricter than a comparison of verdicts. Bodies of equal meaning have the same groups, in the same
order, with the same bytes in each name, rule and field. So no robot gets another answer for any URL.
`meaning_without_repeats` serves edits that remove repeated lines: it has the same groups, but ignores the
second of two equal lines of a group.
"""

from collections.abc import Iterable, Sequence

from ...protocol.robotstxt import engine
from ...protocol.robotstxt.document import parse
from ...protocol.robotstxt.engine.dialect import DIALECTS, Dialect
from ...protocol.robotstxt.engine.groups import RawGroup, Record

_RULES = ("allow", "disallow")


def meaning(body: bytes, dialect: Dialect) -> tuple[object, ...]:
    r"""Return the content of a body in a dialect, without line numbers, for comparison.

    >>> from comity.protocol.robotstxt import RFC9309, STANDARD1994
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
                _without_lines(group.agents),
                _without_lines(group.rules),
                # A field applies to some of the group's User-agent lines, which is part of its meaning.
                [(name, value, first, end) for (_, name, value), first, end in group.fields],
            )
            for group in reading.groups
        ],
        _without_lines(reading.whole_file),
        _without_lines(reading.strays),
    )


def same_meaning(one: bytes, other: bytes) -> bool:
    r"""Return whether two bodies mean the same in every dialect.

    >>> same_meaning(b"user-agent:*\rdisallow:/x", b"User-agent: *\nDisallow: /x\n")
    True
    >>> same_meaning(b"User-agent: *\nDisalow: /x", b"User-agent: *\nDisallow: /x")
    False
    """
    if one == other:
        return True
    return _acap_version(one) == _acap_version(other) and all(
        meaning(one, dialect) == meaning(other, dialect) for dialect in DIALECTS.values()
    )


def meaning_without_repeats(body: bytes) -> tuple[object, ...]:
    r"""Return the meaning of a body in every dialect, without lines that have no effect, for comparison.

    A repeated name, rule or sitemap has no effect, and neither has a rule outside of a group.

    >>> once, twice = b"User-agent: *\nDisallow: /x\n", b"User-agent: *\nDisallow: /x\nDisallow: /x\n"
    >>> meaning_without_repeats(once) == meaning_without_repeats(twice), same_meaning(once, twice)
    (True, False)
    """
    return _acap_version(body), [_without_repeats(body, dialect) for dialect in DIALECTS.values()]


def repeated_lines(body: bytes) -> frozenset[int]:
    r"""Return the numbers of the lines that repeat another in each dialect that reads them.

    They are names and rules that their group already has, and sitemaps that the file already has.

    The dialect of 1994 does not read line 2 of this example, so line 3 repeats nothing there.

    >>> sorted(repeated_lines(b"User-agent: *\nDisalow: /x\nDisallow: /x\nDisallow: /x\n"))
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
                new.update(line for line, _, _ in group.agents)  # a field applies only to the names before it
        sitemaps = [record for record in reading.whole_file if record[1] == "sitemap"]
        read.update(line for line, _, _ in sitemaps)
        new |= _firsts(sitemaps)
    return frozenset(read - new)


def _firsts(records: Iterable[Record]) -> set[int]:
    """Return the lines of the records that repeat no earlier one."""
    seen: dict[tuple[str, bytes], int] = {}
    for line, field, value in records:
        seen.setdefault((field, value), line)
    return set(seen.values())


def _without_repeats(body: bytes, dialect: Dialect) -> tuple[object, ...]:
    reading = engine.Reading(body, dialect)
    return (
        [_group_without_repeats(group) for group in reading.groups],
        list(
            dict.fromkeys(record for record in _without_lines(reading.whole_file) if record[0] == "sitemap")
        ),
        [record for record in _without_lines(reading.whole_file) if record[0] != "sitemap"],
        [record for record in _without_lines(reading.strays) if record[0] not in _RULES],
    )


def _group_without_repeats(group: RawGroup) -> tuple[object, ...]:
    names = [name.lower() for name in group.names]
    all_names = frozenset(names)
    return (
        list(dict.fromkeys(names)),
        list(
            dict.fromkeys(_without_lines(group.rules))
        ),  # in order, because in some dialects the first match decides
        [
            (name, value, all_names if end - first == len(names) else frozenset(names[first:end]))
            for (_, name, value), first, end in group.fields
        ],
    )


def _without_lines(records: Sequence[Record]) -> list[tuple[str, bytes]]:
    return [(name, value) for _, name, value in records]


def _acap_version(body: bytes) -> str | None:
    """Return the version of ACAP, the only part of a comment that has a meaning."""
    return parse(body).acap.version if b"##acap" in body.lower() else None
