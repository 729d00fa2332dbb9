# Written by tools/faces.py.
from .engine import run
from .options import CrawlOptions
from .selection.scope import Scope

__all__ = [
    "CrawlOptions",
    "Scope",
    "run",
]
