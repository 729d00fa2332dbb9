"""The exceptions of the add-on: each is an error of Comity and an `IgnoreRequest` of Scrapy."""

from scrapy.exceptions import IgnoreRequest

from ... import errors
from ...protocol.robotstxt.verdict import Verdict

#: Scrapy's own message, with which each message begins.
_FORBIDDEN = "Forbidden by robots.txt"


class Disallowed(errors.Disallowed, IgnoreRequest):
    """A request that was not sent because robots.txt disallows it; `verdict` has the reason."""

    verdict: Verdict

    def __init__(self, url: str, verdict: Verdict) -> None:
        super(errors.Disallowed, self).__init__(f"{_FORBIDDEN}: {verdict.explain()}")
        self.url = url
        self.verdict = verdict

    def __reduce__(self) -> tuple[object, ...]:
        return Disallowed, (self.url, self.verdict)


class Unreachable(Disallowed, errors.Unreachable):
    """A request that was not sent because the robots.txt is unreachable; try again after `until`."""

    def __init__(self, url: str, verdict: Verdict, until: float) -> None:
        Disallowed.__init__(self, url, verdict)
        self.until = until

    def __reduce__(self) -> tuple[object, ...]:
        return Unreachable, (self.url, self.verdict, self.until)


class MustWait(errors.MustWait, IgnoreRequest):
    """A request that was not sent because it would wait longer than `COMITY_MAX_WAIT`."""

    def __reduce__(self) -> tuple[object, ...]:
        return MustWait, (self.url, self.seconds, self.reason)


class UsageDisallowed(errors.UsageDisallowed, IgnoreRequest):
    """Content that is not delivered because the site reserves it from a use in `COMITY_RESPECT`."""

    def __reduce__(self) -> tuple[object, ...]:
        return UsageDisallowed, (self.url, self.category, self.usage, self.reason)
