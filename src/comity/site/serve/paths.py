"""A request, and a pattern of a header rule -> the octets that are compared.

Patterns are those of robots.txt (RFC 9309 2.2.2 and 2.2.3), with one difference. Applications route by the
decoded path, so that `/drafts%2Fplan` is the page `/drafts/plan` to most: what is said of that page
must be said of this spelling of it. So the escapes of a path are decoded on both sides, all but those of
`*`, `$`, `?`, `#` and `%`, which would mean something else; so do WSGI, which knows no
other path, and ASGI agree. The query is compared as robots.txt has it.
"""

from ...protocol.robotstxt.dialect import RFC9309
from ...protocol.robotstxt.grammar import RESERVED
from ...protocol.robotstxt.paths import pattern_reader, rewritten
from ...protocol.text import to_bytes

__all__ = ["comparable_path", "comparable_pattern"]

_read = pattern_reader(RFC9309)

#: The escapes that are decoded beyond those of robots.txt.
_DECODED = {f"{octet:02X}": chr(octet) for octet in RESERVED - frozenset(b"*$?#")}

_HEX = frozenset("0123456789ABCDEF")


def comparable_path(path: bytes, query: bytes) -> str:
    r"""Spell a decoded path and a query as they came so that patterns can be compared.

    >>> comparable_path(b"/caf\xc3\xa9/50%", b"q=*")
    '/caf%C3%A9/50%25?q=%2A'
    """
    path = path.replace(b"%", b"%25").replace(b"?", b"%3F")
    whole = path + b"?" + query if query else path
    return rewritten(whole.replace(b"#", b"%23"))


def comparable_pattern(pattern: str) -> str:
    """Spell a pattern so that paths can be compared with it.

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
            written += "%25", piece  # it begins no escape, so that it stays in a decoded path
    return "".join(written) + mark + query
