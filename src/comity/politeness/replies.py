"""What came back from one request for a robots.txt, held until the machine that judges it has seen it."""

from collections.abc import Iterable

from ..protocol.access.fetch import Fetch
from ..protocol.access.freshness import retry_after
from ..protocol.access.outcome import Access, Cause, Outcome

__all__ = ["Reply", "feed", "pause_of", "replay"]

#: Octets that are read beyond a body's limit: what encodings add to a body that does not shrink.
_SLACK = 65_536


class Reply:
    """Status, headers and octets of a response, as far as they came, and what broke it off."""

    def __init__(self) -> None:
        """Begin with nothing received."""
        self.status: int | None = None
        self.headers: list[tuple[str, str]] = []
        self.chunks: list[bytes] = []
        self.cause: Cause | None = None
        self.detail = ""
        #: was the body longer than anyone wants?
        self.is_cut = False
        #: does it come on all the same?
        self.overflows = False
        self._left: int | None = None

    def begin(self, status: int, headers: Iterable[tuple[str, str]]) -> None:
        """Take the head of a response."""
        if self.cause is None:
            self.headers = list(headers)
            self.status = status

    @property
    def wants_body(self) -> bool:
        """Whether the body can matter: bodies of errors and redirects do not."""
        return self.status is not None and 200 <= self.status < 300

    def take(self, chunk: bytes, limit: int) -> bool:
        """Take octets of the body, as they were sent; say whether more are wanted."""
        if self._left is None:
            self._left = limit + _SLACK
        self._left -= len(chunk)
        if self.cause is not None:  # given up meanwhile, by whoever waited for the thread that reads
            self.overflows = True
        elif self.is_cut:
            self.overflows = self._left < -3 * _SLACK
        else:
            self.chunks.append(chunk)
            self.is_cut = self._left < 0
        return not (self.is_cut or self.overflows)

    def broken(self, cause: Cause, detail: str) -> None:
        """Take that the response did not come, or not whole."""
        if cause is Cause.PROTOCOL_ERROR and self.wants_body:
            cause = Cause.INCOMPLETE  # the head was in order
        self.cause, self.detail = cause, detail

    @property
    def status_for_pace(self) -> int | None:
        """The status, or `None` if the server fell silent."""
        return None if self.cause is not None else self.status


def feed(fetch: Fetch, reply: Reply, now: float) -> None:
    """Let a machine see a reply."""
    status = reply.status
    if status is not None and fetch.receive(status, reply.headers, now):
        for chunk in reply.chunks:
            if not fetch.data(chunk):
                break
        else:
            if reply.cause is not None:
                fetch.fail(reply.cause, reply.detail, now)
                return
            if reply.is_cut:  # and that by us, before there was as much as anyone wants
                fetch.fail(Cause.INCOMPLETE, "its coding takes more octets than a robots.txt may have", now)
                return
        fetch.finish(now)
    elif status is None:
        fetch.fail(reply.cause or Cause.NETWORK, reply.detail, now)


def replay(access: Access, fetch: Fetch, now: float) -> bool:
    """Let a machine see what the origin that it was redirected to has answered before.

    Only a file, and that there is none, are answers that are the same for whoever asks. What could not be
    read was no file, though its status was good: there are no octets of it, or older ones.
    """
    if access.hops or access.truncated:
        return False
    was_read = access.outcome is Outcome.RULES and access.failing_since is None
    status = 200 if access.status == 304 else access.status  # 304 has confirmed the body that is there
    if status is None or not (status in (404, 410) or (status == 200 and was_read)):
        return False
    reply = Reply()
    headers = [("cache-control", f"max-age={max(int(access.expires - now), 0)}")]
    for name, value in (("content-type", access.content_type), ("etag", access.etag)):
        if value is not None:
            headers.append((name, value))
    reply.begin(status, headers)
    reply.chunks = [access.body]
    feed(fetch, reply, now)
    return True


def pause_of(reply: Reply, now: float) -> float | None:
    """Give the seconds that a response asks to be left alone for, or `None`."""
    value = next((value for name, value in reply.headers if name.lower() == "retry-after"), None)
    return None if value is None else retry_after(value, now)
