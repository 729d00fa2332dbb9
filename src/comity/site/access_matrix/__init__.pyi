# Written by tools/faces.py.
from .matrix_table import PLAIN_SIGNS, SIGNS, WIDTH, notes, table_lines
from .userinfo import USERINFO, without_userinfo

__all__ = [
    "PLAIN_SIGNS",
    "SIGNS",
    "USERINFO",
    "WIDTH",
    "notes",
    "table_lines",
    "without_userinfo",
]
