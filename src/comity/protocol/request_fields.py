"""Header fields of a request -> the problem if one of them would send, or name, another request.

Servers read the host of a request from `Host`, and some replace the host or the path by other fields. With
such a field, a request would be judged by one URL and answered with another. A line end in a value would
begin another field, or another request.
"""

import re
from functools import lru_cache
from string import ascii_lowercase, ascii_uppercase

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

#: A name of a field, or a method (RFC 9110 5.6.2).
TOKEN = re.compile(rb"[!#$%&'*+\-.^_`|~0-9A-Za-z]+")

#: A character that no value may have (RFC 9110 5.5). HTTP/2 libraries send it, and a proxy may pass it on.
BREAKS = re.compile(rb"[\r\n\0]")

#: Names of the fields that replace the path of a request on some servers, such as nginx, IIS, Envoy, Traefik
#: and Symfony, without hyphens. Each vendor has its own words, so all their combinations count.
_PATH_FIELD = re.compile(
    rb"(?:x|http|ms|arr|waws|envoy|proxy|forward(?:ed)?|orig(?:inal|inating)?|request|replaced?|rewrite|rewritten"
    rb"|overrid(?:e|den)|destination|unencoded|encoded|raw|full|real|base)*"
    rb"(?:url|uri|path|pathinfo|prefix)(?:overrid(?:e|den))?"
)

#: Names of the fields that replace its host; x-forwarded-server is one of Jetty.
_HOST_FIELD = re.compile(
    rb"(?:x|http|ms|envoy|forward(?:ed)?|orig(?:inal|inating)?|replaced?|rewrite|rewritten|overrid(?:e|den)|real)*"
    rb"(?:host(?:name)?|(?<=forwarded)server)(?:overrid(?:e|den))?"
)

#: Lower case for names of fields. An underscore is a hyphen to CGI variables (RFC 3875 4.1.18).
_LOWER = bytes.maketrans(ascii_uppercase.encode() + b"_", ascii_lowercase.encode() + b"-")

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
    if len(fields) == len(names) and all(name == b"host" or _is_plain(name) for name in fields):
        return fields
    return None


def _is_plain(name: bytes) -> bool:
    """Return whether a field has a valid name, and does not replace a part of the URL."""
    return TOKEN.fullmatch(name) is not None and _replaced(name.translate(_LOWER)) is None


def _replaced(field: bytes) -> str | None:
    """Return the part of the URL that a field replaces, by its name in lower case; None if it is another one.

    >>> _replaced(b"x-original-url"), _replaced(b"x-host-override"), _replaced(b"accept")
    ('path', 'host', None)
    """
    if field == b"forwarded":
        return "host"
    word = field.replace(b"-", b"")
    if _PATH_FIELD.fullmatch(word):
        return "path"
    return "host" if _HOST_FIELD.fullmatch(word) else None


def replacing_field(
    fields: "Iterable[tuple[bytes, bytes]]", host: str, is_own: "Callable[[bytes], bool]"
) -> str | None:
    """Return the problem with the first field that would send another request; None if there is none.

    `host` is the host of the URL, for the message. `is_own` returns whether a value in lower case names it.

    >>> replacing_field([(b"Host", b"example.org")], "example.com", lambda value: value == b"example.com")
    "invalid header Host 'example.org': the URL has the host 'example.com'"
    """
    for raw, value in fields:
        name, is_pseudo = raw.decode("latin-1"), raw.lstrip().startswith(b":")
        if not TOKEN.fullmatch(raw) and not is_pseudo:
            return (
                f"invalid header {raw!r:.200}: a name has letters, digits and signs such as -, and no spaces"
            )
        if BREAKS.search(value):
            return f"invalid header {name:.200}: its value has a line end or a NUL character"
        field = raw.translate(_LOWER)
        part = "path" if is_pseudo else _replaced(field)
        if part == "path":
            return f"invalid header {name}: it would replace a part of the URL; request that URL instead"
        hosts: list[bytes] = [value] if part == "host" else []
        if field == b"forwarded":
            hosts = [each.strip(b'"') for each in _FORWARDED_HOST.findall(value)]
        if not all(is_own(each.strip().lower()) for each in hosts):
            return f"invalid header {name} {value.decode('latin-1')!r:.200}: the URL has the host {host!r}"
    return None
