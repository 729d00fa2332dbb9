"""The identity of a robot: its User-Agent header, its product tokens, and its contact."""

from collections.abc import Sequence

from ..errors import InvalidArgument
from ..protocol.product_token import product_token
from ..protocol.robotstxt.selection import names_of
from ..protocol.userinfo import without_password
from ..protocol.value import Value


class Identity(Value):
    """The identity that a robot sends with each request.

    `user_agent` is the whole header. `names` are the product tokens for robots.txt files, in order of
    preference. `contact` is the address of a person who can stop the robot.

    >>> robot = Identity.of("ExampleBot/1.0 (+https://example.com/bot)", "bot@example.com")
    >>> robot.names
    ('ExampleBot',)
    >>> robot.headers[1]
    ('From', 'bot@example.com')
    """

    user_agent: str
    names: tuple[str, ...]
    contact: str

    @classmethod
    def of(cls, user_agent: str, contact: str, agent: str | Sequence[str] | None = None) -> "Identity":
        """Return an identity, or raise `InvalidArgument` if the robot has no name or no valid contact.

        `contact` is an e-mail address, which is sent as `From` (RFC 9110 10.1.2), or the URL of a page about
        the robot, which is added to the User-Agent header. `agent` replaces the product token at the
        beginning of `user_agent` by other tokens, in order of preference.

        >>> Identity.of("ExampleBot/1.0", "https://example.com/bot").user_agent
        'ExampleBot/1.0 (+https://example.com/bot)'
        """
        for name, text in (("user_agent", user_agent), ("contact", contact)):
            if not isinstance(text, str):
                raise InvalidArgument(f"invalid {name} {text!r:.200}: expected a str", name=name)
        if agent is not None and not isinstance(agent, str | Sequence):
            raise InvalidArgument(f"invalid agent {agent!r:.200}: expected a str or several", name="agent")
        user_agent, contact = user_agent.strip(), contact.strip()
        if not user_agent.isascii() or not user_agent.isprintable():
            raise InvalidArgument(
                f"invalid User-Agent header {user_agent!r}: expected printable ASCII", name="user_agent"
            )
        names = names_of(user_agent if agent is None else agent)
        if not names or not all(names):
            name, shown = ("user_agent", user_agent) if agent is None else ("agent", agent)
            raise InvalidArgument(f"invalid {name} {shown!r}: expected a name, such as ExampleBot", name=name)
        mail = "@" in contact and "://" not in contact
        if not _is_reachable(contact, mail):
            shown = contact if mail else without_password(contact)
            raise InvalidArgument(
                f"invalid contact {shown!r}: expected an e-mail address or the URL of a page about it",
                name="contact",
            )
        if not mail and contact not in user_agent:
            user_agent = f"{user_agent} (+{contact})"
        if product_token(names[0]).lower() not in user_agent.lower():
            raise InvalidArgument(
                f"invalid agent {names[0]!r}: the User-Agent header {user_agent!r} does not contain it",
                name="agent",
            )
        return cls(user_agent, names, contact)

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
    return (
        bool(separator) and scheme.lower() in ("http", "https") and "." in rest.partition("/")[0].strip(".")
    )
