"""The exceptions of the add-on: each is an error of Comity and an `IgnoreRequest` of Scrapy."""

from scrapy.exceptions import IgnoreRequest
from scrapy.http import Response

from ... import errors
from ...protocol import without_password
from ...protocol.access import Cause
from ...protocol.robotstxt import Verdict

#: Scrapy's own message; each message begins with it.
_FORBIDDEN = "Forbidden by robots.txt"


class Disallowed(errors.Disallowed, IgnoreRequest):
    """A request that was not sent because robots.txt disallows it; `verdict` has the reason."""

    def __init__(self, url: str, verdict: Verdict) -> None:
        super(errors.Disallowed, self).__init__(f"{_FORBIDDEN}: {verdict.explain()}")
        self.url = without_password(url)
        self.verdict = verdict


class Unreachable(Disallowed, errors.Unreachable):
    """A request that was not sent because the robots.txt is unreachable; try again after `until`."""

    _arguments = "url verdict until cause"

    def __init__(self, url: str, verdict: Verdict, until: float, cause: Cause) -> None:
        Disallowed.__init__(self, url, verdict)
        self.until = until
        self.cause = cause


class MustWait(errors.MustWait, IgnoreRequest):
    """A request that was not sent because it would wait longer than `COMITY_MAX_WAIT`."""


class NotPublic(errors.NotPublic, IgnoreRequest):
    """A request that was not sent because its host is not public, with `COMITY_PUBLIC_ONLY`."""


class UsageDisallowed(errors.UsageDisallowed, IgnoreRequest):
    """Content that is not delivered because the site reserves it from a use in `COMITY_RESPECT`.

    `response` is the response, or `None` if the request was not sent. Its links may lead to other pages.
    """

    response: Response | None = None
