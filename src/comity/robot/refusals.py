"""The errors of a robot that are errors of its HTTP client too, so that both kinds of handlers see them."""

import httpx2

from .. import errors
from ..protocol.robotstxt.verdict import Verdict

__all__ = ["Disallowed", "MustWait", "Unreachable"]


class Disallowed(errors.Disallowed, httpx2.TransportError):
    """A request that was not sent, since the site's robots.txt forbids it; `request` is the request."""

    def __init__(self, request: httpx2.Request, verdict: Verdict) -> None:
        """Tell of a refusal."""
        super(errors.Disallowed, self).__init__(f"{request.url}: {verdict.explain()}")
        self.url = str(request.url)
        self.verdict = verdict
        self.request = request

    def __reduce__(self) -> tuple[object, ...]:
        return Disallowed, (self.request, self.verdict)


class Unreachable(Disallowed, errors.Unreachable):
    """A request that was not sent, since the site's robots.txt cannot be had; `request` is the request."""

    def __init__(self, request: httpx2.Request, verdict: Verdict, until: float) -> None:
        """Tell of a site that cannot be asked."""
        Disallowed.__init__(self, request, verdict)
        self.until = until

    def __reduce__(self) -> tuple[object, ...]:
        return Unreachable, (self.request, self.verdict, self.until)


class MustWait(errors.MustWait, httpx2.TransportError):
    """A request that was not sent, since it would have been too early; `request` is the request."""

    def __init__(self, request: httpx2.Request, seconds: float, reason: str) -> None:
        """Tell of a request that came too early."""
        errors.MustWait.__init__(self, str(request.url), seconds, reason)
        self.request = request

    def __reduce__(self) -> tuple[object, ...]:
        return MustWait, (self.request, self.seconds, self.reason)
