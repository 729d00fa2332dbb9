"""The failures of downloads: which are worth retrying, and how reports describe them."""

import zlib
from gzip import BadGzipFile

from scrapy.exceptions import (
    CannotResolveHostError,
    DownloadConnectionRefusedError,
    DownloadFailedError,
    DownloadTimeoutError,
    ResponseDataLossError,
)

from ..politeness.pace import BACK_OFF_STATUSES

#: Transient failures, worth retrying. An undecodable body is permanent.
TRANSIENT = (
    CannotResolveHostError,
    DownloadConnectionRefusedError,
    DownloadFailedError,
    DownloadTimeoutError,
    ResponseDataLossError,
)

#: Status codes of an overloaded server or gateway, worth retrying; 520 to 524 are those of Cloudflare.
TRANSIENT_STATUSES = BACK_OFF_STATUSES | {502, 504, *range(520, 525)}

#: Description per exception; narrower classes first.
_DESCRIPTIONS: tuple[tuple[type[Exception], str], ...] = (
    (DownloadTimeoutError, "no response in time"),
    (CannotResolveHostError, "unknown host name"),
    (DownloadConnectionRefusedError, "connection refused"),
    (ResponseDataLossError, "incomplete response"),
    (DownloadFailedError, "connection closed, or invalid HTTP"),
    (BadGzipFile, "invalid compressed body"),
    (zlib.error, "invalid compressed body"),
    (EOFError, "invalid compressed body"),
)


def description(error: BaseException | None) -> str:
    """Return a description of a failure.

    >>> description(EOFError())
    'invalid compressed body'
    """
    found = next((text for kind, text in _DESCRIPTIONS if isinstance(error, kind)), None)
    return found or f"{type(error).__name__}: {error}"[:1000]
