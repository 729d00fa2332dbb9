# Written by tools/faces.py.
from .layout import LIMIT, SPELLINGS, format_or_reason, tidy
from .line_diff import align, align_fixed, align_formatted, unified_diff

__all__ = [
    "LIMIT",
    "SPELLINGS",
    "align",
    "align_fixed",
    "align_formatted",
    "format_or_reason",
    "tidy",
    "unified_diff",
]
