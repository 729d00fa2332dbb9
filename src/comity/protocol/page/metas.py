"""Elements -> META tags with names."""

from ..value import Value
from .markup import Element


class Meta(Value):
    """A META tag: its name in lower case, its content as written, and its line."""

    name: str
    content: str
    line: int | None


def meta_of(element: Element) -> Meta | None:
    """Return an element as a META tag, or `None` if it is another element or has no name."""
    name = element.attributes.get("name")
    if element.tag != "meta" or name is None:
        return None
    return Meta(name.strip().lower(), element.attributes.get("content", ""), element.line)
