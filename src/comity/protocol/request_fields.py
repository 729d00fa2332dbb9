"""Header fields of a request -> the problem if one of them names another URL than the request has.

Servers read the host of a request from `Host`, and some replace the host or the path by other fields. With
such a field, a request would be judged by one URL and answered with another.
"""

import re
from functools import lru_cache
from string import ascii_lowercase, ascii_uppercase

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

#: Fields that replace the path (nginx, IIS, Symfony) or the host of a request on some servers.
_PATH_FIELDS = frozenset((b"x-original-uri", b"x-original-url", b"x-rewrite-url"))
_HOST_FIELDS = frozenset(
    (
        b"host",
        b"x-forwarded-host",
        b"x-forwarded-server",  # Jetty
        b"x-host",
        b"x-http-host-override",
        b"x-original-host",
        b"x-real-host",
    )
)

#: All fields that are checked.
_CHECKED_FIELDS = _PATH_FIELDS | _HOST_FIELDS | {b"forwarded"}

#: Lower case for names of fields. An underscore is a hyphen to CGI variables (RFC 3875 4.1.18).
_LOWER = bytes.maketrans(ascii_uppercase.encode() + b"_", ascii_lowercase.encode() + b"-")

#: The spaces that HTTP/2 libraries strip from a name, so that it is the name of another field.
_SPACES = b" \t\r\n\v\f"

#: Those that few requests have, and the signs by which a name could stand for one of them.
_RARE_FIELDS = _CHECKED_FIELDS - {b"host"}
_ODD = b"_ \t\r\v\f"

#: A host in the Forwarded field (RFC 7239 4), which may be quoted.
_FORWARDED_HOST = re.compile(rb'(?:^|[;,])\s*host\s*=\s*("(?:[^"\\]|\\.)*"|[^\s;,]*)', re.IGNORECASE)


@lru_cache(256)  # the requests of a client have the same fields
def plain_fields(names: "tuple[bytes, ...]") -> "frozenset[bytes] | None":
    """Return the names of fields in lower case if none but Host needs a look, as in almost all requests.

    Return None if one does, or if two names differ in case only.

    >>> plain_fields((b"Host", b"X_Host")), plain_fields((b"Host",))
    (None, frozenset({b'host'}))
    """
    fields = frozenset([name.lower() for name in names])
    joined = b"\n".join((b"", *fields))
    is_usual = b"\n:" not in joined and joined.count(b"\n") == len(names)  # no name twice, and no line end
    if is_usual and len(joined.translate(None, _ODD)) == len(joined) and _RARE_FIELDS.isdisjoint(fields):
        return fields
    return None


def replacing_field(
    fields: "Iterable[tuple[bytes, bytes]]", host: str, is_own: "Callable[[bytes], bool]"
) -> str | None:
    """Return the problem with the first field that would replace a part of the URL; None if there is none.

    `host` is the host of the URL, for the message. `is_own` returns whether a value in lower case names it.

    >>> replacing_field([(b"Host", b"example.org")], "example.com", lambda value: value == b"example.com")
    "invalid header Host 'example.org': the URL has the host 'example.com'"
    """
    for raw, value in fields:
        field = raw.translate(_LOWER, _SPACES)
        if len(field) != len(raw):
            return f"invalid header {raw!r:.200}: a name has no spaces"
        if field not in _CHECKED_FIELDS and not field.startswith(b":"):
            continue
        name = raw.decode("latin-1")
        if field in _PATH_FIELDS or field.startswith(b":"):
            return f"invalid header {name}: it would replace a part of the URL; request that URL instead"
        hosts: list[bytes] = [value]
        if field == b"forwarded":
            hosts = [each.strip(b'"') for each in _FORWARDED_HOST.findall(value)]
        if not all(is_own(each.strip().lower()) for each in hosts):
            return f"invalid header {name} {value.decode('latin-1')!r:.200}: the URL has the host {host!r}"
    return None
