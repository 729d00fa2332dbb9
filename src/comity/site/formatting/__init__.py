"""The canonical layout of robots.txt files."""

from ..._lazy import lazy

__getattr__, __dir__ = lazy(
    __name__,
    {
        ".layout": "LIMIT SPELLINGS format_or_reason tidy",
    },
)
