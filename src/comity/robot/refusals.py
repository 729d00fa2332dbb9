"""The errors of a robot that are errors of its HTTP client too, so that both kinds of handlers see them."""

import httpx2

from .. import errors
from ..protocol.robotstxt.verdict import Verdict

__all__ = ["Disallowed", "MustWait"]


class Disallowed(errors.Disallowed, httpx2.TransportError):
    """A request that was not sent, since the site's robots.txt forbids it; `request` is the request."""

    def __init__(self, request: httpx2.Request, verdict: Verdict) -> None:
        """Tell of a refusal."""
        errors.Disallowed.__init__(self, str(request.url), verdict)
        self.request = request

    def __reduce__(self) -> tuple[object, ...]:
        return Disallowed, (self.request, self.verdict)


class MustWait(errors.MustWait, httpx2.TransportError):
    """A request that was not sent, since it would have been too early; `request` is the request."""

    def __init__(self, request: httpx2.Request, seconds: float, reason: str) -> None:
        """Tell of a request that came too early."""
        errors.MustWait.__init__(self, str(request.url), seconds, reason)
        self.request = request

    def __reduce__(self) -> tuple[object, ...]:
        return MustWait, (self.request, self.seconds, self.reason)
