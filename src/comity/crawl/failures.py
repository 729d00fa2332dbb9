"""The failures of downloads: which are worth retrying, what follows them, and how reports describe them.

A URL that fails goes behind the other URLs of its site, because the fault may be its own. So a few dead URLs
do not stop the crawl of a healthy site, and a site that fails for every URL gets longer and longer pauses.
"""

import random
import re
from collections import Counter
from collections.abc import Callable

from scrapy.exceptions import (
    CannotResolveHostError,
    DownloadConnectionRefusedError,
    DownloadFailedError,
    DownloadTimeoutError,
    ResponseDataLossError,
)

from ..integrations.scrapy.scrapy_errors import certificate_problem
from ..politeness import needs_back_off
from .job.entry import Entry, Result
from .output.decoding import InvalidCoding

#: Transient failures, worth retrying. An undecodable body is permanent.
TRANSIENT = (
    CannotResolveHostError,
    DownloadConnectionRefusedError,
    DownloadFailedError,
    DownloadTimeoutError,
    ResponseDataLossError,
)

#: Status code of a server that has waited too long for the request (RFC 9110 15.5.9).
_REQUEST_TIMEOUT = 408

#: Description per exception; narrower classes first.
_DESCRIPTIONS: tuple[tuple[type[Exception], str], ...] = (
    (DownloadTimeoutError, "no response in time"),
    (CannotResolveHostError, "unknown host name"),
    (DownloadConnectionRefusedError, "connection refused"),
    (ResponseDataLossError, "incomplete response"),
    (DownloadFailedError, "connection closed, or invalid HTTP"),
)


def is_transient(status: int) -> bool:
    """Return whether a response is worth a retry: an overload, or any server error that may go away.

    >>> [status for status in (200, 404, 408, 429, 500, 501, 502, 503, 504, 522) if is_transient(status)]
    [408, 429, 500, 502, 503, 504, 522]
    """
    return status == _REQUEST_TIMEOUT or needs_back_off(status)


def is_final(status: int) -> bool:
    """Return whether a site states by this status that it has no such page (RFC 9110 15.5).

    >>> [status for status in (204, 302, 403, 404, 408, 429, 451, 500, 999) if is_final(status)]
    [403, 404, 451]
    """
    return 400 <= status < 500 and not is_transient(status)


#: The status of a part of a page (RFC 9110 15.3.7), and the range of its bytes (14.4).
_PARTIAL_CONTENT = 206
_RANGE = re.compile(r"\s*bytes\s+0-([0-9]{1,15})/([0-9]{1,15})\s*", re.ASCII | re.IGNORECASE)


def is_part(status: int, content_range: str) -> bool:
    """Return whether a response has only a part of a page; `content_range` is its Content-Range field.

    >>> [is_part(206, fields) for fields in ("bytes 0-3/9", "", "bytes 0-8/9")], is_part(200, "bytes 0-3/9")
    ([True, True, False], False)
    """
    if status != _PARTIAL_CONTENT:
        return False
    found = _RANGE.fullmatch(content_range)
    return found is None or int(found[1]) + 1 != int(found[2])


class FailureLog:
    """The failures of a run: they show whether a site is in trouble, or only one of its URLs.

    `draw` returns a random number from 0 to 1.

    >>> log = FailureLog(lambda: 0.75)
    >>> origin = "http://a.example"
    >>> dead, alive = (Entry(n, f"{origin}/{n}", origin, 0, "page", False, False, 1, 0, None) for n in (1, 2))
    >>> log.failed(dead), log.is_own_failure(dead)
    (None, False)
    >>> log.finished(alive, Result.of("stored", status=200)), log.is_own_failure(dead)
    (None, True)
    """

    def __init__(self, draw: Callable[[], float] = random.random) -> None:
        self._draw = draw
        #: number of URLs that each origin has answered
        self._answered: Counter[str] = Counter()
        #: that number at the last failure of a URL, by the number of its entry
        self._at_failure: dict[int, int] = {}

    def failed(self, entry: Entry) -> None:
        """Record a failure that will be retried."""
        self._at_failure[entry.number] = self._answered[entry.origin]

    def finished(self, entry: Entry, result: Result) -> None:
        """Record the result of a URL."""
        self._at_failure.pop(entry.number, None)
        if result.status is not None and result.outcome != "failed":
            self._answered[entry.origin] += 1

    def is_own_failure(self, entry: Entry) -> bool:
        """Return whether the site has answered other URLs since this URL failed."""
        return self._answered[entry.origin] > self._at_failure.get(entry.number, self._answered[entry.origin])

    def place(self, failures: int) -> float:
        """Return the place in the queue of the next URL, from 0 to 1, after a number of failures in a row.

        After several, the next URL is drawn: URLs that are queued one after the other may fail together.
        """
        return self._draw() if failures > 1 else 0.0


def description(error: BaseException | None) -> str:
    """Return a description of a failure.

    >>> description(DownloadTimeoutError()), description(InvalidCoding("invalid gzip body"))
    ('no response in time', 'invalid gzip body')
    """
    if isinstance(error, InvalidCoding):
        return str(error)
    found = certificate_problem(error)
    found = found or next((text for kind, text in _DESCRIPTIONS if isinstance(error, kind)), None)
    return found or f"{type(error).__name__}: {error}"[:1000]
