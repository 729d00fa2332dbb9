"""Clocks, locks and threads, under the same names for async code and for code that runs in threads."""

from ..._lazy import lazy

__getattr__, __dir__ = lazy(
    __name__,
    {
        "._async": "Clock SystemClock",
        ".lease_owner": "has_ended identity",
    },
)
