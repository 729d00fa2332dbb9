"""The identity of a robot: its User-Agent header, its product tokens, and its contact."""

import re
from collections.abc import Sequence
from functools import lru_cache

from ..errors import InvalidArgument
from ..protocol.product_token import BROWSERS, is_browser, product_token
from ..protocol.robotstxt.engine.known_robot import KnownRobot
from ..protocol.robotstxt.engine.selection import names_of
from ..protocol.text import as_items
from ..protocol.userinfo import without_password
from ..protocol.value import Value

#: Names of browsers, systems and devices, in lower case: they do not name a robot.
_NOT_ROBOTS = BROWSERS.union(
    ("360se", "arc", "brave", "camino", "dillo", "duckduckgo", "edga", "edgios", "elinks", "epiphany"),
    ("falkon", "firefox-ios", "iceweasel", "ie", "internet-explorer", "konqueror", "links", "lynx"),
    ("maxthon", "midori", "netscape", "netsurf", "opios", "opt", "otter", "palemoon", "puffin", "qqbrowser"),
    ("qutebrowser", "seamonkey", "servo", "silk", "ucbrowser", "vivaldi", "w3m", "waterfox", "yabrowser"),
    ("android", "compatible", "cros", "cubot", "dalvik", "debian", "fedora", "ipad", "iphone", "ipod"),
    ("linux", "macintosh", "wayland", "windows", "x11"),
)

#: Maximum number of characters of a User-Agent header.
_LONGEST = 1024

_EXAMPLE = "'ExampleBot/1.0 (+https://example.com/bot)'"

#: A product token: that of RFC 9309 2.2.1, with digits and dots, which many robots have.
_TOKEN = re.compile(r"[0-9._-]*[A-Za-z][A-Za-z0-9._-]*")

#: The characters between the words of a header, and those around its comments.
_BETWEEN_WORDS = re.compile(r"[\s();,]+")

#: The end of a name that is a version, as in "Mozilla5.0", or the model of a phone, as in "CUBOT_P40".
_MODEL = re.compile(r"[0-9._-]+$|(?<=^cubot)_.*")

#: A word after a name, which is another part of the name; not a version, a comment, a URL or an address.
_NEXT_WORD = re.compile(r" +[A-Za-z][^ ;,()@:]*(?![^ ;,()])")


def names_of_robot(user_agent: str, agent: str | Sequence[str] | KnownRobot | None = None) -> tuple[str, ...]:
    """Return the product tokens of a robot, or raise `InvalidArgument` if the header does not name it.

    `agent` replaces the product token of `user_agent` by other tokens, in order of preference, or by those of
    a known robot. The first must be one of the products in the header (RFC 9309 2.2.1). The name of a browser
    is refused, because a site could not write rules for the robot. A name with a space is refused, because
    robots.txt names robots by one word; of a known robot, the first word counts.

    >>> names_of_robot("Mozilla/5.0 (compatible; ExampleBot/1.0; +https://example.com/bot)")
    ('ExampleBot',)
    >>> names_of_robot("Mozilla/5.0")
    Traceback (most recent call last):
    comity.errors.InvalidArgument: invalid user_agent 'Mozilla/5.0': the header of a browser; name ...
    """
    if not isinstance(user_agent, str):
        raise InvalidArgument(f"invalid user_agent {user_agent!r:.200}: expected a str", name="user_agent")
    if agent is not None and not isinstance(agent, str | Sequence | KnownRobot):
        problem = "expected a str, several, or an Agent"
        raise InvalidArgument(f"invalid agent {agent!r:.200}: {problem}", name="agent")
    header = user_agent.strip()
    if not header.isascii() or not header.isprintable():
        raise InvalidArgument(
            f"invalid User-Agent header {header!r:.200}: expected printable ASCII", name="user_agent"
        )
    if len(header) > _LONGEST:
        problem = f"{len(header):,} characters; expected at most {_LONGEST:,}"
        raise InvalidArgument(f"invalid user_agent {header[:50]!r}...: {problem}", name="user_agent")
    if agent is None:
        if is_browser(header):
            problem = f"the header of a browser; name the robot, as in {_EXAMPLE}"
            raise InvalidArgument(f"invalid user_agent {header!r:.200}: {problem}", name="user_agent")
        return (_robot_name("user_agent", header),)
    if isinstance(agent, KnownRobot):
        first, names = agent.names[0], names_of(agent)
    else:
        names = tuple(_robot_name("agent", each) for each in as_items(agent))
        first = names[0] if names else ""
    if not names:
        raise InvalidArgument(f"invalid agent {agent!r}: expected a name, such as ExampleBot", name="agent")
    if not _has_product(header, first):
        problem = f"expected a product of the User-Agent header {header!r:.200}"
        raise InvalidArgument(f"invalid agent {first!r}: {problem}", name="agent")
    return names


def header_token(user_agent: str, names: Sequence[str]) -> str | None:
    """Return the product token of a header, if `names` begin with another one; otherwise None.

    A site that reads the header writes rules for this token.

    >>> header_token("ExampleBot/1.0 NewsBot/2.0", ("NewsBot",))
    'ExampleBot'
    """
    token = product_token(user_agent)
    return None if not token or _is_of_browser(token) or token.lower() == names[0].lower() else token


