"""The compared libraries, and the calls that are timed.

A call is an expression, compiled into the loop that times it, as `timeit` does. It uses names of the
library's `setup` and of `workloads.py`. If a library has several calls for the same work, all are timed, and
the fastest one counts.
"""

import importlib.metadata
import importlib.util
import platform
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

__all__ = ["PEERS", "Peer"]


@dataclass(frozen=True)
class Peer:
    """A library, and its calls for each workload.

    `source` is the name of a file in the form that the library parses: `body` (bytes) or `text`. Decoding is
    not timed. `parsed` parses a file, and is "" if the library has no parsed form and reads the file again
    for each question. `rules` prepares the result, `robots`, for one robot. A call with `path` is also timed
    for URLs: `from_url` replaces `path`.
    """

    name: str
    module: str
    package: str = ""  # "" for the standard library
    setup: str = ""
    source: str = "text"
    parsed: str = ""
    rules: str = "robots"
    from_url: str = "url"
    calls: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def installed(self) -> bool:
        """Return whether the library is installed."""
        return importlib.util.find_spec(self.module.partition(".")[0]) is not None

    @property
    def title(self) -> str:
        """The name with the installed version."""
        version = importlib.metadata.version(self.package) if self.package else platform.python_version()
        return f"{self.name} {version}" if self.package else f"{self.name} of Python {version}"

    def load(self) -> dict[str, Any]:
        """Import the library, and return the names that its calls use."""
        names: dict[str, Any] = {}
        exec(self.setup, names)
        return names

    def read(self, body: bytes) -> bytes | str:
        """Return a file in the form that the library parses."""
        return body if self.source == "body" else body.decode("utf-8", "replace")

    def expressions(self, work: str, argument: str) -> tuple[str, ...]:
        """Return the calls for a workload whose question is a `path` or a `url`."""
        calls = self.calls.get(work, ())
        return calls if argument == "path" else tuple(self._for_urls(call) for call in calls)

    def _for_urls(self, call: str) -> str:
        many = "urls" if self.from_url == "url" else f"[{self.from_url} for url in urls]"
        return re.sub(r"\bpath\b", self.from_url, re.sub(r"\bpaths\b", many, call))

    def parser(self) -> Callable[[Any], Any]:
        """Import the library, and return the function that parses a file in the form of `source`."""
        parser: Callable[[Any], Any] = eval(f"lambda {self.source}: {self.parsed}", self.load())
        return parser

    def prepare(self, names: dict[str, Any], source: Any, agent: str) -> dict[str, Any]:
        """Parse a file for a robot, and return the values that calls about it use."""
        found = {self.source: source, "agent": agent}
        if self.parsed:
            found["robots"] = eval(self.parsed, names, found)
            found["rules"] = eval(self.rules, names, found)
        return found


