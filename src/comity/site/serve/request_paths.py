"""A request, and a pattern of a header rule -> the texts that are compared.

Patterns are those of robots.txt (RFC 9309 2.2.2 and 2.2.3), with one difference. Most applications route by
the decoded path, so `/drafts%2Fplan` is the page `/drafts/plan`, and the rules for that page must match both
spellings. So escapes are decoded in the path and in the pattern, except those of `*`, `$`, `?`, `#` and `%`,
whose decoded form has another meaning. WSGI knows only the decoded path, and so WSGI and ASGI agree. The
query is compared as in robots.txt.
"""

from ...protocol import RESERVED, pattern_reader, rewritten, to_bytes
from ...protocol.robotstxt import RFC9309

_read = pattern_reader(RFC9309)

#: The escapes that are decoded in addition to those of robots.txt.
_DECODED = {f"{byte:02X}": chr(byte) for byte in RESERVED - frozenset(b"*$?#")}

_HEX = frozenset("0123456789ABCDEF")


def split_target(path: bytes) -> tuple[str, bytes]:
    """Return the host and the path of a request target in absolute form (RFC 9112 3.2.2).

    Proxies send this form, and some servers pass it on as the path. The host is empty for any other target.

    >>> split_target(b"http://example.com:8080/a"), split_target(b"/a"), split_target(b"http://example.com")
    (('example.com:8080', b'/a'), ('', b'/a'), ('example.com', b'/'))
    """
    if not path[:8].lower().startswith((b"http://", b"https://")):
        return "", path
    authority, slash, rest = path.partition(b"://")[2].partition(b"/")
    return authority.rpartition(b"@")[2].decode("latin-1"), slash + rest or b"/"


def comparable_path(path: bytes, query: bytes) -> str:
    r"""Return a decoded path and an undecoded query in the form that is compared with patterns.

    >>> comparable_path(b"/caf\xc3\xa9/50%", b"q=*")
    '/caf%C3%A9/50%25?q=%2A'
    """
    path = path.replace(b"%", b"%25").replace(b"?", b"%3F")
    whole = path + b"?" + query if query else path
    return rewritten(whole.replace(b"#", b"%23"))


def comparable_pattern(pattern: str) -> str:
    """Return a pattern in the form that is compared with paths.

    >>> comparable_pattern("/caf\u00e9/a%2Fb%2a*%2f$")
    '/caf%C3%A9/a/b%2A*/$'
    """
    path, mark, query = _read(to_bytes(pattern)).partition("?")
    first, *rest = path.split("%")
    written = [first]
    for piece in rest:
        pair = piece[:2]
        if pair in _DECODED:
            written += _DECODED[pair], piece[2:]
        elif len(pair) == 2 and _HEX.issuperset(pair):
            written += "%", piece
        else:
            written += "%25", piece  # not an escape, so a decoded path has it too
    return "".join(written) + mark + query
