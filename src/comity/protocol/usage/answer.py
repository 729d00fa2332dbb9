"""All that was received -> `Usage`: for a robot and a URL, a preference for each category of use.

Each vocabulary says what it says; here it is brought together. Whatever the vocabularies and the sources,
statements about one category combine alike: any disallow wins, else any allow, else nothing is known.
"""

from collections.abc import Iterable, Sequence

from ...errors import UnknownCategory
from ..access.header_fields import Headers, pairs_of
from ..access.outcome import Access
from ..origin import RelativeReference
from ..page.directives import PageDirectives, page_directives
from ..robotstxt.dialect import RFC9309, Dialect
from ..robotstxt.document import RobotsTxt
from ..robotstxt.lexer import octets
from ..robotstxt.paths import path_reader
from ..robotstxt.rules import Rules
from ..robotstxt.selection import names_of
from ..robotstxt.verdict import Field, Verdict, printable, text_of
from ..value import Value
from . import acap_crawl, content_signal, content_usage, page_rules
from . import ai_txt as ai
from . import tdmrep as tdm
from .statement import Standing, Statement
from .vocabulary import CURRENT, Preference, Vocabulary, combined, vocabulary_of

__all__ = ["CRAWL", "FIELDS", "Usage", "usage"]

#: The category that rules of access speak of, beside the uses of what was fetched.
CRAWL = "crawl"

#: The fields in which robots rules stand.
_ROBOTS_TAGS = ("x-robots-tag", "robots-tag")

#: The header fields that speak of usage.
FIELDS = frozenset(("content-usage", "content-signal", "tdm-reservation", "tdm-policy", *_ROBOTS_TAGS))


class Usage(Value):
    r"""What a site says of the use of one URL's content by one robot, and which words say so.

    `verdict` is what robots.txt says of fetching the URL, `None` if no robots.txt was given.
    `categories` are the uses that can be asked about: the labels of the vocabulary in force, "ai-input"
    (to give content to a model while it answers), "tdm" (to mine text and data), and "crawl".
    `statements` are all that were heard.

    >>> import comity
    >>> robots = comity.parse("User-agent: *\nContent-Usage: /ai/ train-ai=n")
    >>> said = robots.rules_for("ExampleBot").usage("/ai/page")
    >>> said.permits("train-ai"), said.permits("search"), said.permits("search", only_if_allowed=True)
    (False, True, False)
    >>> print(said.explain("train-ai"))
    train-ai is disallowed by robots.txt line 2 `Content-Usage: /ai/ train-ai=n`
    """

    __slots__ = ("url", "agent", "verdict", "categories", "statements")
    url: str
    agent: str
    verdict: Verdict | None
    categories: tuple[str, ...]
    statements: tuple[Statement, ...]

    def permits(self, category: str, *, only_if_allowed: bool = False) -> bool:
        """Say whether a robot that heeds the site may use the content so.

        It may if the robot may fetch the URL and the use is not disallowed; `only_if_allowed` asks for
        more, that the use be allowed in so many words.

        Raises `UnknownCategory` for a category that is none of `categories`.
        """
        said = self.preference(category)
        if said is Preference.DISALLOW or not self.crawlable:
            return False
        return said is Preference.ALLOW or not only_if_allowed

    @property
    def crawlable(self) -> bool:
        """Whether nothing forbids to fetch the URL: robots.txt, or ACAP if it was asked for."""
        return self.preference(CRAWL) is not Preference.DISALLOW

    @property
    def preferences(self) -> dict[str, Preference]:
        """The preference for each category, "crawl" too."""
        return {category: self.preference(category) for category in self.categories}

    def preference(self, category: str) -> Preference:
        """Give what is preferred for a category; raises `UnknownCategory` as `permits` does."""
        said = self.deciding(category)
        return Preference.UNKNOWN if said is None else said.preference

    def deciding(self, category: str) -> Statement | None:
        """Give the statement that decides a category, if any does; raises as `permits` does."""
        if category not in self.categories:
            raise UnknownCategory(f"no category {category!r} here; there are {', '.join(self.categories)}")
        for said in self.statements:
            if said.category == category and said.standing is Standing.DECIDES:
                return said
        return None

    @property
    def tdm_policy(self) -> str | None:
        """The URL of the policy under which a licence to mine can be had, where the right is reserved."""
        said = (one.policy for one in self.statements if one.standing in (Standing.DECIDES, Standing.AGREES))
        return next((policy for policy in said if policy), None)

    def explain(self, category: str) -> str:
        """Say in a sentence what is preferred for a category and why; raises as `permits` does."""
        said = self.deciding(category)
        about = [one for one in self.statements if one.category == category and one is not said]
        if said is not None:
            sentence = f"{category} is {said.preference.value}ed by {said}"
        elif about:
            sentence = f"{category} is neither allowed nor disallowed"
        else:
            sentence = f"nothing is said of {category}"
        others = [f"{one}: {one.standing.value}" for one in about[:3]]
        more = [f"{len(about) - 3} more"] if len(about) > 3 else []
        if category != CRAWL and not self.crawlable:
            forbidden = f"{self.agent or 'the robot'} may not fetch the URL by {self.deciding(CRAWL)}"
            sentence = f"{forbidden}; {sentence}"
        return printable("; ".join([sentence, *others, *more]))

    def record(self) -> dict[str, object]:
        """Give all of it as JSON has it."""
        return {
            "url": printable(self.url),
            "agent": self.agent,
            "crawlable": self.crawlable,
            "preferences": {category: said.value for category, said in self.preferences.items()},
            "statements": [said.record() for said in self.statements],
        }


