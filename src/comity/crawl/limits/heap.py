"""Keep the memory of all threads in one heap."""

import ctypes
import sys
from contextlib import suppress

#: The parameter `M_ARENA_MAX` of `mallopt` in the GNU C library: the maximum number of heaps.
_MAX_HEAPS = -8


def use_one_heap() -> None:
    """Make new threads use the heap of the process, on Linux with the GNU C library.

    Otherwise the thread that reads large pages has its own heap, which keeps the memory of freed texts: 50 MB
    after a large crawl. One heap costs no time, because Python runs one thread at a time.
    """
    if sys.platform == "linux":
        with suppress(AttributeError, OSError):  # another C library
            ctypes.CDLL(None).mallopt(_MAX_HEAPS, 1)
