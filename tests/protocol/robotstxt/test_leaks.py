"""The compiled engine frees its memory: the number of allocated bytes stays the same."""

import contextlib
import ctypes
import gc
import os
import subprocess
import sys

import pytest
from compiled_engine import compiled

import comity


class Mallinfo2(ctypes.Structure):
    _fields_ = [(name, ctypes.c_size_t) for name in (
        "arena", "ordblks", "smblks", "hblks", "hblkhd", "usmblks", "fsmblks", "uordblks", "fordblks", "keepcost"
    )]  # fmt: skip


def counter():
    """Return a function that returns the number of bytes allocated from the C library, if it can be measured."""
    try:
        mallinfo2 = ctypes.CDLL(None).mallinfo2
    except (AttributeError, OSError, TypeError):
        return None
    mallinfo2.restype = Mallinfo2

    def taken():
        info = mallinfo2()
        return info.uordblks + info.hblkhd

    return taken if taken() else None  # 0 where another allocator has taken its place


taken = counter()

RULES = [f"Disallow: /{'a' * (n % 30)}{n}?x=/{n}\nAllow: /%7e{n}*b$" for n in range(40)]
BODY = "\n".join(["User-agent: *", *RULES, "Sitemap: /x", "Unknown: x", "\x00\xe9"]).encode()
URLS = ["/", "/aaa3?x=/3", "https://example.com/~7xb", "/caf\u00e9", b"/\xff", "\ud800", "example.com/a"]


def use(dialect):
    """Allocate every kind of memory: entries, groups, patterns, the index; and fail half-way."""
    reading = compiled.Reading(BODY, dialect)
    _, chosen = reading.select(["ExampleBot"])
    rules = compiled.RankedRules(dialect, chosen)
    for _ in range(3):
        rules.allowed_many(URLS)
    compiled.RankedRules(dialect, reading.groups).allowed_many(URLS * 2)
    for url in URLS[:-2]:  # the others could be two paths
        comity.parse(BODY, dialect=dialect).check(url, agent="ExampleBot")
        comity.parse(BODY, dialect=dialect).allowed(url, agent="ExampleBot")
    assert rules.values == reading.values
    with contextlib.suppress(comity.InvalidURL):  # Google's parser takes it for a path
        rules.allowed("mailto:x")
    with pytest.raises(TypeError):
        rules.allowed(None)
    with pytest.raises(TypeError):
        compiled.Reading("text", dialect)


def growth(dialect):
    """Return by how many bytes the allocated memory grows in 400 uses."""

    def taken_after(times):
        for _ in range(times):
            use(dialect)
        gc.collect()
        return taken()

    taken_after(30)  # permanent caches are filled now
    before = taken_after(1)
    return taken_after(400) - before


@pytest.mark.skipif(taken is None or sys.gettrace() is not None, reason="allocations cannot be measured here")
@pytest.mark.parametrize("dialect", ["RFC9309", "GOOGLE", "DRAFT1996", "STANDARD1994"])
def test_engine_leaks_no_memory(dialect):
    # In a process of its own: threads that other tests left behind allocate memory too.
    measured = subprocess.run(
        [sys.executable, __file__, dialect],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        encoding="utf-8",
        timeout=60,
    )

    assert measured.returncode == 0, measured.stderr
    # A leak is at least 24 bytes for each use; other parts of Python may allocate a little permanently.
    assert int(measured.stdout) < 400 * 24


if __name__ == "__main__":
    print(growth(getattr(comity.protocol.robotstxt, sys.argv[1])))
