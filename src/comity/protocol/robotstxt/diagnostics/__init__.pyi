# Written by tools/faces.py.
from .diagnostic import KINDS
from .file import diagnose, foreign_format, is_file_name, is_html, is_utf16

__all__ = [
    "KINDS",
    "diagnose",
    "foreign_format",
    "is_file_name",
    "is_html",
    "is_utf16",
]
