# Written by tools/faces.py.
from .progress import Progress

__all__ = [
    "Progress",
]
