# Written by tools/faces.py.
from .build import build_each, build_one
from .group import ALL_ROBOTS
from .sources import FOLDER, Sources, parse_plan

__all__ = [
    "ALL_ROBOTS",
    "FOLDER",
    "Sources",
    "build_each",
    "build_one",
    "parse_plan",
]
