"""Known agents, the sources of facts about them, and what to ask a robots.txt for one, as values."""

from collections.abc import Iterator

from ..protocol.robotstxt.document import RobotsTxt, parse
from ..protocol.robotstxt.engine.dialect import RFC9309, Dialect, dialect_named
from ..protocol.robotstxt.engine.known_robot import KnownRobot
from ..protocol.robotstxt.engine.verdict import Verdict
from ..protocol.robotstxt.rules import Rules
from ..protocol.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..protocol.option_names import DialectName, PurposeName

#: The purposes of agents, with descriptions. An agent can have several.
PURPOSES: "dict[PurposeName, str]" = {
    "search": "an index that people or programs search, with links to the pages",
    "training": "the training of models",
    "user-triggered": "a person who asked for this page, or an assistant that acts for one",
    "seo": "reports to site owners about links and search engines",
    "archive": "a collection that keeps pages as they were",
    "data": "data that others buy, download or use in an application",
    "preview": "the preview of a link that a user shared or saved",
    "ads": "pages that show ads, or that ads lead to",
    "other": "anything else",
}

#: Whether an agent obeys robots.txt, as stated by its operator. Robots meta tags and X-Robots-Tag have the
#: same three answers.
OBEYS = {
    "yes": "its operator says that it obeys robots.txt",
    "no": "its operator says that it does not obey robots.txt, or need not",
    "unstated": "no statement of its operator is known",
}

#: The forms of the lists of addresses that operators publish.
SHAPES = {
    "json": "a JSON object with the member prefixes",
    "html": "a page with such a JSON object in its text",
    "geofeed": "a CSV file (RFC 8805), whose first column has the prefixes",
    "text": "a page with addresses in its text",
}

#: Why the lists and hosts of an agent prove less than usual.
CHECK_LIMITS = {
    "incomplete": "its operator says that its lists or hosts are not complete",
    "run-by-anyone": "its requests also come from devices of users, or from anyone who runs the program",
    "shared": "its lists also have the addresses of other services",
}

#: The facts that can have a source of their own.
FACTS = (
    *("token", "operator", "purposes", "documentation", "user_agent", "contact", "platform"),
    *("obeys", "obeys_meta_robots", "obeys_x_robots_tag", "dialect", "falls_back_to", "control_token"),
    *("hosts", "ranges"),
)


class Source(Value):
    """A source of facts: a short `name`, a `url`, and the date of the check, `checked`.

    The date has the form 2026-11-21. It is the date of the copy if the copy is dated, otherwise the date of
    reading.

    >>> from comity import agents
    >>> agents.find("GPTBot").source.url.startswith("https://")
    True
    """

    name: str
    url: str
    checked: str


class Misnomer(Value):
    """A name that robots.txt files have for a robot, and that the robot does not find.

    `name` is the name of an operator, such as Google, or a name that its robot had. `tokens` are the product
    tokens of today, the most likely one first. `source` is where they come from.

    >>> from comity import agents
    >>> {misnomer.name: misnomer.tokens for misnomer in agents.MISNOMERS}["Google"]
    ('Googlebot',)
    """

    name: str
    tokens: tuple[str, ...]
    source: Source


