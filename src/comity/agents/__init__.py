"""WHO: the product tokens of known crawlers, with operator, purpose, and whether they obey.

    ALL          every known agent, by token
    find         the agent behind a product token or a User-Agent header
    by_purpose   the agents that fetch for a purpose, such as `training`
    PURPOSES     the purposes, and what each means

The facts stand in `agents.toml`, each with its source and its day. They are what operators say, or what
lists of agents report: nobody vouches that an agent does as its operator says, or that a request which bears
a token comes from its operator. The data is loaded when this module is.
"""

from ..errors import InvalidArgument
from ..protocol.product_token import product_token
from .agent import OBEYS, PURPOSES, Agent, Source
from .catalogue import catalogue

__all__ = ["ALL", "Agent", "OBEYS", "PURPOSES", "Source", "by_purpose", "find"]

#: Every known agent, in order of its token, whatever the case.
ALL: tuple[Agent, ...] = catalogue()

_BY_TOKEN = {agent.token.lower(): agent for agent in ALL}

#: Names of several words, the longest first: no product token, but what the robots themselves say.
_PHRASES = sorted((token for token in _BY_TOKEN if " " in token), key=len, reverse=True)

#: Longer headers are cut, as `product_token` cuts them.
_LONGEST = 1024


def find(user_agent: str) -> Agent | None:
    """Find the agent that a product token, or a whole `User-Agent` header, names; `None` if none is known.

    Names are compared whole and whatever their case (RFC 9309 2.2.1): `GPTBot-Extra` is not GPTBot. A
    header can be sent by anybody; whose request it is, it does not prove.

    >>> agent = find("Mozilla/5.0 (compatible; GPTBot/1.2; +https://openai.com/gptbot)")
    >>> agent.token, agent.operator, agent.purposes
    ('GPTBot', 'OpenAI', ('training',))
    >>> find("gptbot") is agent
    True
    >>> find("ExampleBot/1.0") is None
    True
    """
    header = user_agent[:_LONGEST].strip()
    for name in (header, product_token(header)):
        if agent := _BY_TOKEN.get(name.lower()):
            return agent
    text = header.lower()
    return next((_BY_TOKEN[phrase] for phrase in _PHRASES if _has_phrase(text, phrase)), None)


def _has_phrase(text: str, phrase: str) -> bool:
    """Say whether words stand in a text, and are not parts of longer ones."""
    before, found, after = text.partition(phrase)
    return bool(found) and not (before[-1:].isalnum() or after[:1].isalnum())


def by_purpose(*purposes: str) -> tuple[Agent, ...]:
    """Give the agents that fetch for any of the purposes, by token; each a key of `PURPOSES`.

    Raises `InvalidArgument` for a word that is none.

    >>> tokens = [agent.token for agent in by_purpose("training")]
    >>> "GPTBot" in tokens, "OAI-SearchBot" in tokens
    (True, False)
    >>> by_purpose("evil")
    Traceback (most recent call last):
    comity.errors.InvalidArgument: unknown purpose 'evil': expected search, training, ...
    """
    for purpose in purposes:
        if purpose not in PURPOSES:
            raise InvalidArgument.unknown("purpose", purpose, PURPOSES)
    return tuple(agent for agent in ALL if not set(purposes).isdisjoint(agent.purposes))
