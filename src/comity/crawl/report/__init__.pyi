# Written by tools/faces.py.
from .report_page import report
from .summary import BrokenLink, ClosingFacts
from .wording import LIMITS, OUTCOMES, outcome_count, outcome_label, page_count, size_label

__all__ = [
    "BrokenLink",
    "ClosingFacts",
    "LIMITS",
    "OUTCOMES",
    "outcome_count",
    "outcome_label",
    "page_count",
    "report",
    "size_label",
]
