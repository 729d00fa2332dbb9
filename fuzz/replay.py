"""Reduce a finding to the smallest input that reproduces it, show its meaning, and raise its error."""

import os
import signal
import sys
import time
from pathlib import Path

from agree import Disagreement, hold
from calls import Corrupted, play
from case import HEADER, decode, shown

__all__ = ["CHECKS"]

#: Time limit in seconds for one attempt; a longer one counts as a hang.
PATIENCE = 10

#: Time limit in seconds for the reduction of a finding.
TIME = 30


def agree(data: bytes) -> None:
    """Compare both engines on a case."""
    hold(decode(data))


#: The check of each target.
CHECKS = {"answers": agree, "calls": play}


def fate(target: str, data: bytes) -> int:
    """Run an input in a separate process, and return its exit status: 0 if both engines agree."""
    child = os.fork()
    if child:
        return os.waitpid(child, 0)[1]
    silence = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silence, 2)
    signal.alarm(PATIENCE)
    try:
        CHECKS[target](data)
    except (Disagreement, Corrupted):
        os._exit(3)
    except BaseException:
        os._exit(4)
    os._exit(0)


def least(target: str, data: bytes, wanted: int) -> bytes:
    """Remove pieces, from large ones to single bytes, while the outcome stays the same."""
    end = time.monotonic() + TIME
    size = len(data) // 2
    while size and time.monotonic() < end:
        at = HEADER if target == "answers" else 0
        while at < len(data) and time.monotonic() < end:
            shorter = data[:at] + data[at + size :]
            if fate(target, shorter) == wanted:
                data = shorter
            else:
                at += size
        size //= 2
    for bit in range(8 * min(HEADER, len(data)) if target == "answers" else 0):  # prefer a named dialect
        mask = ~(1 << bit % 8) & data[bit // 8]
        plainer = data[: bit // 8] + bytes((mask,)) + data[bit // 8 + 1 :]
        if plainer != data and fate(target, plainer) == wanted:
            data = plainer
    return data


def main() -> int:
    """Write the reduced finding next to the original, show it, and reproduce it."""
    path = Path(sys.argv[1])
    data = path.read_bytes()
    target = "calls" if path.absolute().parent.name == "calls" else "answers"
    ended = fate(target, data)
    if ended:
        data = least(target, data, ended)
        small = path.with_name(path.name.removesuffix(".least") + ".least")
        small.write_bytes(data)
        print(f"{os.path.relpath(small)}:")
    shows = f"program = {data!r}" if target == "calls" else shown(decode(data))
    print(shows, flush=True)
    CHECKS[target](data)
    print("no crash" if target == "calls" else "both engines agree")
    return 0


if __name__ == "__main__":
    sys.exit(main())
