"""Find the URLs that a style sheet embeds: images, fonts, and imported sheets (CSS Syntax 3)."""

import re
from collections.abc import Iterator, Sequence
from typing import Any

from tinycss2 import parse_component_value_list  # type: ignore[import-untyped]

#: Maximum number of characters parsed: parsing needs about a hundred times their size in memory.
MAX_LENGTH = 1_000_000

#: Found in every sheet that embeds something; an escape can spell any of the words.
_MAY_EMBED = re.compile(r"url\(|@import|image-set\(|\\", re.ASCII | re.IGNORECASE)

_EMBEDS = re.compile(r"url\(|@import(?!\s*url\()", re.ASCII | re.IGNORECASE)

_IMAGE_SETS = ("image-set", "-webkit-image-set")


def urls_in(css: str) -> Iterator[str]:
    """Yield the URLs of a style sheet or `style` attribute as they are written, in order.

    >>> list(urls_in("@import 'a.css'; b { src: URL(c.png), image-set('d.png' 2x) } /* url(e) */"))
    ['a.css', 'c.png', 'd.png']
    """
    css = css[:MAX_LENGTH]
    if _MAY_EMBED.search(css):
        yield from _urls_of(parse_component_value_list(css, skip_comments=True))


def count_urls(css: str, start: int) -> int:
    """Return about how many URLs a style sheet has after some characters, without parsing it.

    >>> count_urls("a { src: url(b) } @import 'c'; d { src: url(e) }", 10)
    2
    """
    return sum(1 for _ in _EMBEDS.finditer(css, start)) if len(css) > start else 0


def _urls_of(tokens: Sequence[Any]) -> Iterator[str]:
    """Yield the URLs among tokens and in their blocks, at any depth."""
    open_blocks = [(iter(tokens), "")]
    rule = ""  # the current at-rule
    while open_blocks:
        block, function = open_blocks[-1]
        token = next(block, None)
        if token is None:
            open_blocks.pop()
            continue
        kind = token.type
        if kind == "at-keyword":
            rule = token.lower_value
        elif kind == "{} block" or (kind == "literal" and token.value == ";"):
            rule = ""
        url = _url_of(token, kind, rule, function)
        if url:
            yield url
        if kind == "function":
            open_blocks.append((iter(token.arguments), token.lower_name))
        elif kind in ("{} block", "() block", "[] block"):
            open_blocks.append((iter(token.content), ""))


def _url_of(token: Any, kind: str, rule: str, function: str) -> str:
    """Return the URL of a token, or an empty string. Namespaces and fragments such as `#a` do not count."""
    embeds = kind == "url" or (
        kind == "string"
        and (function == "url" or function in _IMAGE_SETS or (rule == "import" and not function))
    )
    if not embeds or rule == "namespace" or token.value.startswith("#"):
        return ""
    return str(token.value)
