# Written by tools/faces.py.
from .layout import LIMIT, SPELLINGS, format_or_reason, tidy

__all__ = [
    "LIMIT",
    "SPELLINGS",
    "format_or_reason",
    "tidy",
]
