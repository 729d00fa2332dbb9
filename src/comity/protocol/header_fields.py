"""The header fields of an HTTP response -> the few that matter here, as text (RFC 9110 5)."""

from collections.abc import Iterable

__all__ = ["HeaderFields", "Headers"]

#: What a client has: pairs of name and value, in any case, any number of times.
Headers = Iterable[tuple[str | bytes, str | bytes]]

#: The fields that are read; no other is kept.
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

#: Longer values than this, and more lines of one field, are dropped.
_LENGTH, _LINES = 8192, 16


class HeaderFields:
    """The fields of one response, by name in lower case.

    >>> fields = HeaderFields([(b"Cache-Control", b"no-store"), ("cache-control", "max-age=60, private")])
    >>> fields.listed("cache-control"), fields.first("age")
    (['no-store', 'max-age=60', 'private'], None)
    """

    __slots__ = ("_values",)

    def __init__(self, headers: Headers) -> None:
        """Take the pairs; octets are read as UTF-8 if they are that, else as ISO 8859-1."""
        values: dict[str, list[str]] = {}
        for name, value in headers:
            field = (name.decode("latin-1") if isinstance(name, bytes) else name).strip().lower()
            if field in _READ and len(value) <= _LENGTH and len(values.get(field, ())) < _LINES:
                values.setdefault(field, []).append(_text(value).strip())
        self._values = values

    def first(self, name: str) -> str | None:
        """Give the value of a field that stands once; of several, the first."""
        values = self._values.get(name)
        return values[0] if values else None

    def listed(self, name: str) -> list[str]:
        """Give the parts of a field that is a list; its lines count as one (RFC 9110 5.3)."""
        parts = (part.strip() for value in self._values.get(name, ()) for part in value.split(","))
        return [part for part in parts if part]


def _text(value: str | bytes) -> str:
    try:
        # Clients that give text have read it as ISO 8859-1; what a server means is UTF-8 more often.
        return (value.encode("latin-1") if isinstance(value, str) else value).decode()
    except UnicodeEncodeError:
        return value if isinstance(value, str) else ""
    except UnicodeDecodeError:
        return value if isinstance(value, str) else value.decode("latin-1")
