"""Conversion of the links of stored pages, for reading without the network."""

from ..._lazy import lazy

__getattr__, __dir__ = lazy(
    __name__,
    {
        ".mirror_pages": "convert_links",
    },
)
