r"""`Robots`, `Agent`, `AllowAll` and `AllowNone` of reppy 0.4.

>>> from comity.compat.reppy.robots import Robots
>>> robots = Robots.parse("https://example.com/robots.txt", "User-agent: *\nDisallow: /private/\n")
>>> robots.allowed("https://example.com/private/x", "ExampleBot")
False
"""

import math
import re
import time
from collections.abc import Callable
from contextlib import closing
from typing import Any, Self
from urllib.parse import urlsplit, urlunsplit

from ...protocol import InvalidURL, robots_url, to_bytes, to_text
from ...protocol.robotstxt import Rules, parse
from ..shared.arguments import groups_as_text, refuse_known, rooted
from . import exceptions
from .requesting import body_of, requested, requests_package, translated
from .ttl import HeaderWithDefaultPolicy, TTLPolicyBase

__all__ = ["Agent", "AllowAll", "AllowNone", "Robots"]

_NUMBER = re.compile(r"[+-]?(?:[0-9]{1,20}\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]{1,3})?")

#: Characters that cannot be written in a rule as they are.
_UNSAFE = re.compile(r"[\x00-\x20\x7f]")


class Agent:
    r"""The rules for one robot: those of a file, and those that a program adds.

    >>> Agent().disallow("/").allow("/open").allowed("/open/x")
    True
    """

    def __init__(self) -> None:
        """Create rules that allow everything."""
        self._host = ""
        self._all_lines: list[str] | None = []
        self._rules: Rules | None = None
        self._file_rules: Rules | None = None

    @classmethod
    def from_robots(cls, robots: "Robots", name: str | bytes) -> Self:
        """Return the rules of a file, `robots`, for the robot of a `name`."""
        agent = cls()
        agent._host = robots._host
        agent._rules = agent._file_rules = robots._robots.rules_for(_text(name))
        agent._all_lines = None
        return agent

    @property
    def delay(self) -> float | None:
        """The seconds of the last valid Crawl-delay; None if it is absent or 0."""
        return None if self._file_rules is None else _delay_of(self._file_rules)

    def allow(self, path: str | bytes) -> Self:
        """Add a rule that allows a `path`, a pattern; return the same object."""
        return self._add("Allow", path)

    def disallow(self, path: str | bytes) -> Self:
        """Add a rule that disallows a `path`, a pattern; return the same object.

        An empty pattern has no effect.
        """
        return self._add("Disallow", path)

    def allowed(self, path: str | bytes) -> bool:
        """Return whether the robot may fetch a URL or a `path`; a URL of another host is not allowed.

        Raises `AttributeError` for other types, and `ValueError` for brackets that hold no IP address.
        """
        url = _text(path)
        if _is_external(url, self._host):
            return False
        if self._rules is None:
            self._rules = parse("\n".join(["User-agent: *", *self._lines()])).rules_for("*")
        return self._rules.allowed(rooted(url))

    def _add(self, field: str, path: str | bytes) -> Self:
        pattern = _UNSAFE.sub(lambda found: f"%{ord(found[0]):02X}", _text(path).partition("#")[0])
        if not _is_external(pattern, self._host):
            self._lines().append(f"{field}: {pattern}")
            self._rules = None
        return self

    def _lines(self) -> list[str]:
        """Return all rules as lines, which the questions about a file do not need."""
        if self._all_lines is None:
            groups = self._rules.groups if self._rules else ()
            self._all_lines = [str(rule) for group in groups for rule in group.rules]
        return self._all_lines

    def __len__(self) -> int:
        return len(self._lines())

    def __str__(self) -> str:
        delay = f"Crawl-Delay: {self.delay:.3g} " if self.delay else ""
        return f"{delay}[{', '.join(f'Directive({line})' for line in self._lines())}]"


