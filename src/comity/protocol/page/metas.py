"""A page -> its META tags that have a name, for whoever reads others than the robots rules."""

from collections.abc import Iterator

from ..value import Value
from .encoding import decoded
from .markup import elements

__all__ = ["Meta", "metas"]


class Meta(Value):
    """A META tag: its name in lower case, its content as written, and its line."""

    __slots__ = ("name", "content", "line")
    name: str
    content: str
    line: int | None


def metas(html: bytes | str, content_type: str | None = None) -> Iterator[Meta]:
    r"""Give the META tags of a page that have a name, wherever they stand, in order.

    `content_type` is the value of the `Content-Type` field, which may name the encoding of `bytes`. Nothing
    that a page holds raises.

    >>> list(metas(b'<head>\n<META NAME="tdm-reservation" CONTENT="1">'))
    [Meta(name='tdm-reservation', content='1', line=2)]
    """
    for element in elements(decoded(html, content_type)):
        name = element.attributes.get("name")
        if element.tag == "meta" and name is not None:
            yield Meta(name.strip().lower(), element.attributes.get("content", ""), element.line)
