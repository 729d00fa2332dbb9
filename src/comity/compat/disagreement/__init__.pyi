# Written by tools/faces.py.
from .comparison import Comparison, Disagreement, disagreements
from .parsers import PARSERS, missing_package

__all__ = [
    "Comparison",
    "Disagreement",
    "PARSERS",
    "disagreements",
    "missing_package",
]
