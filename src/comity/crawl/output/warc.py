"""Write requests and responses to a WARC file (ISO 28500) that later runs continue.

Each exchange is written at once, as records that are compressed one by one. The job records the valid size of
the file. Records beyond that size come from a process that was killed, and are cut off before new ones are
added.
"""

import os
import re
from collections.abc import Iterable, Sequence
from http import HTTPStatus
from importlib.metadata import version
from io import BytesIO
from pathlib import Path

from warcio.statusandheaders import StatusAndHeaders  # type: ignore[import-untyped]
from warcio.warcwriter import WARCWriter  # type: ignore[import-untyped]

from ...politeness.private_files import open_private
from ...protocol.value import Value

Fields = Sequence[tuple[str, str]]

#: The header field that no longer applies to a body without its transfer coding; it is renamed.
_TRANSFER = "transfer-encoding"

#: Characters that would end a header line, or the header.
_BREAK = re.compile("[\r\n\0]+")


class Exchange(Value):
    """A request and its response; the body has no transfer coding any more."""

    url: str
    method: str
    request_fields: Fields
    protocol: str
    status: int
    response_fields: Fields
    body: bytes
    #: IP address of the server
    ip_address: str | None


class Warc:
    """An open WARC file. Methods raise `OSError` if it cannot be written."""

    def __init__(self, path: Path, size: int, about: Iterable[tuple[str, str]]) -> None:
        """Open the file and cut it to its valid size; a new one starts with a record of `about`."""
        self._file = open_private(path, os.O_RDWR)
        if os.fstat(self._file).st_size < size:
            os.close(self._file)
            raise OSError(f"{path}: shorter than the job has recorded")
        self.cut(size)
        if not size:
            fields = {
                "software": f"Comity/{version('comity')}",
                "format": "WARC File Format 1.1",
                **dict(about),
            }
            data = BytesIO()
            writer = _writer(data)
            writer.write_record(writer.create_warcinfo_record(path.name, fields))
            self._append(data)

    def close(self) -> None:
        """Close the file."""
        os.close(self._file)

    @property
    def size(self) -> int:
        """The valid size of the file in bytes."""
        return self._size

    def cut(self, size: int) -> None:
        """Remove the records after some size in bytes."""
        os.ftruncate(self._file, size)
        os.lseek(self._file, size, os.SEEK_SET)
        self._size = size

    def write(self, exchange: Exchange, metadata: Fields = ()) -> int:
        """Write an exchange and its metadata, and return the new size of the file."""
        data = BytesIO()
        writer = _writer(data)
        head = _Head(
            f"{exchange.status} {_phrase(exchange.status)}",
            [
                (f"X-Orig-{name}" if name.lower() == _TRANSFER else name, value)
                for name, value in exchange.response_fields
            ],
            protocol=exchange.protocol,
        )
        address = {} if exchange.ip_address is None else {"WARC-IP-Address": exchange.ip_address}
        response = writer.create_warc_record(
            exchange.url,
            "response",
            payload=BytesIO(exchange.body),
            http_headers=head,
            warc_headers_dict=address,
        )
        name = response.rec_headers.get_header("WARC-Record-ID")
        date = response.rec_headers.get_header("WARC-Date")
        concurrent = {"WARC-Concurrent-To": name, "WARC-Date": date}
        target = exchange.url.partition("://")[2]
        target = target[target.find("/") :]
        request_head = _Head(
            f"{exchange.method} {target} HTTP/1.1", exchange.request_fields, is_http_request=True
        )
        request = writer.create_warc_record(
            exchange.url,
            "request",
            payload=BytesIO(),
            http_headers=request_head,
            warc_headers_dict={**concurrent, **address},
        )
        writer.write_record(response)
        writer.write_record(request)
        if metadata:
            text = "".join(f"{name}: {_line(value)}\r\n" for name, value in metadata)
            record = writer.create_warc_record(
                exchange.url,
                "metadata",
                payload=BytesIO(text.encode()),
                warc_content_type="application/warc-fields",
                warc_headers_dict=concurrent,
            )
            writer.write_record(record)
        return self._append(data)

    def _append(self, data: BytesIO) -> int:
        """Append records; after an error the file is cut to its former size."""
        left = memoryview(data.getvalue())
        size = self._size + len(left)
        try:
            while left:
                left = left[os.write(self._file, left) :]
            os.fsync(self._file)
        except OSError:
            self.cut(self._size)
            raise
        self._size = size
        return size


class _Head(StatusAndHeaders):  # type: ignore[misc]  # warcio has no types
    """The header of a message, written with the bytes that were received."""

    def to_ascii_bytes(self, header_filter: object = None) -> bytes:
        """Return the bytes of the header, which may be other than ASCII; warcio would escape them."""
        lines = [self.protocol + " " + self.statusline, *(f"{name}: {value}" for name, value in self.headers)]
        return "".join(f"{_BREAK.sub(' ', line)}\r\n" for line in (*lines, "")).encode("latin-1", "replace")


def _writer(data: BytesIO) -> WARCWriter:
    return WARCWriter(data, gzip=True, warc_version="1.1")


def _phrase(status: int) -> str:
    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return "Unknown"


def _line(value: str) -> str:
    return " ".join(value.split())
