"""The header fields of a response, as the HTTP libraries represent them."""

from collections.abc import Iterable
from typing import Protocol, TypeAlias

from ..errors import InvalidArgument


class HasItems(Protocol):
    """A mapping of header fields, such as those of requests, aiohttp and `http.client`."""

    def items(self) -> Iterable[tuple[object, object]]:
        """Return names with values."""


#: Header fields of a response: a mapping, or pairs. A value may be a list of values.
HeaderFields: TypeAlias = HasItems | Iterable[tuple[object, object]]


def header_fields(headers: HeaderFields) -> list[tuple[str, str]]:
    """Return header fields as pairs, with names in lower case.

    >>> header_fields({b"Retry-After": [b"5"]}), header_fields([("Date", "today")])
    ([('retry-after', '5')], [('date', 'today')])
    """
    pairs: Iterable[tuple[object, object]] = headers.items() if hasattr(headers, "items") else headers
    fields = []
    for name, values in pairs:
        for value in values if isinstance(values, list | tuple) else (values,):
            fields.append((_text(name).lower(), _text(value).strip()))
    return fields


def _text(part: object) -> str:
    if isinstance(part, bytes):
        return part.decode("latin-1")
    if isinstance(part, str):
        return part
    raise InvalidArgument(f"invalid header {part!r:.200}: expected str or bytes", name="headers")
