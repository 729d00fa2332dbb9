"""`/llms.txt` of the sites of pages: whether it exists, and whether a robot may fetch it.

The file is a page for language models, with links to pages worth reading. It has no rules, so nothing in it
counts as a preference, and its content is not read.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from ..errors import Disallowed, InvalidURL, SiteUnavailable
from ..protocol import counted, printable
from ..protocol.access import Access
from .permissions import PagePermissions, rules_of
from .robots_by_name import NamedRobot
from .verdicts import SITES

if TYPE_CHECKING:
    from ..politeness import AgentRules
    from .site_client import SiteClient

#: The media types of Markdown, and those of files whose type the server does not know.
_MARKDOWN = ("text/markdown", "text/x-markdown", "text/plain", "application/octet-stream", "")


class LlmsTxt(NamedTuple):
    """The answer of a site to a request for its `llms.txt`.

    `exists` is None if that is not known. It is false for a web page or JSON, as many servers send for every
    URL. `reason` says why it is not true. `size` is the number of bytes.
    """

    url: str
    exists: bool | None
    reason: str = ""
    size: int = 0
    media_type: str = ""


class LlmsTxtFiles:
    """The `llms.txt` of each site, requested once, like a page and without following redirects."""

    def __init__(self, client: "SiteClient") -> None:
        self._client = client
        self._files: dict[str, LlmsTxt] = {}
        self._accesses: dict[str, Access] = {}
        self._shown: set[tuple[str, str]] = set()

    def fetch(self, judged: Sequence[PagePermissions]) -> None:
        """Request the file of the site of a page, if the page was fetched."""
        for permissions in judged:
            origin = permissions.access.origin
            if permissions.page is not None and origin not in self._files:
                if len(self._files) >= SITES:
                    self._files.clear()
                    self._accesses.clear()
                    self._shown.clear()
                self._files[origin] = _fetched(self._client, origin)
                self._accesses[origin] = permissions.access

    def record(self, permissions: PagePermissions, robot: NamedRobot) -> dict[str, object]:
        """Return the answer about the site of a page as JSON; empty if its file was not requested."""
        origin = permissions.access.origin
        return {"llms_txt": self._record(origin, robot)} if origin in self._files else {}

    def records(self, robots: Mapping[str, NamedRobot]) -> list[dict[str, object]]:
        """Return the answer of each site for each robot as JSON."""
        return [
            {"agent": printable(agent), **self._record(origin, robot)}
            for origin in self._files
            for agent, robot in robots.items()
        ]

    def lines(self, judged: Iterable[PagePermissions], robots: Mapping[str, NamedRobot]) -> Iterator[str]:
        """Yield a sentence on the file of the site of each page, once for each site and robot.

        A site without the file has none.
        """
        for permissions in judged:
            yield from self._line(permissions.access.origin, permissions.agent, robots[permissions.agent])

    def all_lines(self, robots: Mapping[str, NamedRobot]) -> Iterator[str]:
        """Yield a sentence for each site and robot, as `lines` does."""
        for origin in self._files:
            for agent, robot in robots.items():
                yield from self._line(origin, agent, robot)

    def _record(self, origin: str, robot: NamedRobot) -> dict[str, object]:
        file = self._files[origin]
        verdict = self._rules(origin, robot).check(file.url)
        found = {**file._asdict(), "reason": printable(file.reason) or None}
        return {**found, "allowed": verdict.allowed, "line": verdict.line}

    def _rules(self, origin: str, robot: NamedRobot) -> "AgentRules":
        return rules_of(self._accesses[origin], robot, acap=self._client.acap)

    def _line(self, origin: str, agent: str, robot: NamedRobot) -> Iterator[str]:
        file = self._files.get(origin)
        key = origin, agent
        if file is None or file.exists is False or key in self._shown:
            return
        self._shown.add(key)
        if file.exists is None:
            yield f"llms.txt: unknown: {file.reason}"
            return
        verdict = self._rules(origin, robot).check(file.url)
        may = "may" if verdict.allowed else "may not"
        reason = "" if verdict.allowed else f": {verdict.explain()}"
        size = f"{counted(file.size, 'byte')}, {file.media_type or 'no media type'}"
        yield f"llms.txt: {file.url} ({size}); {agent} {may} fetch it{reason}"


def _fetched(client: "SiteClient", origin: str) -> LlmsTxt:
    """Request the file; a failure is an answer too."""
    url = f"{origin}/llms.txt"
    try:
        page, _ = client.page(url)
    except Disallowed as refusal:
        return LlmsTxt(url, None, f"{client.name} may not fetch it: {refusal.verdict.explain()}")
    except (InvalidURL, SiteUnavailable) as error:
        return LlmsTxt(url, None, str(error))
    if page.status in (404, 410):
        return LlmsTxt(url, False, f"the server answered {page.status}")
    if page.status != 200:
        return LlmsTxt(url, None, f"the server answered {page.status}")
    values = (value for name, value in page.headers if name.lower() == "content-type")
    media_type = printable(next(values, "").partition(";")[0].strip().lower())[:100]
    if media_type not in _MARKDOWN:
        return LlmsTxt(url, False, f"the server sent {media_type}, not Markdown or plain text")
    return LlmsTxt(url, True, "", len(page.body), media_type)
