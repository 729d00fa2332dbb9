"""The errors of a robot by which Scrapy ignores a request, so that both kinds of handlers see them."""

from scrapy.exceptions import IgnoreRequest

from ... import errors
from ...protocol.robotstxt.verdict import Verdict

__all__ = ["Disallowed", "MustWait", "Unreachable", "UsageDisallowed"]

#: How Scrapy's own message begins, and is.
_FORBIDDEN = "Forbidden by robots.txt"


class Disallowed(errors.Disallowed, IgnoreRequest):
    """A request that was not sent, since the site's robots.txt forbids it; `verdict` says why."""

    def __init__(self, url: str, verdict: Verdict) -> None:
        """Tell of a refusal."""
        super(errors.Disallowed, self).__init__(f"{_FORBIDDEN}: {verdict.explain()}")
        self.url = url
        self.verdict = verdict

    def __reduce__(self) -> tuple[object, ...]:
        return Disallowed, (self.url, self.verdict)


class Unreachable(Disallowed, errors.Unreachable):
    """A request that was not sent, since the site's robots.txt cannot be had; ask again after `until`."""

    def __init__(self, url: str, verdict: Verdict, until: float) -> None:
        """Tell of a site that cannot be asked."""
        Disallowed.__init__(self, url, verdict)
        self.until = until

    def __reduce__(self) -> tuple[object, ...]:
        return Unreachable, (self.url, self.verdict, self.until)


class MustWait(errors.MustWait, IgnoreRequest):
    """A request that was not sent, since it would have been too early by more than `COMITY_MAX_WAIT`."""

    def __reduce__(self) -> tuple[object, ...]:
        return MustWait, (self.url, self.seconds, self.reason)


class UsageDisallowed(errors.UsageDisallowed, IgnoreRequest):
    """Content that is left out, since the site keeps it from a use that `COMITY_RESPECT` names."""

    def __reduce__(self) -> tuple[object, ...]:
        return UsageDisallowed, (self.url, self.category, self.usage, self.reason)
