# Generated from _async/robots_exchange.py by `make generate`; change that file.
"""The requests for robots.txt, sent by a transport of httpx2."""

import httpx2

from ...errors import NotPublic
from ...politeness._sync.governor import RequestGovernor
from ...politeness.received import ReceivedResponse
from ...politeness.recorder import OutgoingRequest
from ...protocol.access.fetch import ACCEPTED, Request
from ...protocol.access.outcome import Cause
from ..failures import FAULTS, cause_of, is_of_response, said_by, was_sent
from .sending import Send, with_deadline

#: Maximum timeout in seconds for one step of a request, such as connecting.
_STEP_TIMEOUT = 10.0

#: Causes of a failure before anything was sent to the server.
_BEFORE_SENDING = (Cause.DNS, Cause.REFUSED, Cause.NOT_FETCHABLE)


class RobotsExchange:
    """Sends requests for robots.txt, and records each."""

    def __init__(
        self, send: Send, governor: RequestGovernor, authorization: tuple[httpx2.URL, str] | None = None
    ) -> None:
        """Prepare an exchange; `authorization` is a URL whose origin gets this Authorization field."""
        self._send = send
        self._governor = governor
        self._settings = governor.settings
        self._recorder = governor.recorder
        self._authorization = authorization
        # Less for the pool, so that a wait for our own connections differs from a wait for the server.
        step = min(self._settings.robots_timeout, _STEP_TIMEOUT)
        self._timeouts = httpx2.Timeout(step, pool=step / 2).as_dict()
        self._identity = self._settings.identity.headers
        self._usual = httpx2.Headers([*ACCEPTED, *self._identity])

    def authorized(self, url: httpx2.URL, authorization: str | None) -> "RobotsExchange":
        """Return the exchange that sends an Authorization field to the origin of a URL, and nowhere else."""
        if authorization is None:
            return self
        return RobotsExchange(self._send, self._governor, (url, authorization))

    def __call__(self, wanted: Request) -> ReceivedResponse:
        """Send a request and return the response, received in limited time and memory.

        Raises `MustWait` if the pool of the transport has no free connection, although this client has: the
        pool is smaller than known, or other clients use it.
        """
        response = ReceivedResponse()
        try:
            is_usual = wanted.headers == ACCEPTED
            headers = self._usual if is_usual else [*wanted.headers, *self._identity]
            request = httpx2.Request("GET", wanted.url, headers=headers)
        except httpx2.InvalidURL as failure:  # the target of a redirect
            response.fail(Cause.NOT_FETCHABLE, said_by(failure))
            response.was_sent = False
            return response
        if self._authorization is not None and self._authorization[0].origin == request.url.origin:
            request.headers["Authorization"] = self._authorization[1]
        request.extensions = {"timeout": dict(self._timeouts)}
        made = True
        sent = self._governor.clock.time()
        try:
            with_deadline(self._settings.robots_timeout, request, self._receive, response)
        except httpx2.PoolTimeout:
            raise self._governor.no_connection(OutgoingRequest("GET", wanted.url)) from None
        except NotPublic as refusal:
            response.refuse(refusal)
        except FAULTS as failure:
            response.fail(cause_of(failure), said_by(failure))
            made = was_sent(failure)
        except BaseException as failure:
            if not (isinstance(failure, Exception) and is_of_response(failure)):
                self._log(request, response, said_by(failure), sent if was_sent(failure) else None)
                raise
            response.fail(Cause.PROTOCOL_ERROR, said_by(failure))
        made = made and response.cause not in _BEFORE_SENDING
        self._log(request, response, response.detail or None, sent if made else None)
        return response

    def _log(
        self, request: httpx2.Request, response: ReceivedResponse, error: str | None, sent: float | None
    ) -> None:
        self._recorder.log_robots_txt(request.url, response.status, error, sent=sent)

    def _receive(self, request: httpx2.Request, received: ReceivedResponse) -> None:
        """Receive a response for as long as more of it is needed."""
        response = self._send(request)
        try:
            received.start(response.status_code, response.headers.multi_items())
            if received.wants_body:
                assert isinstance(response.stream, httpx2.SyncByteStream)  # noqa: S101
                limit = self._settings.policy.limit
                for chunk in response.stream:  # not decoded; complete if it was made in memory
                    if not received.add(chunk, limit):
                        if received.overflows:  # closing does not end the stream
                            break
                        # An async generator must not be left unfinished; closing ends it with an error.
                        response.close()
        except FAULTS:
            if not received.is_cut:
                raise
        finally:
            response.close()
