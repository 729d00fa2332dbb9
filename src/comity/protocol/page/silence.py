"""Octets of a page -> whether it surely says nothing to a robot, without reading its markup.

Most pages say nothing, and to find that out by their tags takes as long as to read them. What is looked for
are the words that `statements.of_meta` and `usage.tdmrep` go by, anywhere in the page: where none of them
stands, no tag has one.
"""

from collections.abc import Iterable

__all__ = ["is_silent"]

#: META tags of all robots, and of TDMRep.
_NAMES = (b"robots", b"tdm-")

#: What may hide a word: a character reference by number (no named one stands for an ASCII letter), and a NUL,
#: without which no tag is written in UTF-16, the one encoding of the WHATWG's in which ASCII is not ASCII.
_VEILS = (b"&#", b"\0")


def is_silent(html: bytes, names: Iterable[str], *words: bytes) -> bool:
    r"""Say whether no META tag of a page speaks to a robot of these names; `False` if that is not certain.

    `words`, in lower case, are others that must not stand there either, such as `b"nofollow"`, without which
    no link has it.

    >>> is_silent(b"<meta name=author content=ROBOTS>", ["ExampleBot"])
    False
    >>> is_silent(b"<meta name=author content=me><a href=/ rel=nofollow>", ["ExampleBot"])
    True
    >>> is_silent(b"<meta name=author content=me><a href=/ rel=nofollow>", ["ExampleBot"], b"nofollow")
    False
    """
    if any(veil in html for veil in _VEILS):
        return False
    said = html.lower()
    if any(word in said for word in (*_NAMES, *words)):
        return False
    return not any(not name.isascii() or name.lower().encode() in said for name in names)
