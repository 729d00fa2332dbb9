"""The canonical layout of robots.txt files."""

from ..._lazy import lazy

__getattr__, __dir__ = lazy(
    __name__,
    {
        ".line_diff": "align align_fixed align_formatted unified_diff",
        ".layout": "LIMIT SPELLINGS format_or_reason tidy",
    },
)
