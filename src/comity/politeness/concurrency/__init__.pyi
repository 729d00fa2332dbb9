# Written by tools/faces.py.
from ._async import Clock, SystemClock
from .lease_owner import has_ended, identity

__all__ = [
    "Clock",
    "SystemClock",
    "has_ended",
    "identity",
]
