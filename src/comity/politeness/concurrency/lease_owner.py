"""Which process holds a lease, so that the leases of a killed process need not expire.

The holder of a lease is a text that ends in "@" and the identity of its process: a digest of the boot of the
machine and of the process namespace, the process id, and the start time of the process. A process of the same
machine and namespace can check whether that process still runs. No process judges another machine or
container. Only Linux provides the facts that this needs; elsewhere a process has no identity, and its leases
expire.
"""

import os
import sys
from contextlib import suppress
from functools import cache
from hashlib import blake2b
from pathlib import Path

#: Position of the start time in `/proc/PID/stat`, counted from the state, which follows the name.
_START = 19


@cache
def identity() -> str:
    """Return the identity of this process, or an empty text if it is not known.

    >>> has_ended(f"request 1@{identity()}")
    False
    """
    pid = os.getpid()
    namespace, start = _namespace(), _start_of(pid)
    return "" if namespace is None or start is None else f"{namespace}.{pid}.{start}"


def has_ended(holder: str) -> bool:
    """Return whether the process of a holder ran on this machine and has ended.

    Return False if that is not known: for a holder without an identity, of another machine, or of another
    container.
    """
    own = identity()
    namespace, _, process = holder.rpartition("@")[2].partition(".")
    pid, _, start = process.partition(".")
    if not own or namespace != own.partition(".")[0] or not (pid.isascii() and pid.isdecimal()):
        return False
    try:
        os.kill(int(pid), 0)  # /proc may hide the processes of other users
    except ProcessLookupError:
        return True
    except (PermissionError, OverflowError):
        pass
    found = _start_of(int(pid))
    return found is not None and found != start


if hasattr(os, "register_at_fork"):  # not on Windows
    os.register_at_fork(after_in_child=identity.cache_clear)


def _namespace() -> str | None:
    """Return a digest of the boot of this machine and the namespaces of its process ids and clocks."""
    if not sys.platform.startswith("linux"):
        return None
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text("ascii")
        spaces = [os.readlink("/proc/self/ns/pid")]
        with suppress(FileNotFoundError):  # before Linux 5.6
            spaces.append(os.readlink("/proc/self/ns/time"))
        if os.readlink("/proc/self") != str(os.getpid()):  # /proc of another namespace
            return None
    except (OSError, ValueError):
        return None
    return blake2b("\n".join([boot, *spaces]).encode(), digest_size=8).hexdigest()


def _start_of(pid: int) -> str | None:
    """Return the start time of a process, "ended" for a zombie, None if it is not known."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()
        if fields[0] in (b"Z", b"X") and len(os.listdir(f"/proc/{pid}/task")) <= 1:
            return "ended"
        return fields[_START].decode("ascii")
    except (OSError, ValueError, IndexError):
        return None
