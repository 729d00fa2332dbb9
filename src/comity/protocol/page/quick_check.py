"""The bytes of a page -> whether it certainly has no directives for a robot, without parsing its markup.

Most pages have no directives, and parsing a page to find that out takes long. So this searches the whole page
for the words that `statements.of_meta`, `usage.tdmrep` and `licenses` look for in tags.
"""

from collections.abc import Iterable

#: Words of META tags for all robots and for TDMRep, and of RSL's media type.
_NAMES = (b"robots", b"tdm-", b"rsl+xml")

#: Bytes that may hide a word. Numeric character references can encode ASCII letters; named ones cannot. Tags
#: in UTF-16 have NUL bytes; all other encodings of the WHATWG are compatible with ASCII.
_HIDING = (b"&#", b"\0")


def is_silent(html: bytes, names: Iterable[str], *words: bytes) -> bool:
    r"""Return whether a page certainly has no META tag for a robot with these names.

    `words`, in lower case, must not occur either. Without `b"nofollow"`, for example, no link has this `rel`.

    >>> is_silent(b"<meta name=author content=ROBOTS>", ["ExampleBot"])
    False
    >>> is_silent(b"<meta name=author content=me><a href=/ rel=nofollow>", ["ExampleBot"])
    True
    >>> is_silent(b"<meta name=author content=me><a href=/ rel=nofollow>", ["ExampleBot"], b"nofollow")
    False
    """
    for mark in _HIDING:  # loops, because generators take longer than these searches of a small page
        if mark in html:
            return False
    text = html.lower()
    for word in (*_NAMES, *words):
        if word in text:
            return False
    return not any(not name.isascii() or _meta_name(name) in text for name in names)


def _meta_name(name: str) -> bytes:
    """Return the text that a META tag for a robot contains: Google's robots read the name `google` too."""
    lower = name.lower().encode()
    return b"google" if lower.startswith(b"google") else lower
