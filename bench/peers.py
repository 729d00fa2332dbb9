"""The compared libraries, each behind the same operations.

An adapter does only what a crawler with this library would do. If a library does not accept bytes or absolute
URLs, the adapter converts them with the library's own functions.
"""

import importlib
import importlib.metadata
import importlib.util
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

__all__ = ["LIBRARIES", "Library", "Peer", "open_peer"]


@dataclass(frozen=True)
class Library:
    """A library: our name, the module, and the package ("" for the standard library)."""

    name: str
    module: str
    package: str = ""

    @property
    def installed(self) -> bool:
        """Return whether the library is installed."""
        return importlib.util.find_spec(self.module.partition(".")[0]) is not None

    @property
    def title(self) -> str:
        """The name with the installed version."""
        return f"{self.name} {importlib.metadata.version(self.package)}" if self.package else self.name


@dataclass(frozen=True)
class Peer:
    """An adapter for a library.

    `read` converts a body to the argument of `parse`, and is not timed. `prepare` converts a parsed file to
    the object that answers the questions of one robot. `keeps` is false if a library has no parsed form and
    reads the file again for each question.
    """

    read: Callable[[bytes], Any]
    parse: Callable[[Any], Any]
    prepare: Callable[[Any, str], Any]
    ask: Callable[[Any, str, str], bool]
    many: Callable[[Any, str, Iterable[str]], list[bool]]
    keeps: bool = True


def _as_it_is(parsed: Any, _agent: str) -> Any:
    return parsed


def _bytes(body: bytes) -> bytes:
    return body


def _text(body: bytes) -> str:
    return body.decode("utf-8", "replace")


def _comity() -> Peer:
    from comity import parse

    return Peer(
        _bytes,
        parse,
        lambda robots, agent: robots.rules_for(agent),
        lambda rules, _agent, url: rules.allowed(url),
        lambda rules, _agent, urls: rules.allowed_many(urls),
    )


def _urllib() -> Peer:
    from urllib.robotparser import RobotFileParser

    def parse(text: str) -> RobotFileParser:
        parser = RobotFileParser()
        parser.parse(text.splitlines())
        return parser

    return Peer(
        _text,
        parse,
        _as_it_is,
        lambda parser, agent, url: parser.can_fetch(agent, url),
        lambda parser, agent, urls: [parser.can_fetch(agent, url) for url in urls],
    )


def _protego() -> Peer:
    from protego import Protego

    return Peer(
        _text,
        Protego.parse,
        _as_it_is,
        lambda parser, agent, url: parser.can_fetch(url, agent),
        lambda parser, agent, urls: [parser.can_fetch(url, agent) for url in urls],
    )


def _robotspy() -> Peer:
    from robots import RobotsParser

    return Peer(
        _text,
        RobotsParser.from_string,
        _as_it_is,
        lambda parser, agent, url: parser.can_fetch(agent, url),
        lambda parser, agent, urls: [parser.can_fetch(agent, url) for url in urls],
    )


def _robotexclusionrulesparser() -> Peer:
    from robotexclusionrulesparser import RobotExclusionRulesParser

    def parse(text: str) -> RobotExclusionRulesParser:
        parser = RobotExclusionRulesParser()
        parser.parse(text)
        return parser

    return Peer(
        _text,
        parse,
        _as_it_is,
        lambda parser, agent, url: parser.is_allowed(agent, url),
        lambda parser, agent, urls: [parser.is_allowed(agent, url) for url in urls],
    )


def _gpyrobotstxt() -> Peer:
    from gpyrobotstxt.robots_cc import RobotsMatcher

    def ask(body: bytes, agent: str, url: str) -> bool:
        return RobotsMatcher().one_agent_allowed_by_robots(body, agent, url)

    return Peer(
        _bytes,
        _bytes,
        _as_it_is,
        ask,
        lambda body, agent, urls: [ask(body, agent, url) for url in urls],
        keeps=False,
    )


def _fastrobots() -> Peer:
    from fastrobots import Robots, url_path

    return Peer(
        _text,
        Robots.parse,
        lambda robots, agent: robots.agent(agent),
        lambda rules, _agent, url: rules.allowed(url_path(url)),
        lambda rules, _agent, urls: [rules.allowed(url_path(url)) for url in urls],
    )


_OPENERS = {
    Library("Comity", "comity", "comity"): _comity,
    Library("urllib.robotparser", "urllib.robotparser"): _urllib,
    Library("Protego", "protego", "protego"): _protego,
    Library("robotspy", "robots", "robotspy"): _robotspy,
    Library(
        "robotexclusionrulesparser", "robotexclusionrulesparser", "robotexclusionrulesparser"
    ): _robotexclusionrulesparser,
    Library("gpyrobotstxt", "gpyrobotstxt.robots_cc", "gpyrobotstxt"): _gpyrobotstxt,
    Library("fastrobots", "fastrobots", "fastrobots"): _fastrobots,
}

#: Every adapter by name, Comity first.
LIBRARIES = {library.name: library for library in _OPENERS}


def open_peer(name: str) -> Peer:
    """Import a library and return its adapter."""
    return _OPENERS[LIBRARIES[name]]()
