"""The errors of a robot that are errors of httpx2 too, so that handlers of both kinds catch them."""

import httpx2

from .. import errors
from ..politeness.page import Page
from ..protocol.access.outcome import Cause
from ..protocol.robotstxt.engine.verdict import Verdict
from ..protocol.usage.answer import Usage

#: The errors that have a counterpart here.
REFUSALS = (errors.Disallowed, errors.UsageDisallowed, errors.NotPublic, errors.MustWait)


class Disallowed(errors.Disallowed, httpx2.TransportError):
    """A request that was not sent because robots.txt forbids it; `request` is the request."""

    _arguments = "request verdict"

    def __init__(self, request: httpx2.Request, verdict: Verdict) -> None:
        errors.Disallowed.__init__(self, str(request.url), verdict)
        self.request = request


class Unreachable(Disallowed, errors.Unreachable):
    """A request that was not sent because the robots.txt is unreachable; `request` is the request."""

    _arguments = "request verdict until cause"

    def __init__(self, request: httpx2.Request, verdict: Verdict, until: float, cause: Cause) -> None:
        Disallowed.__init__(self, request, verdict)
        self.until = until
        self.cause = cause


class UsageDisallowed(errors.UsageDisallowed, httpx2.TransportError):
    """Content that is not returned because a use of it is disallowed; `request` is the request.

    `page` is the page without its body, if it was read: its links may lead to other pages.
    """

    _arguments = "request category usage reason page"

    def __init__(
        self, request: httpx2.Request, category: str, usage: Usage, reason: str, page: Page | None = None
    ) -> None:
        errors.UsageDisallowed.__init__(self, str(request.url), category, usage, reason)
        self.request = request
        self.page = page


class NotPublic(errors.NotPublic, httpx2.TransportError):
    """A request that was not sent because its host is not public; `request` is the request."""

    _arguments = "request host address use"

    def __init__(self, request: httpx2.Request, host: str, address: str, use: str) -> None:
        errors.NotPublic.__init__(self, str(request.url), host, address, use)
        self.request = request


class MustWait(errors.MustWait, httpx2.TransportError):
    """A request that was not sent because it would have been too early; `request` is the request."""

    _arguments = "request seconds reason until"

    def __init__(self, request: httpx2.Request, seconds: float, reason: str, until: float | None) -> None:
        errors.MustWait.__init__(self, str(request.url), seconds, reason, until)
        self.request = request


def refusal_of(
    error: errors.Disallowed | errors.UsageDisallowed | errors.NotPublic | errors.MustWait,
    request: httpx2.Request,
) -> httpx2.TransportError:
    """Return an error of the governor as an error of httpx2."""
    if isinstance(error, httpx2.TransportError):  # of another request, which this one needed first
        return error
    if isinstance(error, errors.MustWait):
        return MustWait(request, error.seconds, error.reason, error.until)
    if isinstance(error, errors.UsageDisallowed):
        return UsageDisallowed(request, error.category, error.usage, error.reason)
    if isinstance(error, errors.NotPublic):
        return NotPublic(request, error.host, error.address, error.use)
    if isinstance(error, errors.Unreachable):
        return Unreachable(request, error.verdict, error.until, error.cause)
    return Disallowed(request, error.verdict)
