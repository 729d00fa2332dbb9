"""The links of a page, with what it says of each: `rel` (HTML 4.6.6), resolved against its base."""

from collections.abc import Iterable, Iterator
from urllib.parse import urljoin

from ..origin import is_scheme
from ..value import Value

__all__ = ["Anchor", "Link", "links_of"]

#: What is kept of a link: its address and its `rel` as written, and its line.
Anchor = tuple[str, str, int | None]

#: A link whose `rel` has one of these is not one that the page stands for.
_DISOWNED = frozenset(("nofollow", "ugc", "sponsored"))

#: A longer base is none: each link would have to repeat it.
_LONGEST_BASE = 2048

#: What browsers strip off an address, and what they take out of it (URL 4.4).
_AROUND = "".join(map(chr, range(33)))
_WITHIN = str.maketrans("", "", "\t\n\r")


class Link(Value):
    """A link: an `a` or `area` element with an address.

    `href` is the address as written, `url` the absolute URL that it stands for, `None` where there is
    nothing to resolve it against or it is no URL; any scheme may come. `rel` are its tokens in lower case.
    `line` is the line of the tag. `follow` is `False` where the link or the page says nofollow.
    """

    __slots__ = ("href", "url", "rel", "line", "follow")
    href: str
    url: str | None
    rel: tuple[str, ...]
    line: int | None
    follow: bool

    @property
    def endorsed(self) -> bool:
        """Whether the page stands for the link: it is to be followed, and neither ugc nor sponsored."""
        return self.follow and _DISOWNED.isdisjoint(self.rel)


def links_of(anchors: Iterable[Anchor], url: str | None, base: str | None, follow: bool) -> Iterator[Link]:
    """Give the links, resolved against the `base` of a page that is at `url`.

    >>> [link] = links_of([("../b", "UGC nofollow", 7)], "https://example.com/a/c/", None, True)
    >>> link
    Link(href='../b', url='https://example.com/a/b', rel=('ugc', 'nofollow'), line=7, follow=False)
    """
    start = url
    if base is not None:
        resolved = _resolved(url, base)
        # HTML 4.2.3: a base that is no URL, or holds its content itself, is ignored
        if resolved and not resolved.lower().startswith(("data:", "javascript:")):
            start = resolved
    if start is not None and len(start) > _LONGEST_BASE:
        start = None
    for href, rel, line in anchors:
        tokens = tuple(rel.lower().split())
        yield Link(href, _resolved(start, href), tokens, line, follow and "nofollow" not in tokens)


def _resolved(base: str | None, href: str) -> str | None:
    reference = href.strip(_AROUND).translate(_WITHIN)
    try:
        url = urljoin(base or "", reference)
    except ValueError:
        return None
    scheme, colon, _ = url.partition(":")
    return url if colon and is_scheme(scheme.lower()) else None
