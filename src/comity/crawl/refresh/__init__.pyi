# Written by tools/faces.py.
from .replaced import remove_replaced
from .summary import RefreshSummary, VisitedPage

__all__ = [
    "RefreshSummary",
    "VisitedPage",
    "remove_replaced",
]
