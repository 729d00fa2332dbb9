"""Read the stored pages of a worker from its WARC files, by their URLs and digests."""

import zlib
from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path

from warcio.archiveiterator import ArchiveIterator  # type: ignore[import-untyped]
from warcio.exceptions import ArchiveLoadFailed  # type: ignore[import-untyped]

from ..job.entry import FinishedURL
from .decoding import InvalidCoding, TooLarge, coding_names, decoded
from .warc_index import WarcIndex

#: Maximum size of a page in bytes; larger ones are not stored.
_MAX_SIZE = 1 << 26

#: Errors for a damaged file.
_DAMAGED = (ArchiveLoadFailed, AttributeError, EOFError, OSError, TypeError, ValueError, zlib.error)


class WarcBodies:
    """The pages in the WARC files of a folder."""

    def __init__(self, folder: Path) -> None:
        """Open the index of the files; raises `OSError`."""
        self._folder = folder
        self._index = WarcIndex(folder)

    def close(self) -> None:
        """Close the index."""
        self._index.close()

    def received(self, page: FinishedURL) -> bytes | None:
        """Return the body of a page without content coding; None if it is not there."""
        for file, place in self._index.places(page.url):
            body = _body(self._folder / file, place)
            if body is not None and sha256(body).hexdigest() == page.result.sha256:
                return body
        return None


def _body(path: Path, place: int) -> bytes | None:
    try:
        with path.open("rb") as file:
            file.seek(place)
            records: Iterable[object] = ArchiveIterator(file)
            for record in records:
                body: bytes = record.raw_stream.read(_MAX_SIZE)  # type: ignore[attr-defined]
                fields = record.http_headers.headers  # type: ignore[attr-defined]
                names = coding_names(value for name, value in fields if name.lower() == "content-encoding")
                return decoded(body, names, _MAX_SIZE)
    except (*_DAMAGED, InvalidCoding, TooLarge):
        return None
    return None
