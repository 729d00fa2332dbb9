# Generated from _async/exchange.py by `make generate`; change that file.
"""The interface between a client of any HTTP library and the requests for robots.txt."""

from typing import Protocol

from ...protocol.access.fetch import Request
from ..robots_response import ReceivedResponse


class Exchange(Protocol):
    """Sends a request for a robots.txt and returns the response, received in limited time and memory."""

    #: identifies the credentials of the requests, empty without any
    credentials: str
    #: whether a request had credentials, so that the answer is not for everybody
    sent_credentials: bool

    def __call__(self, request: Request, /) -> ReceivedResponse:
        """Send a request; follow no redirect and decode nothing.

        Failures of the server or the network are part of the response. If the request could not be sent,
        `was_sent` of the response is false. Only errors of this client are raised.
        """
