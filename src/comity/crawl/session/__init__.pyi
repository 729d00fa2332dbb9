# Written by tools/faces.py.
from .cookie_file import file_cookies

__all__ = [
    "file_cookies",
]