class Agent(KnownRobot):
    """A known agent: a product token, and the facts around it.

    `token` is its name in robots.txt. `names` has all its names in order of preference, for the argument
    `agent=`: the token, then the fallback token that it uses if a file has no group for it, and so on.
    `operator` and `documentation` (a URL) are `None` if unknown. `purposes` are keys of `PURPOSES`.

    `user_agent` is a sample of the User-Agent header that it sends; versions in it change. `contact` is the
    URL or e-mail address for questions about it, mostly the one in the header. `platform` is the software
    that it runs on or is made of. All three are `None` if unknown.

    `obeys`, `obeys_meta_robots` and `obeys_x_robots_tag` are keys of `OBEYS`: whether it obeys robots.txt,
    the robots meta tags of pages, and the header X-Robots-Tag. If it obeys only some rules, `note` has them.

    `dialect` is the dialect that the operator documents for it, such as "google", or `None`.

    `crawls` is false for a token that no request uses: rules for it control the use of content that other
    agents fetched. `control_token` is the token that does this for the agent, or `None`. `collective` is true
    if the token names several agents: a group for it closes pages to each of them that has no group of its
    own. `named_only` is true if the agent ignores the `*` group. `obsolete` is true if the operator no longer
    uses or documents the token. `note` has other facts, in a sentence or two.

    `hosts` has the domains of the hosts that it sends requests from, for a check with forward-confirmed
    reverse DNS. A `*` in the first label stands for one or more letters, digits and hyphens. `ranges` has
    the URLs of the lists of its addresses that the operator publishes. Both are empty if nothing is known.
    `ranges_shape` is a key of `SHAPES`: the form of these lists. `check_limit` is a key of `CHECK_LIMITS`:
    why these facts prove less than usual; or `None`.

    `source` is the source of all facts except those in `other_sources`.

    >>> from comity import agents
    >>> agent = agents.find("Googlebot-Image")
    >>> agent.names, agent.operator, agent.purposes, agent.obeys
    (('Googlebot-Image', 'Googlebot'), 'Google', ('search',), 'yes')
    >>> agent.user_agent, agent.hosts
    ('Googlebot-Image/1.0', ('googlebot.com',))
    """

    token: str
    names: tuple[str, ...]
    operator: str | None
    purposes: "tuple[PurposeName, ...]"
    documentation: str | None
    user_agent: str | None
    contact: str | None
    platform: str | None
    obeys: str
    obeys_meta_robots: str
    obeys_x_robots_tag: str
    dialect: "DialectName | None"
    crawls: bool
    collective: bool
    control_token: str | None
    named_only: bool
    obsolete: bool
    hosts: tuple[str, ...]
    ranges: tuple[str, ...]
    ranges_shape: str
    check_limit: str | None
    note: str
    source: Source
    other_sources: tuple[tuple[str, Source], ...]

    @property
    def falls_back_to(self) -> str | None:
        """The token whose group the agent uses if a file has no group for it, or `None`."""
        return self.names[1] if len(self.names) > 1 else None

    @property
    def checked(self) -> str:
        """The date of the check, such as 2026-11-21; `source_of` has it for each fact."""
        return self.source.checked

    def source_of(self, fact: str) -> Source:
        """Return the source of a `fact`. Raise `KeyError` if it is not in `FACTS`.

        >>> from comity import agents
        >>> agents.find("bingbot").source_of("operator").name
        'bing'
        >>> agents.find("bingbot").source_of("falls_back_to").name
        'bing-rename'
        """
        if fact not in FACTS:
            raise KeyError(fact)
        return dict(self.other_sources).get(fact, self.source)

    def rules_of(self, file: RobotsTxt) -> Rules:
        r"""Return the rules of a parsed robots.txt, `file`, as `comity.RobotsTxt.rules_for` does.

        >>> import comity
        >>> robots = comity.parse("User-agent: Googlebot\nDisallow: /photos")
        >>> robots.allowed("/photos/1", agent="Applebot")
        True
        >>> verdict = robots.check("/photos/1", agent=comity.agents.find("Applebot"))
        >>> verdict.allowed, verdict.assumptions[0].partition(" (")[0]
        (False, 'Applebot uses the group of Googlebot if no group names it')
        """
        return question_for(self, file.dialect).rules_for(file)

    def record(self) -> dict[str, object]:
        """Return the facts as a dict that is ready for JSON; `other_sources` is a dict by fact.

        >>> from comity import agents
        >>> record = agents.find("Googlebot-Image").record()
        >>> record["falls_back_to"], record["user_agent"]
        ('Googlebot', 'Googlebot-Image/1.0')
        """
        return super().record() | {
            "falls_back_to": self.falls_back_to,
            "other_sources": {fact: source.record() for fact, source in self.other_sources},
        }


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
        rules = rules.without_default() if self.ignores_star else rules
        return rules.assuming(self.assumptions_for(rules.matched))

    def check(self, robots: bytes | str | RobotsTxt, url: str | bytes) -> Verdict:
        r"""Return whether `robots`, a robots.txt, allows the robot to fetch a `url`, and why.

        The answer is that of the file. If `obeys` is "no", the robot need not follow it.

        >>> from comity import agents
        >>> verdict = agents.question("AdsBot-Google").check("User-agent: *\nDisallow: /", "/")
        >>> verdict.reason.code, len(verdict.assumptions)
        ('default-group-ignored', 2)

        Raises `InvalidURL` for a URL that has a scheme and no host.
        """
        return self.rules_for(robots).check(url)

    def assumptions_for(self, matched: str | None) -> tuple[str, ...]:
        r"""Return the assumptions that matter for a file, given the group that the robot uses there.

        `matched` is the name of the group, as `Rules.matched`. The groups that the robot falls back to matter
        only if it uses one of them.

        >>> from comity import agents
        >>> asked = agents.question("bingbot")
        >>> rules = asked.rules_for("User-agent: bingbot\nDisallow: /a")
        >>> len(asked.assumptions), asked.assumptions_for(rules.matched)
        (1, ())
        """
        if self.known is None or matched in self.agent[1:]:
            return self.assumptions
        fallback = _sentence(_fallback(self.known, self.agent))
        return tuple(line for line in self.assumptions if line != fallback)

    def explain(self) -> str:
        """Return the assumptions, one in a line; an empty text without any."""
        return "\n".join(self.assumptions)


def known_question(
    known: Agent,
    given: tuple[str, ...],
    dialect: "DialectName | Dialect | None" = None,
) -> Question:
    """Return the question for a known robot that was `given` by one or several names."""
    names = known.names if len(given) == 1 else given
    read_by = _DIALECTS.get(known.operator or "") if dialect is None else None
    return Question(
        agent=names,
        known=known,
        dialect=read_by[0] if read_by else dialect,
        ignores_star=known.named_only,
        obeys=known.obeys,
        crawls=known.crawls,
        assumptions=tuple(map(_sentence, _assumptions(known, given, names, read_by))),
    )


def _sentence(assumption: tuple[str, str]) -> str:
    sentence, url = assumption
    return f"{sentence} ({url})"


def _fallback(known: Agent, names: tuple[str, ...]) -> tuple[str, str]:
    """Return the sentence about the groups that an agent falls back to, and its source."""
    groups = " or else ".join(names[1:])
    return (
        f"{known.token} uses the group of {groups} if no group names it",
        known.source_of("falls_back_to").url,
    )


def question_for(known: Agent, dialect: Dialect) -> Question:
    """Return the question for a robot to a file that is parsed by a dialect.

    A dialect other than "rfc9309" was chosen by the caller, and is kept; so is its `agent_match`.
    """
    given = (known.token,)
    if dialect_named("rfc9309", dialect.agent_match) != dialect:
        return known_question(known, given, dialect)
    asked = known_question(known, given)
    if dialect == RFC9309:
        return asked
    return asked.replace(dialect=dialect_named(asked.dialect or dialect, dialect.agent_match))


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
        yield _fallback(known, names)
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
