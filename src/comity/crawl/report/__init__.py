"""The HTML report of a crawl, and the words that all reports share."""

from ..._lazy import lazy

__getattr__, __dir__ = lazy(
    __name__,
    {
        ".report_page": "report",
        ".summary": "BrokenLink ClosingFacts",
        ".wording": "LIMITS OUTCOMES outcome_count outcome_label page_count size_label",
    },
)
