"""The known agents as a list, and the search for the agent of a token or of a User-Agent header."""

from ..errors import InvalidArgument
from ..protocol.product_token import product_token
from .agent import PURPOSES, Agent, Misnomer
from .catalogue import catalogue

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..protocol.option_names import PurposeName

#: Every known agent, sorted by token, ignoring case.
ALL: tuple[Agent, ...]

#: The names that files have for a robot, and that it does not find, sorted by name, ignoring case.
MISNOMERS: tuple[Misnomer, ...]

ALL, MISNOMERS = catalogue()

_BY_TOKEN = {agent.token.lower(): agent for agent in ALL}

#: Names with a space or a dot, longest first. They are not product tokens, but the robots use them.
_PHRASES = sorted((token for token in _BY_TOKEN if " " in token or "." in token), key=len, reverse=True)

#: Maximum length of a header; the rest is ignored, as in `product_token`.
_MAX_LENGTH = 1024


def find(user_agent: str) -> Agent | None:
    """Return the known agent of a `user_agent`, a product token or a whole header; `None` if it is unknown.

    Whole names are compared, ignoring case (RFC 9309 2.2.1): `GPTBot-Extra` is not GPTBot. A header does not
    prove the origin of a request.

    >>> agent = find("Mozilla/5.0 (compatible; GPTBot/1.2; +https://openai.com/gptbot)")
    >>> agent.token, agent.operator, agent.purposes
    ('GPTBot', 'OpenAI', ('training',))
    >>> find("gptbot") is agent
    True
    >>> find("ExampleBot/1.0") is None
    True
    """
    if not isinstance(user_agent, str):
        raise TypeError(f"user_agent: expected a str, not {type(user_agent).__name__}")
    header = user_agent[:_MAX_LENGTH].strip()
    for name in (header, product_token(header)):
        if agent := _BY_TOKEN.get(name.lower()):
            return agent
    if " " not in header:
        return None  # it is one name, which is not known
    text = header.lower()
    return next((_BY_TOKEN[phrase] for phrase in _PHRASES if _has_phrase(text, phrase)), None)


def _has_phrase(text: str, phrase: str) -> bool:
    """Return whether a text contains a phrase as whole words, and not as the host of a URL."""
    before, found, after = text.partition(phrase)
    is_word = not (before[-1:].isalnum() or after[:1].isalnum())
    return bool(found) and is_word and not ("." in phrase and before[-1:] in ("/", ".", "@"))


def by_purpose(*purposes: "PurposeName") -> tuple[Agent, ...]:
    """Return the agents that have any of the `purposes`, which are keys of `PURPOSES`, sorted by token.

    Raises `InvalidArgument` if a purpose is unknown.

    >>> tokens = [agent.token for agent in by_purpose("training")]
    >>> "GPTBot" in tokens, "OAI-SearchBot" in tokens
    (True, False)
    >>> by_purpose("evil")
    Traceback (most recent call last):
    comity.errors.InvalidArgument: unknown purpose 'evil': expected search, training, ...
    """
    for purpose in purposes:
        if purpose not in tuple(PURPOSES):
            raise InvalidArgument.unknown("purpose", purpose, PURPOSES)
    return tuple(agent for agent in ALL if not set(purposes).isdisjoint(agent.purposes))
