"""Sort keys of URLs, for the look-up of pages in archives: the SURT form with the usual canonicalization.

The keys are those that pywb and cdxj-indexer make. URLs that differ in "www.", letter case, the order of
parameters or a session identifier have one key.
"""

import re
from collections.abc import Sequence
from urllib.parse import quote_from_bytes, unquote_to_bytes

#: Characters besides letters and digits that are not escaped.
_SAFE = "!\"$&'()*+,-./:;<=>?@[\\]^_`{|}~"

#: An escaped percent sign whose own percent sign is escaped, and so on.
_REPEATED = re.compile(rb"%(?:25)+")

_WWW = re.compile(rb"www[0-9]*\.")

#: Session identifiers in the path, those of ASP.NET; of each kind the last one is removed.
_PATH_SESSIONS = [
    re.compile(rb"(.*/)\(" + pattern + rb"\)/(?=[^?]+\.aspx)")
    for pattern in (rb"(?:[a-z]\([0-9a-z]{24}\))+", rb"[0-9a-z]{24}")
]

#: Session identifiers in the query, likewise.
_QUERY_SESSIONS = [
    re.compile(rb"(.*)" + pattern + rb"(?:&|$)", re.IGNORECASE)
    for pattern in (
        rb"jsessionid=[0-9a-z]{32}",
        rb"phpsessid=[0-9a-z]{32}",
        rb"sid=[0-9a-z]{32}",
        rb"aspsessionid[a-z]{8}=[a-z]{24}",
        rb"cfid=[^&]+&cftoken=[^&]+",
    )
]


def sort_key(url: str) -> str:
    """Return the sort key of a URL in the form that a job stores.

    >>> sort_key("http://www.example.com:8080/Tea/?b=2&a=1")
    'com,example:8080)/tea?a=1&b=2'
    >>> sort_key("https://127.0.0.1/")
    '1,0,0,127)/'
    """
    rest = url.encode("utf-8", "surrogateescape").partition(b"://")[2]
    authority, _, target = rest.partition(b"/")
    path, _, query = target.partition(b"?")
    host, colon, port = _split_port(authority)
    host = b",".join(reversed(_WWW.sub(b"", host, count=1).split(b".")))
    return (
        host + colon + port + b")" + _path_key(b"/" + path) + (_query_key(query) if query else b"")
    ).decode()


def _split_port(authority: bytes) -> tuple[bytes, bytes, bytes]:
    """Return host, colon and port; an IPv6 address has no brackets."""
    if authority.startswith(b"["):
        host, _, port = authority[1:].partition(b"]")
        return host, port[:1], port[1:]
    return authority.partition(b":")


def _path_key(path: bytes) -> bytes:
    kept: list[bytes] = []
    *folders, last = _unescaped(path).split(b"/")[1:]
    for part in (*folders, last):
        if part == b".." and kept:
            kept.pop()
        elif part != b".":
            kept.append(part)
    key = b"/" + b"/".join([*filter(None, kept[:-1]), *kept[-1:]])
    key = _without(_PATH_SESSIONS, _escaped(key).lower())
    return key[:-1] if key.endswith(b"/") and len(key) > 1 else key


def _query_key(query: bytes) -> bytes:
    query = _without(_QUERY_SESSIONS, _escaped(_unescaped(query)))
    if not query:
        return b""
    parameters = [tuple(parameter.split(b"=", 1)) for parameter in query.lower().split(b"&")]
    return b"?" + b"&".join(b"=".join(parameter) for parameter in sorted(parameters))


def _without(sessions: Sequence[re.Pattern[bytes]], text: bytes) -> bytes:
    for session in sessions:
        if found := session.match(text):
            text = found[1] + text[found.end() :]
    return text


def _unescaped(text: bytes) -> bytes:
    """Decode percent-escapes until none is left."""
    text = _REPEATED.sub(b"%", text)  # decoded one by one, a long series would take quadratic time
    while (decoded := unquote_to_bytes(text)) != text:
        text = decoded
    return text


def _escaped(text: bytes) -> bytes:
    return quote_from_bytes(text, safe=_SAFE).encode()
