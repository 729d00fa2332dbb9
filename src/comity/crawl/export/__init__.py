"""The results of a crawl as tables for other programs."""

from ..._lazy import lazy

__getattr__, __dir__ = lazy(
    __name__,
    {
        ".extraction": "Extraction",
        ".tables": "write_tables",
        ".text": "TextSummary write_text",
    },
)
