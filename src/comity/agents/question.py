"""A robot's name -> `Question`: what to ask a robots.txt, so that the answer is the robot's own.

`RobotsTxt.check` compares the name that it is given, and reads the file by one dialect. Known robots differ:
some use the group of another robot, Google's have a parser of their own, some ignore the groups for `*`, and
some do not obey. A question has these facts, and states each one that it assumes, with its source.
"""

from collections.abc import Iterator, Sequence

from ..protocol.robotstxt.dialect import Dialect
from ..protocol.robotstxt.document import RobotsTxt, parse
from ..protocol.robotstxt.rules import Rules
from ..protocol.robotstxt.verdict import Verdict
from ..protocol.value import Value
from .agent import Agent
from .known import MISNOMERS, find

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..protocol.option_names import DialectName

#: The dialects of operators that publish their parser, and the parser. It reads the file for all their
#: robots, while `Agent.dialect` is only for those robots whose documentation says so.
_DIALECTS: "dict[str, tuple[DialectName, str]]" = {
    "Google": ("google", "https://github.com/google/robotstxt"),
}


class Question(Value):
    r"""What to ask a robots.txt for a robot. Create it with `question`.

    `agent` has the tokens in order of preference, as the argument `agent=` of other functions. `known` is the
    known robot, or `None`. `dialect` is the dialect that it reads robots.txt by; `None` is the default of the
    file. `ignores_star` is true if it ignores the groups for `*`. `obeys` is a key of `OBEYS`: whether its
    operator says that it obeys robots.txt. `crawls` is false for a token that no request uses, such as
    Google-Extended. `assumptions` has a sentence for each fact that is assumed about the robot, with the URL
    of its source.

    >>> from comity import agents
    >>> asked = agents.question("Googlebot-Image")
    >>> asked.agent, asked.dialect, asked.ignores_star, asked.obeys
    (('Googlebot-Image', 'Googlebot'), 'google', False, 'yes')
    >>> asked.check("User-agent: Googlebot\nDisallow: /photos", "/photos/1").allowed
    False
    """

    agent: tuple[str, ...]
    known: Agent | None
    dialect: "DialectName | Dialect | None"
    ignores_star: bool
    obeys: str
    crawls: bool
    assumptions: tuple[str, ...]

    def rules_for(self, robots: bytes | str | RobotsTxt) -> Rules:
        r"""Return the rules of a robots.txt for the robot; `robots` is read by its `dialect`, if it has one.

        >>> from comity import agents
        >>> robots = "User-agent: *\nDisallow: /"
        >>> agents.question("AdsBot-Google").rules_for(robots).allowed_many(["/", "/a"])
        (True, True)
        """
        rules = parse(robots, dialect=self.dialect).rules_for(self.agent)
        return rules.without_default() if self.ignores_star else rules

    def check(self, robots: bytes | str | RobotsTxt, url: str | bytes) -> Verdict:
        r"""Return whether `robots`, a robots.txt, allows the robot to fetch a `url`, and why.

        The answer is that of the file. If `obeys` is "no", the robot need not follow it.

        >>> from comity import agents
        >>> verdict = agents.question("AdsBot-Google").check("User-agent: *\nDisallow: /", "/")
        >>> print(verdict.explain())
        no group names AdsBot-Google, and it ignores the groups for *, so everything is allowed

        Raises `InvalidURL` for a URL that has a scheme and no host.
        """
        return self.rules_for(robots).check(url)

    def explain(self) -> str:
        """Return the assumptions, one in a line; an empty text without any."""
        return "\n".join(self.assumptions)


def question(
    agent: str | Sequence[str], *, dialect: "DialectName | Dialect | None" = None, exact: bool = False
) -> Question:
    """Return what to ask a robots.txt for a robot, by the catalogue of known robots.

    `agent` is a product token, a whole User-Agent header, or several tokens in order of preference. One name
    of a known robot gets the tokens that the robot falls back to. Several tokens stay as they are; the first
    one decides the other facts. An unknown name stays as it is, too.

    `dialect` is a dialect that the caller chose; by default it is that of the operator. `exact` is true to
    assume nothing: the names count as they are written, and nothing is known about the robot.

    >>> print(question("Applebot").explain())
    Applebot uses the group of Googlebot if no group names it (https://support.apple.com/en-us/119829)
    >>> question("Applebot", exact=True).agent, question("ExampleBot/1.0").agent
    (('Applebot',), ('ExampleBot/1.0',))
    >>> header = "Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)"
    >>> question(header).agent
    ('bingbot', 'msnbot')
    """
    given = (agent,) if isinstance(agent, str) else tuple(agent)
    known = None if exact or not given else find(given[0])
    if known is None:
        hints = () if exact else tuple(_misnomers(given[:1]))
        return Question(given, None, dialect, False, "unstated", True, hints)
    names = known.names if len(given) == 1 else given
    read_by = _DIALECTS.get(known.operator or "") if dialect is None else None
    return Question(
        agent=names,
        known=known,
        dialect=read_by[0] if read_by else dialect,
        ignores_star=known.named_only,
        obeys=known.obeys,
        crawls=known.crawls,
        assumptions=tuple(
            f"{sentence} ({url})" for sentence, url in _assumptions(known, given, names, read_by)
        ),
    )


def _assumptions(
    known: Agent, given: tuple[str, ...], names: tuple[str, ...], read_by: "tuple[DialectName, str] | None"
) -> Iterator[tuple[str, str]]:
    """Yield a sentence for each fact that changes the question or limits the answer, with its source."""
    token = known.token
    if given[0].strip().partition("/")[0].lower() != token.lower():
        yield f"the User-Agent header is that of {token}", known.source_of("user_agent").url
    if known.obsolete:
        yield f"{token} is an obsolete name, which its operator no longer uses", known.source.url
    if not known.crawls:
        whose = f"robots of {known.operator}" if known.operator else "other robots"
        yield (
            f"no request uses the name {token}: its rules control the use of what {whose} fetch",
            known.source_of("token").url,
        )
    if len(given) == 1 and len(names) > 1:
        groups = " or else ".join(names[1:])
        yield (
            f"{token} uses the group of {groups} if no group names it",
            known.source_of("falls_back_to").url,
        )
    if known.named_only:
        yield f"{token} ignores the groups for *, so only a group that names it applies", known.source.url
    if read_by:
        yield (
            f"{token} reads robots.txt as {known.operator}'s own parser, by the dialect {read_by[0]}",
            read_by[1],
        )
    yield from _obedience(known)


def _obedience(known: Agent) -> Iterator[tuple[str, str]]:
    """Yield a sentence about an agent that may not obey, with its source."""
    source = known.source_of("obeys").url
    person = ", which fetches pages that a person asks for," if "user-triggered" in known.purposes else ""
    if known.obeys == "no":
        yield (
            f"{known.token}{person} does not follow robots.txt, or need not, by the statement of its "
            "operator: the answers are only those of the file",
            source,
        )
    elif known.obeys == "unstated":
        yield (
            f"it is not known whether {known.token}{person} obeys robots.txt: its operator does not say",
            source,
        )


def _misnomers(names: tuple[str, ...]) -> Iterator[str]:
    """Yield a hint for a name that people use for a known robot, and that it does not use."""
    for misnomer in MISNOMERS:
        if names and misnomer.name.lower() == names[0].strip().lower():
            tokens = " or ".join(misnomer.tokens)
            url = misnomer.source.url
            yield f"no known robot uses the name {misnomer.name}; it may mean {tokens} ({url})"
