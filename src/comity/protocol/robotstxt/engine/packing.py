"""Groups of raw records <-> the bytes in which the compiled engine holds them.

There are four native 32-bit numbers for each record, and then the text that they refer to: where the value
begins and ends in the text, the line, and the kind. A header of the same size comes first: the number of
records, and the length of the text.
"""

from array import array
from collections.abc import Sequence
from struct import Struct
from sys import byteorder

from . import lexer
from .grammar import GROUP_FIELDS
from .groups import RawGroup, Record, grouped

#: The kinds of records, in the order of their numbers. The first three make up groups.
KINDS = ("disallow", "allow", "user-agent", *GROUP_FIELDS, "sitemap", "host", "clean-param", lexer.BLANK)

#: A flag of the kind of the first record of each group.
BEGINS_GROUP = 0x100

#: Maximum number of records.
MOST_ENTRIES = 0x7FFFFFFF

_NUMBER, _ENTRY = Struct("I"), Struct("4I")

#: The place of the lowest byte of the kind in a record, and the values that this byte has in rules and
#: `User-agent` lines.
_KIND_AT = 12 if byteorder == "little" else 15
_NO_FIELDS = bytes(range(3))


def packed_groups(groups: Sequence[RawGroup]) -> bytes:
    """Pack groups, such as those from a pickle. Raises an error for records that the lexer cannot create."""
    # Nothing is trusted: each record is read once, because it could be a list that changes.
    texts: list[bytes] = []
    numbers = array("I", (0, 0, 0, 0))
    size = 0
    for group in groups:
        flag = BEGINS_GROUP
        for line, name, value in sorted(
            [*group.agents, *group.rules, *(field for field, _, _ in group.fields)]
        ):
            if type(value) is not bytes:
                raise TypeError(f"the value of a field is bytes, not {type(value).__name__}")
            numbers.extend((size, size + len(value), line, KINDS.index(name) | flag))
            texts.append(value)
            size += len(value)
            flag = 0
            if size > MOST_ENTRIES or len(texts) > MOST_ENTRIES:
                raise OverflowError("the compiled engine holds less than 2 GiB of rules")
    numbers[0], numbers[1] = len(texts), size
    return numbers.tobytes() + b"".join(texts)


def has_fields(packed: bytes) -> bool:
    """Return whether packed groups have other fields than rules, without unpacking them.

    >>> has_fields(packed_groups(()))
    False
    """
    (count,) = _NUMBER.unpack_from(packed)
    kinds = packed[_ENTRY.size + _KIND_AT : _ENTRY.size * (count + 1) : _ENTRY.size]
    return bool(kinds.translate(None, _NO_FIELDS))


def unpacked_groups(packed: bytes) -> tuple[RawGroup, ...]:
    """Return the groups that were packed."""
    (count,) = _NUMBER.unpack_from(packed)
    text = _ENTRY.size * (count + 1)
    groups: list[list[Record]] = []
    for start, end, line, kind in _ENTRY.iter_unpack(packed[_ENTRY.size : text]):
        if kind & BEGINS_GROUP:
            groups.append([])
        groups[-1].append((line, KINDS[kind & ~BEGINS_GROUP], packed[text + start : text + end]))
    return tuple([grouped(records)[0][0] for records in groups])
