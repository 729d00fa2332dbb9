"""Fetch a page with its redirects, and judge for each robot which uses of it are allowed."""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from ..errors import Disallowed
from ..protocol import without_dot_segments
from ..protocol.access import Access, Outcome
from ..protocol.robotstxt import Reason, Verdict
from ..protocol.robotstxt.fields import USES
from ..protocol.usage import Preference
from .robots_by_name import NamedRobot
from .site_client import RedirectChain

if TYPE_CHECKING:
    from ..politeness import AgentRules, Page, SiteFiles
    from ..protocol.page import DirectiveAnswer
    from ..protocol.usage import LicenseDocuments, Statement, Usage
    from .site_client import SiteClient

#: A function that returns the licence documents for some URLs with their access, a page, and robots.
LicenseSource = Callable[
    [Sequence[tuple[str, Access]], "Page | None", Iterable[NamedRobot]], "LicenseDocuments"
]

#: The directives of a page that are reported.
_DIRECTIVES = ("index", "follow", "archive", "snippet")

#: The directives that are reported only if the page forbids the action.
_RARE_DIRECTIVES = ("image_index", "image_ai", "translate", "directory", "search_box", "read_aloud")

#: The rules that limit actions which a page allows, and the words before them.
_LIMITS = {"index": ("unavailable_after", "until"), "snippet": ("max-snippet", "no more than")}

#: The reason of every answer about a page that robots.txt disallows.
_NOT_ALLOWED = "the page may not be fetched"


class PageAnswer(NamedTuple):
    """The answer to one question about a page, with the reason and its line, if it has one."""

    question: str
    answer: str
    reason: str
    line: int | None


class PagePermissions(NamedTuple):
    """What one robot may do with one page.

    `verdict_url` is the URL that the verdict is about: the page, or the first disallowed redirect target.
    `access` is the access to the site of that target, or of the page.
    `page` is None if the page was not fetched; `missing` then says why. `usages` are the statements about
    the use of each URL, the redirecting ones first and the page last. `assumptions` has what is assumed about
    the robot to read the files of their sites.
    """

    url: str
    agent: str
    verdict: Verdict
    verdict_url: str
    access: Access
    page: "Page | None"
    usages: "tuple[Usage, ...]"
    missing: str
    assumptions: tuple[str, ...]

    @property
    def usage(self) -> "Usage":
        """The statements about the use of the page itself."""
        return self.usages[-1]

    @property
    def unreachable(self) -> bool:
        """Whether the page is disallowed because the site's robots.txt is unreachable."""
        return self.verdict.reason is Reason.UNREACHABLE

    def deciding(self, category: str) -> "tuple[Statement | None, Usage]":
        """Return the statement that decides a use, and where it was found. A disallow on the way counts."""
        for usage in self.usages:
            statement = usage.deciding(category)
            if statement is not None and statement.preference is Preference.DISALLOW:
                return statement, usage
        return self.usage.deciding(category), self.usage

    def answers(self) -> Iterator[PageAnswer]:
        """Yield each question with its answer."""
        location = "" if self.verdict_url == self.url else f"{self.verdict_url}: "
        reason = f"{location}{self.verdict.explain()}"
        yield PageAnswer("crawl", _word(self.verdict.allowed), reason, self.verdict.line)
        for name in _DIRECTIVES:
            yield self._directive(name)
        if self.page is not None and self.page.has_content:
            for name in _RARE_DIRECTIVES:
                if not getattr(self.page.directives, name):
                    yield self._directive(name)
        for category in USES:
            yield self._use(category)
        for category in self.usage.categories:
            if category.startswith(("acap-", "ai-index")) and self.deciding(category)[0] is not None:
                yield self._use(category)

    def _directive(self, name: str) -> PageAnswer:
        question = name.replace("_", "-")
        if self.page is None or not self.page.has_content:
            return PageAnswer(question, "unknown", self.missing_content, None)
        answer: DirectiveAnswer = getattr(self.page.directives, name)
        return PageAnswer(question, _word(answer.allowed), _reason(answer, self.page), answer.line)

    def _use(self, category: str) -> PageAnswer:
        if not self.verdict.allowed:
            return PageAnswer(category, "disallowed", _NOT_ALLOWED, self.verdict.line)
        statement, usage = self.deciding(category)
        if statement is not None:
            location = f"{usage.url}: " if usage is not self.usage else ""
            allowed = statement.preference is Preference.ALLOW
            return PageAnswer(category, _word(allowed), f"{location}{statement}", statement.place)
        if self.page is None or not self.page.has_content:
            return PageAnswer(category, "unknown", self.missing_content, None)
        return PageAnswer(category, "unknown", self.page.unavailable_sources or usage.explain(category), None)

    @property
    def missing_content(self) -> str:
        """The reason why there is no content to judge."""
        return self.missing if self.page is None else f"no page: the server answered {self.page.status}"

    def permits(self, categories: Sequence[str]) -> bool:
        """Return whether the page may be fetched, and its content used for each category.

        The category "index" is the directive of the page. A use of content that could not be read is not
        permitted.
        """
        if not self.verdict.allowed or not categories:
            return self.verdict.allowed
        if self.page is None or self.page.unavailable_sources or not self.page.has_content:
            return False
        uses = [category for category in categories if category != "index"]
        if len(uses) < len(categories) and not self.page.directives.index:
            return False
        return all(usage.permits(category) for usage in self.usages for category in uses)