def usage(
    url: str | bytes,
    *,
    agent: str | Sequence[str] | None = None,
    robots: RobotsTxt | Rules | Access | None = None,
    headers: Headers = (),
    html: bytes | str | None = None,
    page: PageDirectives | None = None,
    tdmrep: bytes | str | tdm.TdmRep | None = None,
    ai_txt: bytes | str | RobotsTxt | None = None,
    control_token: str | None = None,
    acap: bool = False,
    vocabulary: str | Vocabulary = CURRENT,
) -> Usage:
    r"""Say what a site prefers to be done with the content of a URL, from all that was received.

    `url` and `agent` are as for `comity.RobotsTxt.check`; with `Rules`, which know their robot, `agent`
    may be left out. `robots` is the site's robots.txt, `headers` are the response's header fields, as
    pairs or as a mapping, `html` is the page as it came or as text, or `page` what was
    read of it and of the header fields for this robot already, `tdmrep` is the body of
    `/.well-known/tdmrep.json`, `ai_txt` that of `/ai.txt`; give only what there is. Of many URLs, give
    both files as `protocol.usage.tdmrep.tdmrep` and `protocol.usage.ai_txt.ai_txt` read them.
    `control_token` is a name by which robots.txt speaks of training alone, as "Google-Extended" does of
    what Googlebot fetched; what it may not fetch may not be trained on, and it allows nothing. `acap` asks
    for ACAP's rules of crawling too. `vocabulary` is the one that Content-Usage is read by: the name of a
    draft, such as "aipref-vocab-04", or a `Vocabulary`.

    >>> said = usage(
    ...     "https://example.com/ai/page",
    ...     agent="ExampleBot",
    ...     headers=[("Content-Usage", "train-ai=y"), ("TDM-Reservation", "1")],
    ... )
    >>> print(said.explain("train-ai"))  # doctest: +NORMALIZE_WHITESPACE
    train-ai is disallowed by header `tdm-reservation: 1`; header `Content-Usage: train-ai=y`: it is
    overruled, since a disallow wins over an allow

    Content never raises. `InvalidURL` is raised for a URL that robots.txt cannot speak of, or that is not
    of the origin of an `Access`; `UnknownVocabulary` for a vocabulary that does not exist; `TypeError`
    where no robot is named, and for `acap` or `control_token` without a whole robots.txt.
    """
    labels = vocabulary_of(vocabulary)
    text = text_of(url) if isinstance(url, bytes) else url
    if agent is None and not isinstance(robots, Rules):
        raise TypeError("usage needs an agent, unless it is given the rules of one")
    if (acap or control_token is not None) and not isinstance(robots, RobotsTxt | Access):
        raise TypeError(
            "acap and control_token stand outside the rules of a robot: give the whole robots.txt"
        )
    names = names_of(agent) if agent is not None else ()
    fields = _header_fields(headers)
    said: list[Statement] = []
    verdict: Verdict | None = None
    if robots is not None:
        rules, verdict = _ask(robots, text, agent)
        names = names or rules.names
        said.append(_of_crawling(verdict))
        if acap and not isinstance(robots, Rules):
            file = robots.robots if isinstance(robots, Access) else robots
            said += acap_crawl.statements(file.acap, text, rules.names, rules.dialect)
        said += _of_rules(rules, text, labels)
    if combined(one.preference for one in said if one.category == CRAWL) is Preference.DISALLOW:
        # draft-ietf-aipref-attach 3: what may not be fetched has no preference in robots.txt.
        said = [one if one.category == CRAWL else one.replace(standing=Standing.UNCRAWLABLE) for one in said]
    if control_token is not None and not isinstance(robots, Rules | None):
        said += _of_control(robots.check(text, agent=control_token), control_token)
    said += content_usage.from_header(fields["content-usage"], labels)
    signals = [Field("content-signal", text_of(value), 0) for value in fields["content-signal"]]
    said += content_signal.statements(signals, "header")
    read = _page(html, fields, names) if page is None else page
    if read is not None:
        said += page_rules.statements(read.statements, names)
    said += _of_mining(text, tdmrep, fields, read)
    if ai_txt is not None:
        said += ai.statements(ai_txt if isinstance(ai_txt, RobotsTxt) else ai.ai_txt(ai_txt), text, names)
    categories = dict.fromkeys((*labels.labels, *content_signal.CATEGORIES.values(), *tdm.CATEGORIES, CRAWL))
    named = verdict.agent if verdict is not None else "".join(names[:1])
    return Usage(text, named, verdict, tuple(categories), tuple(_judged(said, tuple(categories))))


