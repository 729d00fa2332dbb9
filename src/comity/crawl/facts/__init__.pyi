# Written by tools/faces.py.
from .link_log import FILE

__all__ = [
    "FILE",
]
