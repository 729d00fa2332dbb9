"""Pages as files of a folder, under names that are safe whatever the URL; links are left as they were.

A name is made of characters that every file system takes, has no part that leads elsewhere or that a program
would take for its own settings, and is no other page's, whatever the case of its letters.
"""

import os
from collections.abc import Callable, Iterator
from hashlib import sha256
from itertools import count
from pathlib import Path

from ..job.interface import JobUnusable

__all__ = ["Mirror", "folders_of", "name_of"]

_SAFE = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.!$&'()+,;=@%~")

#: Names that Windows keeps for devices, with whatever suffix.
_DEVICES = frozenset(
    ["con", "prn", "aux", "nul", "conin$", "conout$"]
    + [f"{port}{n}" for port in ("com", "lpt") for n in range(10)]
)

#: The longest part of a name, and the longest name, in octets.
_PART, _NAME = 120, 200

#: The file that a page is first written to. No page has such a name, and one page is stored at a time.
_PART_FILE = "%part"


def name_of(url: str) -> str:
    """Give the file of a URL, below the folder of the mirror; `url` has an origin and a path.

    >>> name_of("http://example.com:8080/tea/?sort=price")
    'example.com+8080/tea/index.html@sort=price'
    >>> name_of("https://example.com/a//..%2f/.git/NUL")
    'example.com/a/%/%2E.%2f/%2Egit/%NUL'
    """
    host, _, rest = url.partition("://")[2].partition("/")
    path, mark, query = rest.partition("?")
    *folders, last = path.split("/")
    last = (last or "index.html") + (f"@{query}" if mark else "")
    name = "/".join(map(_part, [host.replace(":", "+"), *folders, last]))
    return name if len(name) <= _NAME else _other(url)


def folders_of(name: str) -> list[str]:
    """Give the folders that a name needs.

    >>> folders_of("example.com/tea/index.html")
    ['example.com', 'example.com/tea']
    """
    parts = name.split("/")
    return ["/".join(parts[:end]) for end in range(1, len(parts))]


def _names(url: str) -> Iterator[str]:
    """Give the names that the file of a URL may have, the plain one first, without end.

    Where a file is in the way of a folder, as that of `/blog` is in the way of `/blog/1`, or the other way
    round, a tilde makes the difference, and it is the same folder for all.

    >>> names = _names("http://example.com/blog/1")
    >>> [next(names) for _ in range(3)]
    ['example.com/blog/1', 'example.com/blog~/1', 'example.com/blog/1~']
    """
    plain = name_of(url)
    yield plain
    host, *folders, last = plain.split("/")
    for marked, end in ((True, ""), (False, "~"), (True, "~")):
        if folders or not marked:
            name = "/".join([host, *(f"{folder}~" if marked else folder for folder in folders), last + end])
            if len(name) <= _NAME:
                yield name
    for times in count():
        yield _other(url, times)


def _is_name(name: str) -> bool:
    """Say whether a name is one that is made here, which leads nowhere else."""
    parts = name.split("/")
    return len(parts) > 1 and all(
        part and not part.startswith(".") and not part.endswith(".") and _SAFE.issuperset(part)
        for part in parts
    )


def _other(url: str, times: int = 0) -> str:
    """Give a file name made of the URL's hash, where the plain one, and so many others, will not do."""
    host = _part(url.partition("://")[2].partition("/")[0].replace(":", "+"))
    last = url.partition("?")[0].rpartition("/")[2]
    return (
        f"{host}/%~{sha256(f'{times} {url}'.encode()).hexdigest()[:32]}/{_part(last[-40:] or 'index.html')}"
    )


def _part(text: str) -> str:
    """Give a part of a name that is safe."""
    safe = "".join(letter if letter in _SAFE else f"%{ord(letter):02X}" for letter in text)
    if not safe or safe.partition(".")[0].lower() in _DEVICES:
        safe = f"%{safe}"
    if safe.startswith("."):  # hidden, or the way out
        safe = f"%2E{safe[1:]}"
    if safe.endswith("."):
        safe = f"{safe[:-1]}%2E"
    if len(safe) > _PART:
        safe = f"{safe[: _PART - 25]}%~{sha256(text.encode()).hexdigest()[:16]}"
    return safe


class Mirror:
    """The folder that pages are stored in.

    A page is written to a file aside, then the job is told of it under its name, then the file gets that
    name: a process that is killed in between is made up for by `recover`.
    """

    def __init__(self, folder: Path) -> None:
        """Take the folder, which is made when there is something to store."""
        self._folder = folder
        self._part = folder / _PART_FILE

    def write(self, url: str, body: bytes, may_have: Callable[[str], bool]) -> str:
        """Write a page aside, and give the name that it is to have; `may_have` says which it may."""
        self._folder.mkdir(parents=True, exist_ok=True)
        with self._part.open("wb") as file:
            file.write(body)
            file.flush()
            os.fsync(file.fileno())
        names = _names(url)
        name = next(names)
        while not may_have(name):
            name = next(names)
        return name

    def publish(self, name: str) -> None:
        """Give the page that was written aside its name; raises `JobUnusable` if it is none of ours."""
        if not _is_name(name):
            raise JobUnusable(f"{name[:200]!r} is no name of a page")
        path = self._folder.joinpath(*name.split("/"))
        path.parent.mkdir(parents=True, exist_ok=True)
        self._part.replace(path)

    def recover(self, name: object, digest: object) -> None:
        """Make up for a kill: `name` and `digest` (SHA-256) are of the page that the job was told of last."""
        if not self._part.exists():
            return
        if isinstance(name, str) and sha256(self._part.read_bytes()).hexdigest() == digest:
            self.publish(name)
        else:
            self._part.unlink()
