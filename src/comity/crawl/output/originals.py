"""The received bytes of pages whose links were converted.

They are in a folder beside the mirror, under the same names. The digest of a page distinguishes received
bytes from converted ones. So a kill between any two steps does no harm, and a page can be fetched again.
"""

import os
from collections.abc import Iterator
from functools import partial
from hashlib import sha256
from pathlib import Path

from ...files import when_unused
from .mirror import MIRROR, ORIGINALS, is_name, unlimited

#: The file that bytes are first written to; no page has this name.
_TEMPORARY = "%converted"


class Originals:
    """The mirror of a job, and the folder with the received bytes of its converted pages."""

    def __init__(self, folder: Path) -> None:
        """Create the originals of a worker's folder, and delete the file of a conversion that was killed."""
        self._mirror = unlimited(folder / MIRROR)
        self._originals = unlimited(folder / ORIGINALS)
        for place in (self._mirror, self._originals):
            (place / _TEMPORARY).unlink(missing_ok=True)

    def received(self, name: str, digest: str | None) -> bytes | None:
        """Return the received bytes of a page by its file name and SHA-256; `None` if they are gone."""
        if is_name(name):
            for place in (self._mirror, self._originals):
                try:
                    body = place.joinpath(*name.split("/")).read_bytes()
                except FileNotFoundError:
                    continue
                if sha256(body).hexdigest() == digest:
                    return body
        return None

    def convert(self, name: str, received: bytes, converted: bytes) -> None:
        """Store the converted bytes of a page in the mirror, and the received ones beside it."""
        file, original = (place.joinpath(*name.split("/")) for place in (self._mirror, self._originals))
        current = file.read_bytes()
        if converted != received and current == received:
            self._write(self._originals, original, received, sync=True)
        if current != converted:
            self._write(self._mirror, file, converted, sync=converted == received)
        if converted == received:
            original.unlink(missing_ok=True)

    def remove_except(self, names: set[str]) -> None:
        """Delete the received bytes of all pages but some: the others are no longer in the job."""
        for path in list(_files(self._originals)):
            if path.relative_to(self._originals).as_posix() not in names:
                path.unlink()

    @staticmethod
    def _write(place: Path, path: Path, body: bytes, *, sync: bool) -> None:
        """Write a file at once. After a power failure, a converted one without `sync` is converted again."""
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary = place / _TEMPORARY
        with temporary.open("wb") as file:
            file.write(body)
            if sync:
                file.flush()
                os.fsync(file.fileno())
        when_unused(partial(os.replace, temporary, path))


def _files(place: Path) -> Iterator[Path]:
    return (path for path in place.rglob("*") if path.is_file())
