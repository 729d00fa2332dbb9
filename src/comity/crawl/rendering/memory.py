"""The memory of the processes of a browser, as Linux counts it (proc(5)); elsewhere it is not known."""

import re
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

_PROCESSES = Path("/proc")

#: The memory of a process that no file backs and no other process shares, in kB.
_PRIVATE = re.compile(r"^RssAnon:\s*([0-9]+) kB$", re.MULTILINE)


def children(process: int) -> set[int]:
    """Return the identifiers of the child processes of a process."""
    found: set[int] = set()
    with suppress(OSError):  # it has ended
        for thread in (_PROCESSES / str(process) / "task").iterdir():
            found.update(map(int, (thread / "children").read_text(encoding="ascii").split()))
    return found


def memory_of(processes: Iterable[int]) -> int:
    """Return the memory of some processes and all below them in bytes; 0 if it is not known.

    >>> import os
    >>> memory_of([]), memory_of([os.getpid()]) > 0 or not (_PROCESSES / "self").exists()
    (0, True)
    """
    size = 0
    waiting, seen = list(processes), set[int]()
    while waiting:
        process = waiting.pop()
        if process in seen:
            continue
        seen.add(process)
        waiting += children(process)
        with suppress(OSError):
            status = (_PROCESSES / str(process) / "status").read_text(encoding="utf-8", errors="replace")
            found = _PRIVATE.search(status)
            size += int(found[1]) << 10 if found else 0
    return size
