# Written by tools/faces.py.
from .browser import BrowserUnavailable, find_browser, is_root

__all__ = [
    "BrowserUnavailable",
    "find_browser",
    "is_root",
]
