"""The known agents as a list: search by name or purpose, order by fame, and questions to a robots.txt.

`RobotsTxt.check` compares the name that it is given, and reads the file by one dialect. Known robots differ:
some use the group of another robot, Google's have a parser of their own, some ignore the groups for `*`, and
some do not obey. A question has these facts, and states each one that it assumes, with its source.
"""

from collections.abc import Iterator, Sequence

from ..errors import InvalidArgument
from ..protocol.product_token import product_token
from ..protocol.robotstxt.engine.dialect import Dialect
from ..protocol.robotstxt.engine.known_robot import KnownRobot
from .agent import PURPOSES, Agent, Misnomer, Question, known_question
from .catalogue import catalogue

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..protocol.option_names import DialectName, PurposeName

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


def question(
    agent: str | Sequence[str] | KnownRobot,
    *,
    dialect: "DialectName | Dialect | None" = None,
    exact: bool = False,
) -> Question:
    """Return what to ask a robots.txt for a robot, by the catalogue of known robots.

    `agent` is a product token, a whole User-Agent header, or several tokens in order of preference, or an
    `Agent`. One name of a known robot gets the tokens that the robot falls back to. Several tokens stay as
    they are; the first one decides the other facts. An unknown name stays as it is, too.

    `dialect` is a dialect that the caller chose; by default it is that of the operator. `exact` is true to
    assume nothing: the names count as they are written, and nothing is known about the robot; of an `Agent`,
    its token counts.

    >>> print(question("Applebot").explain())
    Applebot uses the group of Googlebot if no group names it (https://support.apple.com/en-us/119829)
    >>> question("Applebot", exact=True).agent, question("ExampleBot/1.0").agent
    (('Applebot',), ('ExampleBot/1.0',))
    >>> header = "Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)"
    >>> question(header).agent
    ('bingbot', 'msnbot')
    """
    known = agent if isinstance(agent, Agent) else None
    if isinstance(agent, KnownRobot):
        agent = agent.names[0] if known is None else known.token
    given = (agent,) if isinstance(agent, str) else tuple(agent)
    if exact or not given:
        known = None
    elif known is None:
        known = find(given[0])
    if known is None:
        hints = () if exact else tuple(_misnomers(given[:1]))
        return Question(given, None, dialect, False, "unstated", True, hints)
    return known_question(known, given, dialect)


def _misnomers(names: tuple[str, ...]) -> Iterator[str]:
    """Yield a hint for a name that people use for a known robot, and that it does not use."""
    for misnomer in MISNOMERS:
        if names and misnomer.name.lower() == names[0].strip().lower():
            tokens = " or ".join(misnomer.tokens)
            url = misnomer.source.url
            yield f"no known robot uses the name {misnomer.name}; it may mean {tokens} ({url})"


#: The robots that robots.txt files name most often, for lists that show the best-known robots first. The
#: order is that of two counts. The first is the Web Almanac 2025 of the HTTP Archive, in its chapter on SEO
#: (https://almanac.httparchive.org/en/2025/seo): the share of mobile sites whose file names the robot. It
#: lists the first twenty. The others are ordered by the number of files, at least three, among 2,111 answers
#: of popular sites in the test data of Protego (https://github.com/scrapy/protego).
_ALMANAC = (
    *("AdsBot-Google", "AhrefsBot", "MJ12bot", "Googlebot", "dotbot", "AdsBot-Google-Mobile", "PetalBot"),
    *("Pinterest", "AhrefsSiteAudit", "GPTBot", "ClaudeBot", "CCBot", "SemrushBot", "Amazonbot"),
    *("Google-Extended", "bingbot", "PerplexityBot", "ChatGPT-User", "meta-externalagent"),
)

_PROTEGO = (
    *("Mediapartners-Google", "Twitterbot", "Slurp", "Baiduspider", "Yandex", "ia_archiver"),
    *("Googlebot-Image", "Googlebot-News", "Wget", "rogerbot", "ExaBot", "TurnitinBot", "BLEXBot", "Yeti"),
    *("YandexBot", "Applebot", "SeznamBot", "adidxbot", "facebookexternalhit", "Sogou web spider"),
    *("Sogou spider", "DuckDuckBot", "Googlebot-Video", "Pinterestbot", "360Spider", "Baiduspider-video"),
    *("heritrix", "Baiduspider-image", "Mail.RU_Bot", "Scrapy", "aiHitBot", "Screaming Frog SEO Spider"),
    *("YandexImages", "YisouSpider", "SISTRIX Crawler", "archive.org_bot", "Baiduspider-mobile"),
    *("BingPreview", "LinkedInBot", "MojeekBot", "omgili", "Baiduspider-news", "libwww-perl", "Panscient"),
    *("panscient.com", "Slackbot-LinkExpanding", "ToutiaoSpider", "YaK"),
)

#: The tokens, those that most files name first.
OFTEN_NAMED = (*_ALMANAC, *_PROTEGO)

_RANKS = {token.lower(): rank for rank, token in enumerate(OFTEN_NAMED)}


def by_fame(token: str) -> tuple[int, str]:
    """Return a key that sorts a `token` by fame: first the robots that files name most often, then by name.

    >>> sorted(["Yeti", "360Spider", "AddSearchBot", "Googlebot"], key=by_fame)
    ['Googlebot', 'Yeti', '360Spider', 'AddSearchBot']
    """
    return _RANKS.get(token.lower(), len(_RANKS)), token.lower()
