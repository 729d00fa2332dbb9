"""An Arrow array of strings -> its buffers, so that no Python string has to be created for each.

pyarrow is never imported here: a caller with such an array has imported it already.
"""

from collections.abc import Iterator, Sequence

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

#: Some strings of an array: (bytes, offsets into them, width of an offset in bytes, validity bits or `None`,
#: index of the first string, number of strings). There are so many offsets and bits, but the offsets are not
#: trusted, because an array that was read from a file may point anywhere.
Strings = tuple[memoryview, memoryview, int, memoryview | None, int, int]

_WIDTHS = {"string": 4, "binary": 4, "large_string": 8, "large_binary": 8}

#: Other types of strings, by the beginning of their names, which pyarrow converts to one of the above.
_OTHERS = ("string_view", "binary_view", "dictionary<values=string", "dictionary<values=large_string")


def is_arrow(urls: object) -> bool:
    """Return whether an object is a pyarrow array, in one piece or in chunks."""
    return type(urls).__module__.partition(".")[0] == "pyarrow" and hasattr(urls, "type")


def strings_of(array: "Any") -> list[Strings]:
    """Return the buffers of an array; raise `TypeError` if it is not an array of strings or bytes."""
    kind = str(array.type)
    if kind not in _WIDTHS:
        if not kind.startswith(_OTHERS):
            raise TypeError(f"allowed_many takes Arrow arrays of strings, not of {kind}")
        kind = "large_binary" if "binary" in kind else "large_string"
        array = array.cast(kind)
    return [_strings(chunk, _WIDTHS[kind]) for chunk in getattr(array, "chunks", [array])]


def _strings(chunk: "Any", width: int) -> Strings:
    valid, offsets, content = chunk.buffers()
    data, places = memoryview(content or b"").cast("B"), memoryview(offsets or b"").cast("B")
    bits = memoryview(valid).cast("B") if valid else None
    first, count = int(chunk.offset), len(chunk)
    long_enough = (first + count + 1) * width <= len(places) and (not bits or first + count <= len(bits) * 8)
    if first < 0 or (count and not long_enough):
        raise ValueError("the Arrow array is shorter than it says")
    return data, places, width, bits, first, count


def bytes_of(strings: Strings) -> "Iterator[bytes | None]":
    """Yield each string as bytes, and `None` for a null; raise `ValueError` for one outside of its buffer."""
    data, offsets, width, valid, first, count = strings
    places: Sequence[int] = offsets[: len(offsets) // width * width].cast("i" if width == 4 else "q")
    for place in range(first, first + count):
        if valid and not valid[place >> 3] >> (place & 7) & 1:
            yield None
            continue
        start, end = places[place], places[place + 1]
        if not 0 <= start <= end <= len(data):
            raise ValueError("the Arrow array points outside of its buffer")
        yield bytes(data[start:end])
