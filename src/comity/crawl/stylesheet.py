"""Style sheets -> the addresses of what they embed: images, fonts, and further sheets (CSS Syntax 3)."""

import re
from collections.abc import Iterator, Sequence
from typing import Any

from tinycss2 import parse_component_value_list  # type: ignore[import-untyped]

__all__ = ["LONGEST", "addresses_in"]

#: So many characters of a style sheet are read: each takes its time, and a hundred times its memory.
LONGEST = 1_000_000

#: What a sheet without addresses lacks; an escape may spell any of them.
_SAYS = re.compile(r"url\(|@import|image-set\(|\\", re.ASCII | re.IGNORECASE)

_IMAGE_SETS = ("image-set", "-webkit-image-set")


def addresses_in(css: str) -> Iterator[str]:
    """Give what a style sheet, or a `style` attribute, embeds, as it is written, in order.

    >>> list(addresses_in("@import 'a.css'; b { src: URL(c.png), image-set('d.png' 2x) } /* url(e) */"))
    ['a.css', 'c.png', 'd.png']
    """
    css = css[:LONGEST]
    if _SAYS.search(css):
        yield from _within(parse_component_value_list(css, skip_comments=True))


def _within(tokens: Sequence[Any]) -> Iterator[str]:
    """Give the addresses among tokens and in the blocks of them, however deep."""
    open_blocks = [(iter(tokens), "")]
    rule = ""  # the at-rule whose words these are
    while open_blocks:
        within, function = open_blocks[-1]
        token = next(within, None)
        if token is None:
            open_blocks.pop()
            continue
        kind = token.type
        if kind == "at-keyword":
            rule = token.lower_value
        elif kind == "{} block" or (kind == "literal" and token.value == ";"):
            rule = ""
        said = _said(token, kind, rule, function)
        if said:
            yield said
        if kind == "function":
            open_blocks.append((iter(token.arguments), token.lower_name))
        elif kind in ("{} block", "() block", "[] block"):
            open_blocks.append((iter(token.content), ""))


def _said(token: Any, kind: str, rule: str, function: str) -> str:
    """Give the address that a token is, if it is one: that of a namespace is a name, and `#a` is nearby."""
    embeds = kind == "url" or (
        kind == "string"
        and (function == "url" or function in _IMAGE_SETS or (rule == "import" and not function))
    )
    if not embeds or rule == "namespace" or token.value.startswith("#"):
        return ""
    return str(token.value)
