"""The errors of a robot that are errors of its HTTP client too, so that both kinds of handlers see them."""

import httpx2

from .. import errors
from ..politeness.page import Page
from ..politeness.records import without_password
from ..protocol.robotstxt.verdict import Verdict
from ..protocol.usage.answer import Usage

__all__ = ["Disallowed", "MustWait", "Unreachable", "UsageDisallowed"]


class Disallowed(errors.Disallowed, httpx2.TransportError):
    """A request that was not sent, since the site's robots.txt forbids it; `request` is the request."""

    verdict: Verdict

    def __init__(self, request: httpx2.Request, verdict: Verdict) -> None:
        """Tell of a refusal."""
        errors.Disallowed.__init__(self, without_password(request.url), verdict)
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


class UsageDisallowed(errors.UsageDisallowed, httpx2.TransportError):
    """Content that is not handed out, since it may not be used; `request` is the request.

    `page` is what was read, without its body, where it was read: its links may lead on to other pages.
    """

    usage: Usage

    def __init__(
        self, request: httpx2.Request, category: str, usage: Usage, reason: str, page: Page | None = None
    ) -> None:
        """Tell of a refusal."""
        errors.UsageDisallowed.__init__(self, without_password(request.url), category, usage, reason)
        self.request = request
        self.page = page

    def __reduce__(self) -> tuple[object, ...]:
        return UsageDisallowed, (self.request, self.category, self.usage, self.reason, self.page)


class MustWait(errors.MustWait, httpx2.TransportError):
    """A request that was not sent, since it would have been too early; `request` is the request."""

    def __init__(self, request: httpx2.Request, seconds: float, reason: str) -> None:
        """Tell of a request that came too early."""
        errors.MustWait.__init__(self, without_password(request.url), seconds, reason)
        self.request = request

    def __reduce__(self) -> tuple[object, ...]:
        return MustWait, (self.request, self.seconds, self.reason)
