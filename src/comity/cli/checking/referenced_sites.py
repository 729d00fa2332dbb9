"""The robots.txt of a page's site and of the sites of its references -> which URLs robots may fetch."""

from typing import TYPE_CHECKING

from ...desk.named_robots import NamedRobot
from ...desk.page_permissions import rules_of
from ...errors import InvalidURL, SiteUnavailable
from ...protocol.access.outcome import Access
from ...protocol.dot_segments import without_dot_segments
from ...protocol.origin import Origin
from ...protocol.robotstxt.engine.verdict import Reason, Verdict

if TYPE_CHECKING:
    from ...desk.site_client import SiteClient
    from ...politeness.origin_state import AgentRules

#: Maximum number of other origins whose robots.txt is fetched for the references of one page.
_ORIGINS = 10


class ReferencedSites:
    """The robots.txt of the page's site and of the first 10 other origins, each fetched once."""

    def __init__(self, client: "SiteClient", url: str) -> None:
        self.client = client
        self._own = str(Origin.of(url))
        self._accesses: dict[str, Access | None] = {}
        self._rules: dict[tuple[str, NamedRobot], AgentRules] = {}

    def check(self, url: str, robot: NamedRobot) -> Verdict | None:
        """Return the verdict about a URL. Return None if its robots.txt is not known or unreachable."""
        try:
            target = without_dot_segments(url)
            origin = str(Origin.of(target))
            access = self._access(origin, target)
        except InvalidURL:
            return None
        if access is None:
            return None
        if (origin, robot) not in self._rules:
            self._rules[origin, robot] = rules_of(access, robot, acap=self.client.acap)
        verdict = self._rules[origin, robot].check(target)
        return None if verdict.reason is Reason.UNREACHABLE else verdict

    def _access(self, origin: str, url: str) -> Access | None:
        if origin not in self._accesses:
            others = len(self._accesses.keys() - {self._own})
            if origin != self._own and others >= _ORIGINS:
                return None
            try:
                self._accesses[origin] = self.client.access(url, warns=False)
            except SiteUnavailable:
                self._accesses[origin] = None
        return self._accesses[origin]