def _has_product(header: str, name: str) -> bool:
    """Return whether a header has a product of a name, which is not a part of a URL or an address.

    >>> header = "Mozilla/5.0 (compatible; ExampleBot/1.0; +https://example.com/bot)"
    >>> _has_product(header, "examplebot"), _has_product(header, "bot"), _has_product(header, "example.com")
    (True, False, False)
    """
    words = [word for word in _BETWEEN_WORDS.split(header.lower()) if "@" not in word and ":" not in word]
    text = " ".join(word.partition("/")[0].rstrip("+") for word in words if not word.startswith("+"))
    return f" {name.lower()} " in f" {text} "


def _robot_name(parameter: str, text: str) -> str:
    """Return the product token in a header or a token, or raise `InvalidArgument` that names `parameter`."""
    if not isinstance(text, str):
        raise InvalidArgument(f"invalid {parameter} {text!r:.200}: expected a str", name=parameter)
    name = product_token(text)
    found = re.search(rf"(?<![\w.-]){re.escape(name)}(?![\w.-])", text)
    after = text[found.end() :].rstrip() if found else ""
    if _is_of_browser(name):
        problem = f"the name of a browser or system; name the robot, as in {_EXAMPLE}"
    elif _NEXT_WORD.match(after):
        problem = f"a name has no spaces; write one word, as in {_EXAMPLE}"
    elif not name:
        problem = "expected a name, such as ExampleBot"
    elif not _TOKEN.fullmatch(name) or not name.isascii() or after[:1] not in ("", *" /;,()"):
        problem = f"a name has letters, digits, '-', '_' and '.', as in {_EXAMPLE}"
    else:
        return name
    raise InvalidArgument(f"invalid {parameter} {text!r:.200}: {problem}", name=parameter)


@lru_cache(64)  # a crawl asks for each request, and has few headers
def names_browser(user_agent: str) -> bool:
    """Return whether a User-Agent header names a browser or a system, and not a robot.

    >>> names_browser("Mozilla/5.0"), names_browser("EdgA/120.0"), names_browser("ExampleBot/1.0")
    (True, True, False)
    """
    return is_browser(user_agent) or _is_of_browser(product_token(user_agent))


def _is_of_browser(name: str) -> bool:
    return not _NOT_ROBOTS.isdisjoint((name.lower(), _MODEL.sub("", name.lower())))


class Identity(Value):
    """The identity that a robot sends with each request.

    `user_agent` is the whole header. `names` are the product tokens for robots.txt files, in order of
    preference. `contact` is the address of a person who can stop the robot. `known` is the robot of the
    catalogue that it is, or None.

    >>> robot = Identity.of("ExampleBot/1.0 (+https://example.com/bot)", "bot@example.com")
    >>> robot.names
    ('ExampleBot',)
    >>> robot.headers[1]
    ('From', 'bot@example.com')
    """

    user_agent: str
    names: tuple[str, ...]
    contact: str
    known: KnownRobot | None

    @classmethod
    def of(
        cls, user_agent: str, contact: str, agent: str | Sequence[str] | KnownRobot | None = None
    ) -> "Identity":
        """Return an identity, or raise `InvalidArgument` if the robot has no name or no valid contact.

        `contact` is an e-mail address, which is sent as `From` (RFC 9110 10.1.2), or the URL of a page about
        the robot, which is added to the User-Agent header. `agent` is as for `names_of_robot`.

        >>> Identity.of("ExampleBot/1.0", "https://example.com/bot").user_agent
        'ExampleBot/1.0 (+https://example.com/bot)'
        """
        names = names_of_robot(user_agent, agent)
        if not isinstance(contact, str):
            raise InvalidArgument(f"invalid contact {contact!r:.200}: expected a str", name="contact")
        user_agent, contact = user_agent.strip(), contact.strip()
        mail = "@" in contact and "://" not in contact
        if not _is_reachable(contact, mail):
            shown = contact if mail else without_password(contact)
            raise InvalidArgument(
                f"invalid contact {shown!r}: expected an e-mail address or the URL of a page about it",
                name="contact",
            )
        if not mail and contact not in user_agent:
            user_agent = f"{user_agent} (+{contact})"
        return cls(user_agent, names, contact, agent if isinstance(agent, KnownRobot) else None)

    @property
    def agent(self) -> tuple[str, ...] | KnownRobot:
        """The robot, as other functions accept it as `agent`."""
        return self.names if self.known is None else self.known

    @property
    def header_token(self) -> str | None:
        """The product token of the header if `names` begin with another one; see `header_token`."""
        return header_token(self.user_agent, self.names)

    @property
    def headers(self) -> tuple[tuple[str, str], ...]:
        """The headers that every request carries."""
        mail = (("From", self.contact),) if "@" in self.contact and "://" not in self.contact else ()
        return (("User-Agent", self.user_agent), *mail)


def _is_reachable(contact: str, mail: bool) -> bool:
    if not contact.isascii() or not contact.isprintable() or " " in contact:
        return False
    if mail:
        local, _, domain = contact.rpartition("@")
        return bool(local) and "." in domain.strip(".") and not domain.startswith(".")
    scheme, separator, rest = contact.partition("://")
    host = rest.partition("/")[0]
    # A user name or password in the URL would be sent to every site.
    return (
        bool(separator) and scheme.lower() in ("http", "https") and "." in host.strip(".") and "@" not in host
    )
