"""Limits of a crawl: types of bodies, bandwidth, time and sizes."""

from ..._lazy import lazy

__getattr__, __dir__ = lazy(
    __name__,
    {
        ".media": "MediaFilter",
    },
)
