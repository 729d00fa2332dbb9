"""Known agents and the sources of facts about them, as values."""

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


class Agent(Value):
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
        'bing-msnbot'
        """
        if fact not in FACTS:
            raise KeyError(fact)
        return dict(self.other_sources).get(fact, self.source)

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
