"""An Arrow array of strings -> the buffers that hold them, so that no Python string is made of each.

pyarrow is never imported here: whoever has such an array has imported it already.
"""

from collections.abc import Iterator, Sequence

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["Strings", "is_arrow", "bytes_of", "strings_of"]

#: Some strings of an array: (octets, offsets into them, octets in an offset, validity bits or nothing,
#: place of the first string, how many). The buffers are the array's own, and are not to be trusted:
#: an array that was read from a file may point anywhere.
Strings = tuple[memoryview, memoryview, int, memoryview | None, int, int]

_WIDTHS = {"string": 4, "binary": 4, "large_string": 8, "large_binary": 8}

#: Other types of strings, by what their names begin with, which pyarrow makes one of the above.
_OTHERS = ("string_view", "binary_view", "dictionary<values=string", "dictionary<values=large_string")


def is_arrow(urls: object) -> bool:
    """Say whether something is an array of pyarrow, in one piece or in chunks."""
    return type(urls).__module__.partition(".")[0] == "pyarrow" and hasattr(urls, "type")


def strings_of(array: "Any") -> list[Strings]:
    """Take an array apart; raises `TypeError` if it is not one of strings or of octets."""
    kind = str(array.type)
    if kind not in _WIDTHS:
        if not kind.startswith(_OTHERS):
            raise TypeError(f"allowed_many takes Arrow arrays of strings, not of {kind}")
        kind = "large_binary" if "binary" in kind else "large_string"
        array = array.cast(kind)
    return [_strings(chunk, _WIDTHS[kind]) for chunk in getattr(array, "chunks", [array])]


def _strings(chunk: "Any", width: int) -> Strings:
    valid, offsets, data = chunk.buffers()
    octets, places = memoryview(data or b"").cast("B"), memoryview(offsets or b"").cast("B")
    bits = memoryview(valid).cast("B") if valid else None
    first, count = chunk.offset, len(chunk)
    if count and (len(places) < (first + count + 1) * width or (bits and len(bits) * 8 < first + count)):
        raise ValueError("the Arrow array is shorter than it says")
    return octets, places, width, bits, first, count


def bytes_of(strings: Strings) -> "Iterator[bytes | None]":
    """Give each string as octets, and `None` for a null; raises `ValueError` for one that is not there."""
    octets, offsets, width, valid, first, count = strings
    places: Sequence[int] = offsets[: len(offsets) // width * width].cast("i" if width == 4 else "q")
    for place in range(first, first + count):
        if valid and not valid[place >> 3] >> (place & 7) & 1:
            yield None
            continue
        start, end = places[place], places[place + 1]
        if not 0 <= start <= end <= len(octets):
            raise ValueError("the Arrow array points outside of its octets")
        yield bytes(octets[start:end])
