# Written by tools/faces.py.
from .media import MediaFilter

__all__ = [
    "MediaFilter",
]
