# Written by tools/faces.py.
from .mirror_pages import convert_links

__all__ = [
    "convert_links",
]
