"""A Redis server of a measurement."""

import contextlib
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

__all__ = ["redis_server"]


@contextlib.contextmanager
def redis_server(folder: Path) -> Iterator[str]:
    """Run a Redis server until the end of the block, and yield its URL; `folder` is for its files."""
    socket = folder / "redis.sock"
    command = ["redis-server", "--port", "0", "--unixsocket", str(socket), "--save", "", "--dir", str(folder)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process:
        try:
            while not socket.exists():
                assert process.poll() is None, command
                time.sleep(0.05)
            yield f"unix://{socket}"
        finally:
            process.terminate()
