"""The header fields of an HTTP response -> the few that Comity reads, as text (RFC 9110 5)."""

from collections.abc import Iterable, Iterator, Mapping
from typing import cast

from ..input_errors import InvalidArgument

#: Header fields as a client has them: pairs of name and value, names in any case and repeated, or a mapping.
Headers = Iterable[tuple[str | bytes, str | bytes]] | Mapping[str, str] | Mapping[bytes, bytes]

#: Fields with one value, or with all values if a client groups them.
_Pairs = Iterable[tuple[str | bytes, str | bytes | Iterable[str | bytes]]]

#: The fields that are read.
_READ = frozenset(
    (
        "age",
        "cache-control",
        "content-encoding",
        "content-length",
        "content-type",
        "date",
        "etag",
        "expires",
        "last-modified",
        "location",
        "retry-after",
        "transfer-encoding",
    )
)

#: Maximum length of a value, and maximum number of lines of one field; the rest is dropped and reported by
#: `lacks`.
_LENGTH, _LINES = 8192, 16


class HeaderFields:
    """The fields of one response, by name in lower case.

    >>> fields = HeaderFields([(b"Cache-Control", b"no-store"), ("cache-control", "max-age=60, private")])
    >>> fields.listed("cache-control"), fields.first("age")
    (['no-store', 'max-age=60', 'private'], None)
    """

    __slots__ = ("_dropped", "_values")

    def __init__(self, headers: Headers) -> None:
        """Collect the fields; bytes are decoded as UTF-8 if they are valid, else as ISO 8859-1."""
        values: dict[str, list[str]] = {}
        dropped: set[str] = set()
        for field, value in pairs_of(headers):
            if field not in _READ:
                continue
            if len(value) <= _LENGTH and len(values.get(field, ())) < _LINES:
                values.setdefault(field, []).append(_text(value).strip())
            else:
                dropped.add(field)
        self._values = values
        self._dropped = dropped

    def lacks(self, *names: str) -> str | None:
        """Return the first of some fields that has a value that was dropped, or `None`.

        >>> HeaderFields([("Content-Encoding", "gzip" + " " * 8192)]).lacks("etag", "content-encoding")
        'content-encoding'
        """
        return next((name for name in names if name in self._dropped), None)

    def first(self, name: str) -> str | None:
        """Return the first value of a field, or `None`."""
        values = self._values.get(name)
        return values[0] if values else None

    def listed(self, name: str) -> list[str]:
        """Return the parts of a field that is a list; its lines count as one (RFC 9110 5.3)."""
        parts = (part.strip() for value in self._values.get(name, ()) for part in value.split(","))
        return [part for part in parts if part]


def pairs_of(headers: Headers) -> Iterator[tuple[str, str | bytes]]:
    """Yield header fields one by one, with names in lower case.

    A mapping may have a list of values for a name. The headers of httpx are read line by line: in a joined
    value, the beginning of one line would also hold for the next.

    Raises `InvalidArgument` for any other value, such as a `str`.

    >>> list(pairs_of({"X-Robots-Tag": "noindex"})), list(pairs_of([(b"A", b"1"), ("a", "2")]))
    ([('x-robots-tag', 'noindex')], [('a', b'1'), ('a', '2')])
    """
    items = getattr(headers, "multi_items", None) or getattr(headers, "items", None)
    if items is None and not _is_list(headers):
        raise _invalid(headers)
    for pair in items() if items else cast(_Pairs, headers):
        if isinstance(pair, (str, bytes)) or len(pair) != 2:
            raise _invalid(pair)
        name, values = pair
        field = (name.decode("latin-1") if isinstance(name, bytes) else name).strip().lower()
        for value in (values,) if isinstance(values, (str, bytes)) else values:
            yield field, value


def _is_list(headers: object) -> bool:
    # `isinstance` of an abstract class costs more than all the rest.
    return type(headers) is list or (isinstance(headers, Iterable) and not isinstance(headers, (str, bytes)))


def _invalid(headers: object) -> InvalidArgument:
    return InvalidArgument(
        f"invalid headers {headers!r:.200}: expected a mapping, or pairs of name and value, "
        'such as [("X-Robots-Tag", "noindex")]',
        name="headers",
    )


def _text(value: str | bytes) -> str:
    try:
        # Clients decode text as ISO 8859-1, but servers mean UTF-8 more often.
        return (value.encode("latin-1") if isinstance(value, str) else value).decode()
    except UnicodeEncodeError:
        return value if isinstance(value, str) else ""
    except UnicodeDecodeError:
        return value if isinstance(value, str) else value.decode("latin-1")
