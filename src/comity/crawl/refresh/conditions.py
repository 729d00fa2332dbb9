"""The conditional requests of a refresh, and the validators that they need (RFC 9110 8.8, 13.1)."""

import re
from typing import Protocol

from ...protocol import http_date
from ..job.entry import Entry

#: A valid ETag field. Others, such as `*`, have another meaning in If-None-Match, or none.
_ENTITY_TAG = re.compile(r'(?:W/)?"[\x21\x23-\x7e\x80-\xff]*"')

#: The header fields of a conditional request.
CONDITIONS = ("If-None-Match", "If-Modified-Since")

#: Maximum length of a stored validator in characters.
_MAX_LENGTH = 1000

#: Minimum age in seconds of a change whose time is exact: the page had no second change in that second.
_RESOLUTION = 1.0


class ResponseFields(Protocol):
    """The header fields of a response."""

    def get(self, key: str) -> bytes | None:
        """Return the last field of a name."""


def validators(fields: ResponseFields, now: float) -> dict[str, str | None]:
    """Return the validators of a response that a later request can send.

    A modification time of the last second is left out, because the page may change again in that second
    (RFC 9110 8.8.2.2). The server's own clock decides; `now` is used if it does not send its time.

    >>> known = {"ETag": b'W/"a1"', "Last-Modified": b"Sun, 06 Nov 1994 08:49:37 GMT"}
    >>> validators(known, 800000000.0)
    {'etag': 'W/"a1"', 'last_modified': 'Sun, 06 Nov 1994 08:49:37 GMT'}
    >>> validators({"ETag": b"*", "Last-Modified": b"yesterday"}, 800000000.0)
    {'etag': None, 'last_modified': None}
    """
    etag, modified, date = (
        (fields.get(name) or b"").decode("latin-1").strip() for name in ("ETag", "Last-Modified", "Date")
    )
    if len(etag) > _MAX_LENGTH or not _ENTITY_TAG.fullmatch(etag):
        etag = ""
    sent, changed = http_date(date, now), http_date(modified, now)
    if changed is None or changed > (now if sent is None else sent) - _RESOLUTION:
        modified = ""
    return {"etag": etag or None, "last_modified": modified or None}


def conditions(entry: Entry) -> dict[str, bytes]:
    """Return the header fields that ask for a page only if it differs from the stored copy."""
    earlier = entry.earlier
    if earlier is None:
        return {}
    values = earlier.etag, earlier.last_modified
    return {name: value.encode("latin-1") for name, value in zip(CONDITIONS, values, strict=True) if value}
