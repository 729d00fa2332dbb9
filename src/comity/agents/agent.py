"""An agent and what is known of it, as values: the product token and the facts around it."""

from ..protocol.value import Value

__all__ = ["FACTS", "OBEYS", "PURPOSES", "Agent", "Source"]

#: What an agent fetches for. An agent may serve several purposes, and a site judges each for itself.
PURPOSES = {
    "search": "an index that people or programs search, with links to the pages",
    "training": "the training of models",
    "user-triggered": "a person who asked for this page, or an assistant that acts for one",
    "seo": "reports to site owners about links and search engines",
    "archive": "a collection that keeps pages as they were",
    "data": "data that others buy or download, or that an application of theirs needs",
    "preview": "the preview of a link that somebody shared or kept",
    "ads": "pages that show ads, or that ads lead to",
    "other": "anything else",
}

#: Whether an agent obeys robots.txt, by its operator's own word.
OBEYS = {
    "yes": "its operator says that it obeys robots.txt",
    "no": "its operator says that it does not obey robots.txt, or need not",
    "unstated": "its operator's word is not known",
}

#: The facts of an agent that may have a source of their own.
FACTS = ("token", "operator", "purposes", "documentation", "obeys", "falls_back_to", "control_token")


class Source(Value):
    """Where facts were found: a short `name`, a `url`, and the day that they were `checked` there.

    The day is of the form 2026-11-21: the day of the copy that was read, where a source is dated, or else
    the day of reading.
    """

    __slots__ = ("name", "url", "checked")
    name: str
    url: str
    checked: str


class Agent(Value):
    """A known agent: a product token, and the facts around it.

    `token` is what robots.txt calls it, and `names` are all names to ask by, in order of preference: the
    token itself, then the token whose rules the agent follows where it has none of its own, and so on.
    They are ready to be the `agent=` of a question. `operator` and `documentation`, an address, are `None`
    where they are not known. `purposes` are keys of `PURPOSES`, and `obeys` is one of `OBEYS`.

    `crawls` is false for a token that no request bears: it controls what is done with what others fetched.
    `control_token` is that token for this agent, `None` if it has none.
    `named_only` is true for an agent that only a group of its own binds, and never the group for `*`.
    `obsolete` is true for a token that its operator no longer uses, or no longer documents. `note` is what
    else there is to know, in a sentence or two.

    `source` is where the facts were found, but for those that `other_sources` names with theirs.

    >>> from comity import agents
    >>> agent = agents.find("Googlebot-Image")
    >>> agent.names, agent.operator, agent.purposes, agent.obeys
    (('Googlebot-Image', 'Googlebot'), 'Google', ('search',), 'yes')
    """

    __slots__ = (
        "token",
        "names",
        "operator",
        "purposes",
        "documentation",
        "obeys",
        "crawls",
        "control_token",
        "named_only",
        "obsolete",
        "note",
        "source",
        "other_sources",
    )
    token: str
    names: tuple[str, ...]
    operator: str | None
    purposes: tuple[str, ...]
    documentation: str | None
    obeys: str
    crawls: bool
    control_token: str | None
    named_only: bool
    obsolete: bool
    note: str
    source: Source
    other_sources: tuple[tuple[str, Source], ...]

    @property
    def falls_back_to(self) -> str | None:
        """The token whose rules the agent follows where it has none of its own; `None` if there is none."""
        return self.names[1] if len(self.names) > 1 else None

    @property
    def checked(self) -> str:
        """The day that the facts were checked, such as 2026-11-21; `source_of` knows it of each fact."""
        return self.source.checked

    def source_of(self, fact: str) -> Source:
        """Give the source of one fact, by its name in `FACTS`; another name raises `KeyError`.

        >>> from comity import agents
        >>> agents.find("Applebot").source_of("operator").name
        'ecom-agent'
        >>> agents.find("Applebot").source_of("falls_back_to").name
        'apple-update'
        """
        if fact not in FACTS:
            raise KeyError(fact)
        return dict(self.other_sources).get(fact, self.source)