def page_permissions(
    client: "SiteClient",
    url: str,
    robots: Mapping[str, NamedRobot],
    *,
    licenses: "LicenseSource | None" = None,
) -> list[PagePermissions]:
    """Fetch a page if it may be fetched, and judge it for each robot.

    `robots` has the robots by their labels. `licenses` returns the RSL documents that the sites and the page
    name, so that they count too. Redirects are followed while one of the robots may fetch their targets.
    Raises `InvalidURL`, and `SiteUnavailable` for a page that is unavailable.
    """
    steps: list[tuple[str, Access]] = []
    following = list(robots.values())
    page, files, missing = None, None, _NOT_ALLOWED
    chain = RedirectChain(url)
    while True:
        target = without_dot_segments(chain.urls[-1])
        access = client.access(target)
        steps.append((target, access))
        following = [
            robot for robot in following if rules_of(access, robot, acap=client.acap).allowed(target)
        ]
        page = files = None
        if not following:
            break
        try:
            page, files = client.page(target)
        except Disallowed as refusal:
            missing = f"{client.name} may not fetch it: {refusal.verdict.explain()}; try another --user-agent"
            break
        if not chain.follow(page.status, page.headers):
            break
    documents = None if licenses is None else licenses(steps, page, robots.values())
    return [
        _permissions_of(url, agent, robot, steps, page, files, missing, documents, acap=client.acap)
        for agent, robot in robots.items()
    ]


def _permissions_of(
    url: str,
    agent: str,
    robot: NamedRobot,
    steps: Sequence[tuple[str, Access]],
    page: "Page | None",
    files: "SiteFiles | None",
    missing: str,
    documents: "LicenseDocuments | None",
    *,
    acap: bool,
) -> PagePermissions:
    """Judge the URL, each redirect target, and then the page, for one robot."""
    from ..politeness import page_of_response
    from ..protocol.usage import usage

    usages = []
    assumed: dict[str, None] = {}
    for target, access in steps:
        verdict = rules_of(access, robot, acap=acap).check(target)
        rules = robot.rules_for(access.robots)
        assumed |= dict.fromkeys(robot.assumptions_for(rules))
        usages.append(
            usage(
                target,
                agent=robot.names,
                robots=access,
                rules=rules,
                control_token=robot.control_token,
                acap=acap,
                licenses=documents,
            )
        )
        if not verdict:
            found = target, access, None, tuple(usages), _NOT_ALLOWED, tuple(assumed)
            return PagePermissions(url, agent, verdict, *found)
    if page is None:
        found = url, access, None, tuple(usages), missing, tuple(assumed)
        return PagePermissions(url, agent, verdict, *found)
    judgement = page_of_response(
        page.url,
        tuple(target for target, _ in steps[:-1]),
        page.status,
        page.headers,
        page.body,
        agent=robot.names,
        now=time.time(),
        robots=access,
        rules=rules,
        files=files,
        control_token=robot.control_token,
        acap=acap,
        licenses=documents,
    )
    usages[-1] = judgement.usage
    return PagePermissions(url, agent, verdict, url, access, judgement, tuple(usages), "", tuple(assumed))


def rules_of(access: Access, robot: NamedRobot, *, acap: bool) -> "AgentRules":
    """Return what a site says to a robot."""
    from ..politeness import AgentRules

    rules = robot.rules_for(access.robots) if access.outcome is Outcome.RULES else None
    return AgentRules(access, robot.tokens, rules, acap=acap)


def _word(allowed: bool) -> str:
    return "allowed" if allowed else "disallowed"


def _reason(answer: "DirectiveAnswer", page: "Page") -> str:
    """Return the statement that decides a directive, or the limit of an action that is allowed."""
    if answer.statements:
        return f"`{answer.statements[0]}` ({answer.source})"
    rule, words = _LIMITS.get(answer.question, ("", ""))
    limit = page.directives.decisive(rule) if rule else None
    return "nothing forbids it" if limit is None else f"{words} `{limit}` ({limit.source})"
