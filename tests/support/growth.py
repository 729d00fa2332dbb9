"""Large files, and a bound of the processor time that a step may take.

A test that uses it fails if the time is quadratic in the size of a file, on a slow and on a fast machine.
"""

import gc
import os
import time
from contextlib import contextmanager

import pytest

#: For steps whose own time does not depend on the engine: they are measured in the first run only.
once = pytest.mark.skipif(
    os.environ.get("COMITY_PURE") == "1", reason="is measured in the run over the other engine"
)


def fill(lines, size, head=b""):
    """Join lines, after `head`, up to a size in bytes. The lines may be endless."""
    body = bytearray(head)
    for line in lines:
        if len(body) + len(line) >= size:
            return bytes(body)
        body += line.encode() + b"\n"
    return bytes(body)


def name(number):
    """Return a name of letters alone, as every dialect compares it."""
    return "".join(chr(ord("a") + int(digit)) for digit in str(number))


def unit():
    """Return the processor time in seconds of a fixed number of steps, about 0.1 seconds."""
    start = time.process_time()
    total = 0
    for number in range(2_000_000):
        total += number
    return max(time.process_time() - start, 0.1)


@contextmanager
def at_most(units):
    """Fail if the block takes more processor time than so many times that of `unit`."""
    gc.freeze()  # the objects of other tests: each full collection in the block would visit them
    start = time.process_time()
    try:
        yield
    finally:
        spent = time.process_time() - start
        gc.unfreeze()
    # Measured after the block, and only if needed: on a busy machine both take longer.
    assert spent < units * 0.1 or spent < units * unit()
