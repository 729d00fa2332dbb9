"""The response to one request for a robots.txt, as far as it was received, and how a `Fetch` reads it."""

from collections.abc import Iterable

from ..errors import NotPublic
from ..protocol.access.fetch import Fetch
from ..protocol.access.freshness import retry_after
from ..protocol.access.outcome import Access, Cause, Outcome
from .pace import GIVEN_UP

#: Number of bytes read beyond the limit of a body: what an encoding adds to a body that does not shrink.
_SLACK = 65_536

#: Number of bytes that a chunk counts at least: to receive a chunk of one byte takes as long.
_LEAST_CHUNK = 8


class ReceivedResponse:
    """Status, header fields and bytes of a response, and the failure that ended it.

    Call `start` with the head, `add` with each chunk of the body while `wants_body` is true, and `fail` if
    the response does not arrive, or not all of it.
    """

    def __init__(self) -> None:
        self.status: int | None = None
        self.headers: list[tuple[str, str]] = []
        self.chunks: list[bytes] = []
        self.cause: Cause | None = None
        self.detail: str = ""
        #: whether the request could be sent; if not, it says nothing about the server
        self.was_sent: bool = True
        #: why this client itself refused to send the request
        self.refusal: NotPublic | None = None
        #: whether the request is sent again, with an answer to the challenge of this response
        self.is_repeated: bool = False
        #: whether the body was cut because it is too long
        self.is_cut: bool = False
        #: whether it goes on although the connection was closed
        self.overflows: bool = False
        self._left: int | None = None

    def start(self, status: int, headers: Iterable[tuple[str, str]]) -> None:
        """Record the head of the response."""
        if self.cause is None:
            self.headers = list(headers)
            self.status = status

    @property
    def wants_body(self) -> bool:
        """Whether the body matters: the bodies of errors and redirects do not."""
        return self.status is not None and 200 <= self.status < 300

    def add(self, chunk: bytes, limit: int) -> bool:
        """Record bytes of the body, before decoding. Return whether more are needed."""
        if self._left is None:
            self._left = limit + _SLACK
        self._left -= max(len(chunk), _LEAST_CHUNK)
        if self.cause is not None:  # it failed meanwhile: the deadline of the thread that reads has passed
            self.overflows = True
        elif self.is_cut:
            self.overflows = self._left < -3 * _SLACK
        else:
            self.chunks.append(chunk)
            self.is_cut = self._left < 0
        return not (self.is_cut or self.overflows)

    def fail(self, cause: Cause, detail: str) -> None:
        """Record that the response did not arrive, or not all of it."""
        if cause is Cause.PROTOCOL_ERROR and self.wants_body:
            cause = Cause.INCOMPLETE  # the head was correct
        self.cause, self.detail = cause, detail

    def refuse(self, refusal: NotPublic) -> None:
        """Record that this client did not send the request. That says nothing about the server."""
        self.fail(Cause.NOT_FETCHABLE, str(refusal))
        self.refusal = refusal
        self.was_sent = False

    @property
    def complete_status(self) -> int | None:
        """The status code, or None if the response failed: the server did not answer.

        It is `GIVEN_UP` for a port that refuses connections. The host is not silent: it has answered that
        this port has no server, and another one may have.
        """
        if self.cause is Cause.REFUSED:
            return GIVEN_UP
        return None if self.cause is not None else self.status

    def retry_after(self, now: float) -> float | None:
        """Return the number of seconds that its Retry-After names, or None."""
        value = next((value for name, value in self.headers if name.lower() == "retry-after"), None)
        return None if value is None else retry_after(value, now)


def advance(fetch: Fetch, response: ReceivedResponse, now: float) -> None:
    """Pass a response to a fetch."""
    if response.status is None:
        fetch.fail(response.cause or Cause.NETWORK, response.detail, now=now)
        return
    if not fetch.receive(response.status, response.headers, now=now):
        return
    for chunk in response.chunks:
        if not fetch.data(chunk):
            break
    else:
        if response.cause is not None:
            fetch.fail(response.cause, response.detail, now=now)
            return
        if response.is_cut:  # by us, before the decoded body reached its limit
            fetch.fail(Cause.INCOMPLETE, "its coding is longer than a robots.txt may be", now=now)
            return
    fetch.finish(now=now)


def replay_response(access: Access, fetch: Fetch, now: float) -> bool:
    """Pass the stored answer of an origin to a fetch that was redirected to it. Return whether it was usable.

    Only a file, and the answer that there is none, are the same for every fetch. If the file could not be
    read, its bytes are missing or older, although the status code is good.
    """
    if access.hops or access.truncated:
        return False
    was_read = access.outcome is Outcome.RULES and access.failing_since is None
    status = 200 if access.status == 304 else access.status  # 304 confirmed the stored body
    if status is None or not (status in (404, 410) or (status == 200 and was_read)):
        return False
    response = ReceivedResponse()
    headers = [("cache-control", f"max-age={max(int(access.expires - now), 0)}")]
    for name, value in (("content-type", access.content_type), ("etag", access.etag)):
        if value is not None:
            headers.append((name, value))
    response.start(status, headers)
    response.chunks = [access.body]
    advance(fetch, response, now)
    return True
