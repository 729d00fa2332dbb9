"""What was asked and answered as one WARC file (ISO 28500), which a job goes on with where it was left.

Each exchange is written at once, as records that are compressed one by one. The job knows up to where the
file holds what it knows; what is beyond, since the process was killed in between, is cut off before anything
is added.
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

from ...protocol.value import Value

__all__ = ["Exchange", "Warc"]

Fields = Sequence[tuple[str, str]]

#: What no longer holds of a body as it came out of its transfer, and is kept under another name.
_TRANSFER = "transfer-encoding"

#: What would end a line of the head, or the head, where a reader would take it for one.
_BREAK = re.compile("[\r\n\0]+")


class Exchange(Value):
    """A request and its response: what was sent and what came, the body as it came out of the transfer."""

    __slots__ = ("url", "method", "asked", "protocol", "status", "answered", "body", "address")
    url: str
    method: str
    #: the header fields of the request
    asked: Fields
    protocol: str
    status: int
    #: the header fields of the response
    answered: Fields
    body: bytes
    #: the server's IP address
    address: str | None


class Warc:
    """One file, open until it is closed; raises `OSError` where it cannot be written."""

    def __init__(self, path: Path, size: int, facts: Iterable[tuple[str, str]]) -> None:
        """Go on after so many octets, or begin, with `facts` about the crawl."""
        self._file = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o666)
        there = os.fstat(self._file).st_size
        if there < size:
            os.close(self._file)
            raise OSError(f"{path} is shorter than it was")
        self.cut(size)
        if not size:
            fields = {
                "software": f"Comity/{version('comity')}",
                "format": "WARC File Format 1.1",
                **dict(facts),
            }
            octets = BytesIO()
            writer = _writer(octets)
            writer.write_record(writer.create_warcinfo_record(path.name, fields))
            self._append(octets)

    def close(self) -> None:
        """Let go of the file."""
        os.close(self._file)

    @property
    def size(self) -> int:
        """The octets of the file that the job has to know of."""
        return self._size

    def cut(self, size: int) -> None:
        """Take back what was written after so many octets."""
        os.ftruncate(self._file, size)
        os.lseek(self._file, size, os.SEEK_SET)
        self._size = size

    def write(self, exchange: Exchange, said: Fields = ()) -> int:
        """Write an exchange and what is said of it, and give the octets of the file up to its end."""
        octets = BytesIO()
        writer = _writer(octets)
        line = _Head(
            f"{exchange.status} {_phrase(exchange.status)}",
            [
                (f"X-Orig-{name}" if name.lower() == _TRANSFER else name, value)
                for name, value in exchange.answered
            ],
            protocol=exchange.protocol,
        )
        facts = {} if exchange.address is None else {"WARC-IP-Address": exchange.address}
        response = writer.create_warc_record(
            exchange.url,
            "response",
            payload=BytesIO(exchange.body),
            http_headers=line,
            warc_headers_dict=facts,
        )
        name = response.rec_headers.get_header("WARC-Record-ID")
        date = response.rec_headers.get_header("WARC-Date")
        beside = {"WARC-Concurrent-To": name, "WARC-Date": date}
        target = exchange.url.partition("://")[2]
        target = target[target.find("/") :]
        request = writer.create_warc_record(
            exchange.url,
            "request",
            payload=BytesIO(),
            http_headers=_Head(f"{exchange.method} {target} HTTP/1.1", exchange.asked, is_http_request=True),
            warc_headers_dict={**beside, **facts},
        )
        writer.write_record(response)
        writer.write_record(request)
        if said:
            text = "".join(f"{name}: {_line(value)}\r\n" for name, value in said)
            metadata = writer.create_warc_record(
                exchange.url,
                "metadata",
                payload=BytesIO(text.encode()),
                warc_content_type="application/warc-fields",
                warc_headers_dict=beside,
            )
            writer.write_record(metadata)
        return self._append(octets)

    def _append(self, octets: BytesIO) -> int:
        """Add records, all or none as far as this process can see to it."""
        left = memoryview(octets.getvalue())
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
    """The head of a message, which is written with the octets that it came with."""

    def to_ascii_bytes(self, header_filter: object = None) -> bytes:
        """Give the octets, which are not always ASCII; warcio would escape them."""
        lines = [self.protocol + " " + self.statusline, *(f"{name}: {value}" for name, value in self.headers)]
        return "".join(f"{_BREAK.sub(' ', line)}\r\n" for line in (*lines, "")).encode("latin-1", "replace")


def _writer(octets: BytesIO) -> WARCWriter:
    return WARCWriter(octets, gzip=True, warc_version="1.1")


def _phrase(status: int) -> str:
    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return "Unknown"


def _line(value: str) -> str:
    """Give a value that is one line."""
    return " ".join(value.split())