def _ask(
    robots: RobotsTxt | Rules | Access, url: str, agent: str | Sequence[str] | None
) -> tuple[Rules, Verdict]:
    """Give what robots.txt says to the robot, and whether it may fetch the URL."""
    if isinstance(robots, Rules):
        return robots, robots.check(url)
    names = agent or ""
    file = robots.robots if isinstance(robots, Access) else robots
    return file.rules_for(names), robots.check(url, agent=names)


def _of_crawling(verdict: Verdict) -> Statement:
    """Give what decides crawling: the rule, or the reason for which there is none."""
    return Statement(
        vocabulary="robots.txt",
        source="robots.txt",
        place=verdict.line,
        text=str(verdict.rule) if verdict.rule else verdict.explain(),
        category=CRAWL,
        preference=Preference.ALLOW if verdict.allowed else Preference.DISALLOW,
        standing=Standing.DECIDES,
        policy=None,
    )


def _of_control(verdict: Verdict, token: str) -> list[Statement]:
    """Give what the rules for a control token say of training; it grants nothing that others do not."""
    if verdict.allowed:
        return []
    text = f"{verdict.rule or verdict.reason.value} for {token}"
    return [
        Statement(
            vocabulary="robots.txt",
            source="robots.txt",
            place=verdict.line,
            text=text,
            category="train-ai",
            preference=Preference.DISALLOW,
            standing=Standing.DECIDES,
            policy=None,
        )
    ]


def _of_rules(rules: Rules, url: str, vocabulary: Vocabulary) -> list[Statement]:
    """Give the preferences that robots.txt states for the robot."""
    said: list[Statement] = []
    for path in _paths(url, rules.dialect) if rules.raw_groups else ():
        said += rules.usage_rules.statements(path, vocabulary)
    said += content_signal.statements(rules.content_signals.lines, "robots.txt")
    return said


def _page(
    html: bytes | str | None, fields: dict[str, list[bytes]], names: Sequence[str]
) -> PageDirectives | None:
    """Read a page and the header fields that speak as it does, if there is anything to read."""
    headers = [(name, value) for name in (*_ROBOTS_TAGS, "content-type") for value in fields[name]]
    if html is None and not any(fields[name] for name in _ROBOTS_TAGS):
        return None
    return page_directives(html=html, headers=headers, agent=names)


def _of_mining(
    url: str,
    file: bytes | str | tdm.TdmRep | None,
    fields: dict[str, list[bytes]],
    page: PageDirectives | None,
) -> list[Statement]:
    """Give what TDMRep says, the closest to the content last."""
    sources: list[tdm.Source] = []
    if file is not None:
        read = file if isinstance(file, tdm.TdmRep) else tdm.tdmrep(file)
        sources += [tdm.from_file(read, path) for path in _paths(url, RFC9309)]
    reservations, policies = (
        [text_of(value) for value in fields[name]] for name in ("tdm-reservation", "tdm-policy")
    )
    sources.append(tdm.from_header(reservations, policies))
    if page is not None:
        sources.append(tdm.from_metas(page.metas))
    return tdm.statements(sources)


def _judged(statements: Iterable[Statement], categories: Sequence[str]) -> list[Statement]:
    """Say of each statement that could decide whether it does: of those that agree, the first."""
    found = list(dict.fromkeys(statements))
    for category in categories:
        able = [
            place
            for place, said in enumerate(found)
            if said.category == category and said.standing is Standing.DECIDES
        ]
        winning = combined(found[place].preference for place in able)
        decided = False
        for place in able:
            if found[place].preference is not winning:
                found[place] = found[place].replace(standing=Standing.DISALLOW_WINS)
            elif decided:
                found[place] = found[place].replace(standing=Standing.AGREES)
            else:
                decided = True
    return found


def _paths(url: str, dialect: Dialect) -> list[str]:
    """Give what is compared with patterns; two readings of a reference that has two."""
    read = path_reader(dialect)
    try:
        return [read(url)]
    except RelativeReference as doubt:
        return [read(reading) for reading in doubt.readings]


def _header_fields(headers: Headers) -> dict[str, list[bytes]]:
    """Gather the lines of each field that is read."""
    found: dict[str, list[bytes]] = {field: [] for field in (*FIELDS, "content-type")}
    for field, value in pairs_of(headers):
        if field in found:
            found[field].append(octets(value).strip(b" \t"))
    return found