class Robots:
    """A parsed robots.txt, with the time when it expires.

    URLs of another host than that of `url`, the URL of the file, are not allowed (RFC 9309 2.3). The name of
    a robot is a product token or a whole User-Agent header.
    """

    #: The time that the fields of the response ask for, or one hour; at least ten minutes.
    DEFAULT_TTL_POLICY: TTLPolicyBase = HeaderWithDefaultPolicy(default=3600, minimum=600)

    def __init__(self, url: str | bytes, content: bytes, expires: float | None = None) -> None:
        """Parse the `content` of the file at `url`, which `expires` at that time, in seconds since 1970.

        Raises `TypeError` unless `content` is bytes; `parse` accepts a `str` too.
        """
        if not isinstance(content, (bytes, bytearray)):
            raise TypeError(f"expected bytes, {type(content).__name__} found")
        self._robots = parse(bytes(content))
        self._host = _host_of(_text(url))
        self._expires = expires

    @classmethod
    def parse(cls, url: str | bytes, content: str | bytes, expires: float | None = None) -> Self:
        """Return the `content` of the file at `url`, parsed; it `expires` at that time."""
        return cls(url, content if isinstance(content, bytes) else to_bytes(_text(content)), expires)

    @classmethod
    def fetch(
        cls,
        url: str,
        ttl_policy: TTLPolicyBase | None = None,
        max_size: int = 1_048_576,
        *args: Any,
        after_response_hook: Callable[[Any], object] | None = None,
        after_parse_hook: Callable[["Robots"], object] | None = None,
        **kwargs: Any,
    ) -> "Robots":
        """Request and parse the robots.txt at `url` with the package requests.

        - `ttl_policy`: computes when the file expires
        - `max_size`: maximum number of bytes
        - `args` and `kwargs`: those of `requests.get`; a `timeout` limits the whole body too
        - `after_response_hook`: is called with the response, or with the exception that is raised
        - `after_parse_hook`: is called with the parsed file

        As in reppy, 401 and 403 allow nothing, and other 4xx allow everything. Raises `BadStatusCode` for
        other statuses than 200, `ContentTooLong`, and the other exceptions of reppy for failures. Raises
        `ImportError` if requests is not installed.
        """
        try:
            with closing(requested(requests_package(), url, args, kwargs)) as response:
                content = body_of(response, max_size + 1, kwargs.get("timeout"))
                if len(content) > max_size:
                    raise exceptions.ContentTooLong(f"robots.txt has more than {max_size} bytes")
                if after_response_hook is not None:
                    after_response_hook(response)
                expires = (ttl_policy or cls.DEFAULT_TTL_POLICY).expires(response)
                status = response.status_code
        except exceptions.ReppyException as error:
            raise _reported(error, url, after_response_hook) from error.__cause__
        except Exception as error:
            failure = translated(error)
            if failure is None:
                raise
            raise _reported(failure, url, after_response_hook) from error
        if status == 200:
            robots = cls.parse(url, content, expires)
            if after_parse_hook is not None:
                after_parse_hook(robots)
            return robots
        if status in (401, 403):
            return AllowNone(url, expires)
        if 400 <= status <= 499:
            return AllowAll(url, expires)
        raise exceptions.BadStatusCode(f"Got {status} for {url}", status)

    @classmethod
    def robots_url(cls, url: str | bytes) -> str:
        """Return the URL of the robots.txt for a `url`.

        >>> Robots.robots_url("http://user@example.com:8080/path?query#fragment")
        'http://example.com:8080/robots.txt'

        Raises `ValueError` for a port that is not a number.
        """
        text = _text(url)
        try:
            return robots_url(text)
        except InvalidURL:
            parts = urlsplit(text)
            _ = parts.port
            return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], "robots.txt", "", ""))

    @property
    def sitemaps(self) -> list[str]:
        """The values of the Sitemap lines as written, in file order."""
        return [one.value for one in self._robots.fields if one.name == "sitemap"]

    def allowed(self, path: str | bytes, name: str | bytes) -> bool:
        """Return whether the robot of a `name` may fetch a URL or a `path`.

        A URL of another host is not allowed. Raises `TypeError` for an `Agent` of the catalogue,
        `AttributeError` for other types, and `ValueError` for brackets that hold no IP address.
        """
        url = _text(path)
        return not _is_external(url, self._host) and self._robots.allowed(rooted(url), agent=_text(name))

    def agent(self, name: str | bytes) -> Agent:
        """Return the rules for the robot of a `name`; changes of them do not change the file."""
        return Agent.from_robots(self, name)

    def names(self) -> list[str]:
        """Return the names of robots in the file, in lower case; reppy has no such method."""
        return [name.lower() for group in self._robots.groups for name in group.agents if name]

    @property
    def expires(self) -> float | None:
        """When the file expires, in seconds since 1970, as it was given."""
        return self._expires

    @property
    def expired(self) -> bool:
        """Whether the file has expired. Raises `TypeError` if `expires` was not given."""
        return time.time() > self._expiry()

    @property
    def ttl(self) -> float:
        """The seconds until the file expires, 0 after that. Raises `TypeError` if `expires` was not given."""
        return max(self._expiry() - time.time(), 0)

    def _expiry(self) -> float:
        if self._expires is None:
            raise TypeError("the file has no time when it expires: pass expires")
        return self._expires

    def __str__(self) -> str:
        return groups_as_text(self._robots)


class AllowNone(Robots):
    """A file that disallows everything but itself.

    >>> AllowNone("https://example.com/robots.txt").allowed("https://example.com/", "ExampleBot")
    False
    """

    def __init__(self, url: str | bytes, expires: float | None = None) -> None:
        """Create the file of a `url`, which `expires` at that time."""
        super().__init__(url, b"User-agent: *\nDisallow: /", expires)


class AllowAll(Robots):
    """An empty file, which allows everything.

    >>> AllowAll("https://example.com/robots.txt").allowed("https://example.com/", "ExampleBot")
    True
    """

    def __init__(self, url: str | bytes, expires: float | None = None) -> None:
        """Create the file of a `url`, which `expires` at that time."""
        super().__init__(url, b"", expires)


def _reported(
    failure: exceptions.ReppyException, url: str, hook: Callable[[exceptions.ReppyException], object] | None
) -> exceptions.ReppyException:
    """Return the exception with its URL, after the hook has seen it."""
    failure.url = url
    if hook is not None and not isinstance(failure, exceptions.ContentTooLong):
        hook(failure)
    return failure


def _delay_of(rules: Rules) -> float | None:
    """Return the number with which the last valid Crawl-delay begins, as C++ reads it."""
    values = [field.value for field in rules.fields if field.name == "crawl-delay"]
    delays = [float(found[0]) for value in reversed(values) if (found := _NUMBER.match(value))]
    return delays[0] if delays and delays[0] > 0 and math.isfinite(delays[0]) else None


def _text(value: str | bytes) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, (bytes, bytearray)):
        return to_text(bytes(value))
    refuse_known(value)
    raise AttributeError(f"expected str or bytes, got {type(value).__name__}")  # the kind that reppy raises


def _host_of(url: str) -> str:
    """Return the host of a URL without its port; empty if it has none."""
    return "" if url.startswith("/") and not url.startswith("//") else urlsplit(url).hostname or ""


def _is_external(url: str, host: str) -> bool:
    return bool(host) and _host_of(url) not in ("", host)
