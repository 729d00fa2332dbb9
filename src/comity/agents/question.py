"""A robot's name -> `Question`: what to ask a robots.txt, so that the answer is the robot's own.

`RobotsTxt.check` compares the name that it is given, and reads the file by one dialect. Known robots differ:
some use the group of another robot, Google's have a parser of their own, some ignore the groups for `*`, and
some do not obey. A question has these facts, and states each one that it assumes, with its source.
"""

from collections.abc import Iterator, Sequence

from ..protocol.robotstxt.engine.dialect import Dialect
from ..protocol.robotstxt.engine.known_robot import KnownRobot
from .agent import Agent, Question, known_question
from .known import MISNOMERS, find

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..protocol.option_names import DialectName


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
