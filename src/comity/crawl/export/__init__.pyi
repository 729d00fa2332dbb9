# Written by tools/faces.py.
from .extraction import Extraction
from .tables import write_tables
from .text import TextSummary, write_text

__all__ = [
    "Extraction",
    "TextSummary",
    "write_tables",
    "write_text",
]
