"""Read the files of a site owner, each up to a stated size, so that no device or pipe fills the memory."""

import errno
import re
import stat
from collections.abc import Iterable
from pathlib import Path
from typing import BinaryIO

#: Maximum size in bytes of a robots.txt, a fragment, a plan or a file of settings. Robots read 500 KiB.
MAX_BYTES = 16 << 20

#: Maximum depth of tables and arrays in TOML.
_MAX_DEPTH = 50

#: A key with too many dots, for which `tomllib` would take quadratic time.
_DEEP_KEY = re.compile(rb"""(?<![\w"'-])(?:[\w"'-]++[ \t]*+\.[ \t]*+){%d}""" % _MAX_DEPTH)


def read_stream(stream: BinaryIO) -> bytes:
    """Return the rest of a stream. Raises `OSError`, also if there are more than 16 MiB."""
    body = stream.read(MAX_BYTES + 1)
    if len(body) > MAX_BYTES:
        raise OSError(errno.EFBIG, f"larger than {MAX_BYTES >> 20} MiB, the limit")
    return body


def read_path(path: Path) -> bytes:
    """Return the content of a file. Raises `OSError`, also if it is larger than 16 MiB."""
    with path.open("rb") as stream:
        try:
            return read_stream(stream)
        except OSError as error:
            error.filename = str(path)
            raise


def read_regular(path: Path) -> bytes:
    """Return the content of a file that the user did not name, but a folder of it.

    Raises `OSError` for a pipe or a device, without opening it: a pipe without a writer blocks for ever.
    """
    mode = path.stat().st_mode
    if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):  # opening a folder raises a clear error
        raise OSError(errno.EINVAL, "not a regular file", str(path))
    return read_path(path)


def parse_toml(body: bytes) -> dict[str, object]:
    r"""Parse TOML. Raises `ValueError` if it is not valid, or nested more than 50 deep.

    >>> parse_toml(b"[lint]\nselect = ['C3']")
    {'lint': {'select': ['C3']}}
    """
    import tomllib

    too_deep = f"tables nested more than {_MAX_DEPTH} deep are not supported"
    if _DEEP_KEY.search(body):
        raise ValueError(too_deep)
    try:
        data = tomllib.loads(body.decode())
    except RecursionError:
        raise ValueError(too_deep) from None
    except ValueError as error:
        raise ValueError(f"not valid TOML: {error}") from None
    level: list[object] = [data]
    for _ in range(_MAX_DEPTH):
        level = [inner for outer in level for inner in _values(outer)]
    if level:
        raise ValueError(too_deep)
    return data


def _values(value: object) -> Iterable[object]:
    if isinstance(value, dict):
        return value.values()
    return value if isinstance(value, list) else ()