def _each(parse: str, ask: str, **others: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
    """Return the calls of a library that builds all groups when it parses, and has one way to ask."""
    return {
        "parse": (parse,),
        "groups": (parse,),
        "first": (ask.replace("robots.", f"{parse}."),),
        "named": (ask,),
        "ask": (ask,),
        **others,
    }


_COMITY = Peer(
    "Comity",
    "comity",
    "comity",
    setup="from comity import lint, parse, tidy",
    source="body",
    parsed="parse(body)",
    rules="robots.rules_for(agent)",
    calls={
        "parse": ("parse(body)",),
        "groups": ("parse(body).groups",),
        "first": ("parse(body).allowed(path, agent=agent)", "parse(body).rules_for(agent).allowed(path)"),
        "named": ("robots.allowed(path, agent=agent)",),
        "ask": ("rules.allowed(path)",),
        "batch": ("rules.allowed_many(paths)",),
        "check": ("rules.check(path)", "robots.check(path, agent=agent)"),
        "lines": ("parse(body).lines",),
        "diagnostics": ("parse(body).diagnostics",),
        "lint": ("lint(body)",),
        "format": ("tidy(body)",),
    },
)

#: Comity behind Protego's API, so that its calls are those of Protego.
_COMPAT_PROTEGO = Peer(
    "comity.compat.protego",
    "comity.compat.protego",
    "comity",
    setup="from comity.compat.protego import Protego",
    parsed="Protego.parse(text)",
    calls={
        "parse": ("Protego.parse(text)",),
        "first": ("Protego.parse(text).can_fetch(path, agent)",),
        "named": ("robots.can_fetch(path, agent)",),
        "ask": ("robots.can_fetch(path, agent)",),
    },
)

_FASTROBOTS = Peer(
    "fastrobots",
    "fastrobots",
    "fastrobots",
    setup="from fastrobots import Robots, url_path",
    parsed="Robots.parse(text)",
    rules="robots.agent(agent)",
    from_url="url_path(url)",
    calls={
        "parse": ("Robots.parse(text)", "Robots.parse_optimized(text)"),
        "groups": ("Robots.parse(text)", "Robots.parse_optimized(text)"),
        "first": (
            "Robots.parse(text).allowed(path, agent)",
            "Robots.parse_optimized(text).allowed(path, agent)",
            "Robots.parse(text).agent(agent).allowed(path)",
        ),
        "named": ("robots.allowed(path, agent)",),
        "ask": ("robots.allowed(path, agent)", "rules.allowed(path)"),
        "batch": ("robots.allowed_batch(paths, agent)",),
    },
)

_FAST_ROBOTSTXT = Peer(
    "fast-robotstxt",
    "robotstxt",
    "fast-robotstxt",
    setup="from robotstxt import RobotsMatcher\nmatcher = RobotsMatcher()",
    calls={
        "first": (
            "matcher.is_allowed(text, agent, path)",
            "RobotsMatcher().is_allowed(text, agent, path)",
            "matcher.is_allowed_multi(text, [agent], path)",
        ),
        "named": ("matcher.is_allowed(text, agent, path)",),
        "ask": ("matcher.is_allowed(text, agent, path)", "matcher.is_allowed_multi(text, [agent], path)"),
        "check": ("matcher.is_allowed(text, agent, path), matcher.matching_line",),
    },
)

_PROTEGO = Peer(
    "Protego",
    "protego",
    "protego",
    setup="from protego import Protego",
    parsed="Protego.parse(text)",
    calls=_each("Protego.parse(text)", "robots.can_fetch(path, agent)"),
)

_URLLIB = Peer(
    "urllib.robotparser",
    "urllib.robotparser",
    setup="""
from urllib.robotparser import RobotFileParser

def parse(text):
    parser = RobotFileParser()
    parser.parse(text.splitlines())
    return parser
""",
    parsed="parse(text)",
    calls=_each("parse(text)", "robots.can_fetch(agent, path)", format=("str(parse(text))",)),
)

_ROBOTSPY = Peer(
    "robotspy",
    "robots",
    "robotspy",
    setup="from robots import RobotsParser",
    parsed="RobotsParser.from_string(text)",
    calls=_each(
        "RobotsParser.from_string(text)",
        "robots.can_fetch(agent, path)",
        diagnostics=("RobotsParser.from_string(text).warnings",),
        format=("str(RobotsParser.from_string(text))",),
    ),
)

_ROBOTEXCLUSIONRULESPARSER = Peer(
    "robotexclusionrulesparser",
    "robotexclusionrulesparser",
    "robotexclusionrulesparser",
    setup="""
from robotexclusionrulesparser import RobotExclusionRulesParser

def parse(text):
    parser = RobotExclusionRulesParser()
    parser.parse(text)
    return parser
""",
    parsed="parse(text)",
    calls=_each("parse(text)", "robots.is_allowed(agent, path)", format=("str(parse(text))",)),
)

_GPYROBOTSTXT = Peer(
    "gpyrobotstxt",
    "gpyrobotstxt.robots_cc",
    "gpyrobotstxt",
    setup="from gpyrobotstxt.robots_cc import RobotsMatcher",
    source="body",
    calls=dict.fromkeys(
        ("first", "named", "ask"),
        ("RobotsMatcher().allowed_by_robots(body, [agent], path)",),
    ),
)

#: Every library by name, Comity first.
PEERS: dict[str, Peer] = {
    peer.name: peer
    for peer in (
        _COMITY,
        _COMPAT_PROTEGO,
        _FASTROBOTS,
        _FAST_ROBOTSTXT,
        _PROTEGO,
        _URLLIB,
        _ROBOTSPY,
        _ROBOTEXCLUSIONRULESPARSER,
        _GPYROBOTSTXT,
    )
}
