"""Elements -> META tags with names."""

from ..value import Value
from .markup import Element


class Meta(Value):
    """A META tag: its name in lower case, its content as written, and its line.

    `attribute` is the attribute that has the name: "name", or "property" or "http-equiv" if the tag has no
    `name`.
    """

    name: str
    content: str
    line: int | None
    attribute: str


def meta_of(element: Element) -> Meta | None:
    """Return an element as a META tag, or `None` if it is another element or has no name."""
    if element.tag == "meta":
        attributes = element.attributes
        for attribute in ("name", "property", "http-equiv"):
            name = attributes.get(attribute)
            if name is not None:
                return Meta(name.strip().lower(), attributes.get("content", ""), element.line, attribute)
    return None
