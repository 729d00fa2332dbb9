"""`Rules` of reppy 0.3.4."""

import time

from ...protocol.errors import InvalidArgument
from ...protocol.robotstxt import parse
from .exceptions import BadStatusCode, ReppyException, ServerError
from .robots import Agent, Robots
from .util import Utility

__all__ = ["Rules"]


class Rules:
    r"""The answer to a request for robots.txt.

    - `url`, `status`: those of the request
    - `expires`: when the answer expires, in seconds since 1970
    - `agents`: an `Agent` for each name in the file, in lower case and file order; "*" is always there
    - `sitemaps`: the values of the Sitemap lines

    >>> rules = Rules("https://example.com/robots.txt", 200, b"User-agent: mapper\nDisallow: /", 0.0)
    >>> rules.allowed("https://example.com/", "mapper/1.0")
    False
    """

    def __init__(
        self,
        url: str,
        status: int,
        content: bytes | str,
        expires: float,
        disallow_forbidden: bool = True,
        *,
        agent_match: str | None = None,
    ) -> None:
        """Judge a response: its `status`, and its `content` if the status is 200.

        401 and 403 disallow everything, unless `disallow_forbidden` is false. Other 4xx allow everything.
        With `agent_match="substring"`, the first name in the file that is a part of a User-Agent header
        counts, as the 1994 standard recommends; None compares whole names (RFC 9309 2.2.1).

        Raises `BadStatusCode` for 5xx, and `ReppyException` for other statuses.
        """
        if agent_match not in (None, "substring"):
            raise InvalidArgument.unknown("agent_match", agent_match, ("None", "substring"))
        self.url = url
        self.status = status
        self.expires = expires
        self._by_substring = agent_match == "substring"
        if status in (401, 403) and disallow_forbidden:
            content = b"User-agent: *\nDisallow: /"
        elif 400 <= status <= 499:
            content = b""
        elif status >= 500:
            raise BadStatusCode(f"status {status} for {url}", status)
        elif status != 200:
            raise ReppyException(ServerError(f"status {status} for {url}", status))
        robots = parse(content)
        names = [name.lower() for group in robots.groups for name in group.agents]
        self._file = Robots("", robots.body)
        self.agents: dict[str, Agent] = {
            name: self._file.agent(name) for name in dict.fromkeys(["*", *names]) if name
        }
        self.sitemaps: list[str] = self._file.sitemaps

    def __getitem__(self, agent: str) -> Agent:
        """Return the rules for a robot, by its User-Agent header."""
        if self._by_substring:
            header = agent.lower()
            named = next((name for name in self.agents if name != "*" and name in header), "*")
            return self.agents[named]
        short = Utility.short_user_agent(agent)
        found = self.agents.get(short.lower())
        return self._file.agent(short) if found is None else found

    def allowed(self, url: str, agent: str) -> bool:
        """Return whether a robot may fetch a URL."""
        return self[agent].allowed(url)

    def disallowed(self, url: str, agent: str) -> bool:
        """Return whether a robot may not fetch a URL."""
        return not self.allowed(url, agent)

    def delay(self, agent: str) -> float | None:
        """Return the seconds of the Crawl-delay for a robot, or None."""
        return self[agent].delay

    @property
    def ttl(self) -> float:
        """The seconds until the answer expires; negative after that."""
        return self.expires - time.time()

    @property
    def expired(self) -> bool:
        """Whether the answer has expired."""
        return self.ttl <= 0
