"""Building one robots.txt from a plan and the fragments of several owners."""

from ..._lazy import lazy

__getattr__, __dir__ = lazy(
    __name__,
    {
        ".build": "build_each build_one",
        ".group": "ALL_ROBOTS",
        ".sources": "FOLDER Sources parse_plan",
    },
)
