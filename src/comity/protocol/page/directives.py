"""All that a page and its response state -> `PageDirectives`: what a robot may do with the page, and why.

The judging takes elements and knows no parser. Rules for all robots and rules for this one add up; where
they contradict each other, the policy decides: the most restrictive, as Google does, or Yandex's.
"""

from collections.abc import Iterable, Iterator, Sequence

from ...errors import InvalidArgument
from ..access.header_fields import Headers, pairs_of
from ..robotstxt.selection import names_of
from ..value import Value
from .encoding import LIMIT, decoded
from .links import Anchor, Link, links_of
from .markup import Element, Lines, Mark, scan
from .metas import Meta, meta_of
from .regions import Region, Regions, Span
from .rules import FORBIDS, GRANTS, LIMITS, strictness
from .statements import KEPT, Standing, Statement, gathered, of_headers, of_meta

__all__ = ["POLICIES", "Answer", "PageDirectives", "page_directives"]

#: How contradictions are settled.
POLICIES = ("restrictive", "yandex")

#: `explain` names so many statements that do not count.
_EXPLAINED = 10

#: The answers of `PageDirectives`, each with what it forbids in words.
_QUESTIONS = {
    "index": "index the page",
    "index_if_embedded": "index the page where another embeds it",
    "follow": "follow its links",
    "archive": "show a copy of it",
    "snippet": "show a snippet of it",
    "translate": "offer a translation of it",
    "image_index": "index its images",
    "ai": "use it for train-ai",
    "image_ai": "use its images for train-ai",
    "directory": "describe it in the words of a directory",
    "search_box": "show a search box for its site",
}


class Answer(Value):
    """Whether a page allows something, and who says so; it is true if the page does.

    `question` is the name of the answer, such as "index". `statements` are those that decide, the first
    of which is quoted; without any, all is allowed.
    """

    __slots__ = ("question", "allowed", "statements")
    question: str
    allowed: bool
    statements: tuple[Statement, ...]

    @property
    def rule(self) -> str | None:
        """The rule that decided, such as "noindex"; `None` if none did."""
        return self.statements[0].rule if self.statements else None

    @property
    def source(self) -> str | None:
        """Where that rule stands: "meta robots, line 3" or "X-Robots-Tag: googlebot: noindex"."""
        return self.statements[0].source if self.statements else None

    @property
    def line(self) -> int | None:
        """The line of the tag, `None` if no tag decided."""
        return self.statements[0].line if self.statements else None

    def __bool__(self) -> bool:
        return self.allowed

    def explain(self) -> str:
        """Say it in a sentence.

        >>> page_directives(headers={"X-Robots-Tag": "noindex"}, agent="ExampleBot").index.explain()
        'it may not index the page: `noindex` (X-Robots-Tag: noindex)'
        """
        what = f"it may {'' if self.allowed else 'not '}{_QUESTIONS[self.question]}"
        if not self.statements:
            return f"{what}: nothing forbids it"
        return f"{what}: `{self.statements[0]}` ({self.source})"


class PageDirectives(Value):
    r"""What a page and its response let one robot do with it, and who says so.

    Each answer (`index`, `follow`, ...) is true if the page allows it. It can be read only by a robot that
    may fetch the page: what robots.txt disallows is never seen, and its rules have no effect.

    `statements` are all that were made, whether they count or not, and why not; of very many, those that
    change no answer are left out, `omitted` of them. `anchors` and `spans` are the plain data of `links`
    and `regions`, `metas` are the META tags that speak of the use of content (TDMRep). `url` and `base` are
    what links are resolved against, `policy` is the one that judged.
    `truncated` says whether the page was longer than what is read of one (15 MB).

    >>> page = page_directives(html='<head>\n<meta name="robots" content="nofollow, max-snippet:20">',
    ...                        headers=[("X-Robots-Tag", "examplebot: noindex")], agent="ExampleBot")
    >>> bool(page.index), page.index.source, page.follow.line, page.max_snippet
    (False, 'X-Robots-Tag: examplebot: noindex', 2, 20)
    """

    __slots__ = ("statements", "omitted", "anchors", "spans", "metas", "url", "base", "policy", "truncated")
    statements: tuple[Statement, ...]
    omitted: int
    anchors: tuple[Anchor, ...]
    spans: tuple[Span, ...]
    metas: tuple[Meta, ...]
    url: str | None
    base: str | None
    policy: str
    truncated: bool

    @property
    def index(self) -> Answer:
        """May the page be in an index? Not with `noindex` or `none`, nor after `unavailable_after`."""
        return self._answer("index")

    @property
    def index_if_embedded(self) -> Answer:
        """May it be indexed where another page embeds it? `indexifembedded` allows it despite `noindex`."""
        index = self.index
        if not index and all(statement.rule in FORBIDS for statement in index.statements):
            granting = self._applying(("indexifembedded",))
            if granting:
                return Answer("index_if_embedded", True, granting)
        return index.replace(question="index_if_embedded")

    @property
    def follow(self) -> Answer:
        """May its links be followed? Their targets may well be found elsewhere, and fetched then."""
        return self._answer("follow")

    @property
    def archive(self) -> Answer:
        """May a copy be shown? Not with `noarchive` or `nocache`.

        To Bing, the two also speak of AI: with `noarchive` alone, it uses nothing of the page in answers and
        training; with `nocache`, whatever else stands, it uses address, title and snippet. `rule` says which
        decided.
        """
        return self._answer("archive")

    @property
    def snippet(self) -> Answer:
        """May a snippet be shown? Not with `nosnippet`, nor with `max-snippet:0`, which is the same."""
        return self._answer("snippet")

    @property
    def translate(self) -> Answer:
        """May a translation be offered? Not with `notranslate`."""
        return self._answer("translate")

    @property
    def image_index(self) -> Answer:
        """May its images be indexed? Not with `noimageindex`."""
        return self._answer("image_index")

    @property
    def ai(self) -> Answer:
        """May AI be trained on it? Not with `noai` or `noml`. No standard, and few obey it."""
        return self._answer("ai")

    @property
    def image_ai(self) -> Answer:
        """May AI be trained on its images? Not with `noimageai`, `noai` or `noml`."""
        return self._answer("image_ai")

    @property
    def directory(self) -> Answer:
        """May a description from a directory be shown? Not with `noodp`, `noydir` or `noyaca`."""
        return self._answer("directory")

    @property
    def search_box(self) -> Answer:
        """May a search box for the site be shown? Not with `nositelinkssearchbox`."""
        return self._answer("search_box")

    @property
    def max_snippet(self) -> int | None:
        """How many characters a snippet may have, `None` for any number."""
        return 0 if self._silenced else self._number("max-snippet")

    @property
    def max_image_preview(self) -> str | None:
        """How large the preview of an image may be: "none", "standard", "large", or `None` for any."""
        limit = self.decisive("max-image-preview")
        return None if limit is None else str(limit.value)

    @property
    def max_video_preview(self) -> int | None:
        """How many seconds of a video may be shown, 0 for a still image, `None` for any number.

        `nosnippet` forbids previews of videos too (Google).
        """
        return 0 if self._silenced else self._number("max-video-preview")

    @property
    def unavailable_after(self) -> float | None:
        """From when on the page must not be shown, in seconds since 1970, whether that has come or not."""
        limit = self.decisive("unavailable_after")
        return None if limit is None else float(limit.value or 0)

    def decisive(self, rule: str) -> Statement | None:
        """Give the statement that decides a limit, such as "max-snippet": the strictest, or `None`.

        >>> headers = [("X-Robots-Tag", "max-snippet:50"), ("X-Robots-Tag", "max-snippet:20")]
        >>> page_directives(headers=headers, agent="ExampleBot").decisive("max-snippet").source
        'X-Robots-Tag: max-snippet:20'
        """
        return _strictest(self.statements, rule)

    @property
    def links(self) -> Iterator[Link]:
        """The links of the page, in order; each time they are asked for, they are resolved anew."""
        return links_of(self.anchors, self.url, self.base, self.follow.allowed)

    @property
    def regions(self) -> tuple[Region, ...]:
        """The stretches of text that the page closes to indexes or snippets, in order of their starts."""
        return tuple(Region(*span) for span in self.spans)

    def explain(self) -> str:
        r"""Say what is forbidden or limited, and what was stated and does not count, line by line.

        >>> headers = [("X-Robots-Tag", "noarchive"), ("X-Robots-Tag", "otherbot: noindex")]
        >>> print(page_directives(headers=headers, agent="ExampleBot").explain())
        it may not show a copy of it: `noarchive` (X-Robots-Tag: noarchive)
        `noindex` (X-Robots-Tag: otherbot: noindex) does not count: it is for another robot
        """
        answers = [self._answer(question) for question in _QUESTIONS if question != "index_if_embedded"]
        told = [answer.explain() for answer in answers if not answer]
        if not self.index and self.index_if_embedded:
            told.append(self.index_if_embedded.explain())
        told += [f"the limit is `{limit}` ({limit.source})" for limit in map(self.decisive, LIMITS) if limit]
        idle = [one for one in self.statements if one.standing is not Standing.APPLIES]
        told += [f"`{one}` ({one.source}) does not count: {one.standing.value}" for one in idle[:_EXPLAINED]]
        more = len(idle) + self.omitted - _EXPLAINED
        if more > 0:
            told.append(f"and {more} more without effect")
        return "\n".join(told) or "the page forbids nothing"

    @property
    def _silenced(self) -> bool:
        return not self.snippet

    def _number(self, rule: str) -> int | None:
        limit = self.decisive(rule)
        return None if limit is None or limit.value == -1 else int(limit.value or 0)

    def _applying(self, rules: Iterable[str]) -> tuple[Statement, ...]:
        return tuple(one for one in self.statements if one.standing is Standing.APPLIES and one.rule in rules)

    def _answer(self, question: str) -> Answer:
        against = _against(question, self.statements, self.policy)
        if against:
            return Answer(question, False, against)
        granting = self._applying([rule for rule in GRANTS if question in GRANTS[rule]])
        return Answer(question, True, granting)


def page_directives(
    *,
    html: bytes | str | None = None,
    headers: Headers = (),
    agent: str | bytes | Sequence[str],
    url: str | None = None,
    now: float | None = None,
    policy: str = "restrictive",
    elements: Iterable[Element] | None = None,
) -> PageDirectives:
    """Read what a page, and the response that it came with, let a robot do with it.

    `html` is the page: octets are decoded as browsers do, with the charset of `Content-Type` if `headers`
    have one; at most the first 15 MB are read. `headers` are pairs of name and value, repeated names kept
    apart, or a mapping. `agent` is a product token, a whole User-Agent header, or tokens in order of
    preference; what is meant for any of them counts. `url` is the page's own, for its links. `now`, in
    seconds since 1970, is needed only to say whether the date of `unavailable_after` has come; without it,
    the date is told and not applied.

    `policy` settles contradictions: "restrictive", by which what forbids more wins (Google), or "yandex",
    by which what allows wins. `elements` come from another parser, if that is to find the tags.

    Nothing that a page or a header holds raises. Raises `InvalidArgument` for a policy that does not exist.

    >>> page = page_directives(html=b"<meta name=robots content='noindex,nofollow'>", agent="ExampleBot")
    >>> print(page.explain())
    it may not index the page: `noindex` (meta robots, line 1)
    it may not follow its links: `nofollow` (meta robots, line 1)
    """
    if policy not in POLICIES:
        raise InvalidArgument.unknown("page policy", policy, POLICIES)
    fields = [(name, _text(value)) for name, value in pairs_of(headers) if name in _FIELDS]
    content_type = next((value for name, value in fields if name == "content-type"), None)
    names = frozenset(name.lower() for name in names_of(agent))
    page = _Page(decoded(html or "", content_type), elements)

    speaking: list[Meta] = []
    late: set[tuple[str, str]] = set()

    def spoken() -> Iterator[Statement]:
        yield from of_headers(fields, names, policy == "yandex")
        for meta in page.metas():
            yield from of_meta(meta.name, meta.content, meta.line, names)
            if meta.name in _OF_USAGE:
                # after so many, only what may say something that none before it said
                key = meta.name, meta.content.strip()
                if len(speaking) < KEPT or (key in _LATE and key not in late):
                    speaking.append(meta)
                late.add(key if key in _LATE else (meta.name, ""))

    statements, omitted = gathered(spoken())
    return PageDirectives(
        statements=_judged(statements, now, policy),
        omitted=omitted,
        anchors=tuple(page.anchors),
        spans=tuple(page.spans),
        metas=tuple(speaking),
        url=url,
        base=page.base,
        policy=policy,
        truncated=html is not None and len(html) > LIMIT,
    )


def _text(value: str | bytes) -> str:
    return value.decode("latin-1") if isinstance(value, bytes) else value


#: The names of META tags that speak of the use of content (TDMRep), kept for whoever asks about that.
_OF_USAGE = frozenset(("tdm-reservation", "tdm-policy"))
_LATE = frozenset((("tdm-reservation", "0"), ("tdm-reservation", "1")))

#: The header fields that are read.
_FIELDS = frozenset(("content-type", "x-robots-tag", "robots-tag"))


class _Page:
    """One pass through a page: gives its METAs, and keeps the rest on the way."""

    __slots__ = ("_elements", "_text", "anchors", "base", "spans")

    def __init__(self, text: str, elements: Iterable[Element] | None) -> None:
        self._text, self._elements = text, elements
        self.anchors: list[Anchor] = []
        self.base: str | None = None
        self.spans: list[Span] = []

    def metas(self) -> Iterator[Meta]:
        """Give the METAs that have a name; when they are through, so is the page."""
        regions = Regions()
        for found in self._found():
            if isinstance(found, Mark):
                regions.take(found)
                continue
            attributes = found.attributes
            if found.tag == "meta":
                meta = meta_of(found)
                if meta is not None:
                    yield meta
            elif "href" not in attributes:
                continue
            elif found.tag == "base":
                self.base = attributes["href"] if self.base is None else self.base
            else:
                self.anchors.append((attributes["href"], attributes.get("rel", ""), found.line))
        end = len(self._text)
        self.spans = regions.finish(end, Lines(self._text).at(end))

    def _found(self) -> Iterator[Element | Mark]:
        if self._elements is None:
            yield from scan(self._text)
        else:
            yield from self._elements
            yield from (found for found in scan(self._text) if isinstance(found, Mark))


def _judged(statements: tuple[Statement, ...], now: float | None, policy: str) -> tuple[Statement, ...]:
    """Say of each statement that applies whether it counts after all."""
    stated = {one.rule for one in statements if one.standing is Standing.APPLIES}
    limits = {rule: limit.value for rule in LIMITS if (limit := _strictest(statements, rule))}
    granted = {answer for rule in stated & GRANTS.keys() for answer in GRANTS[rule]}
    forbidden = {answer for rule in stated & FORBIDS.keys() for answer in FORBIDS[rule]}
    if _timely(limits.get("unavailable_after"), now) is Standing.APPLIES:
        forbidden.add("index")
    silent = "nosnippet" in stated

    def judged(one: Statement) -> Standing:
        rule = one.rule
        if rule in limits:
            weaker = strictness(rule, one.value) > strictness(rule, limits[rule])
            if weaker or (rule == "max-snippet" and silent and one.value != 0):
                return Standing.OVERRULED
            return _timely(one.value, now) if rule == "unavailable_after" else Standing.APPLIES
        if rule == "indexifembedded":
            return Standing.APPLIES if stated & {"noindex", "none"} else Standing.NEEDS_NOINDEX
        if rule in GRANTS:
            overruled = policy != "yandex" and not forbidden.isdisjoint(GRANTS[rule])
        else:
            overruled = policy == "yandex" and granted.issuperset(FORBIDS[rule])
        # Bing, 2023: where both stand, they are read as nocache
        archived = rule == "noarchive" and "nocache" in stated
        return Standing.OVERRULED if overruled or archived else Standing.APPLIES

    return tuple(
        one.replace(standing=judged(one)) if one.standing is Standing.APPLIES else one for one in statements
    )


def _timely(date: int | float | str | None, now: float | None) -> Standing:
    if now is None:
        return Standing.TIME_UNKNOWN
    return Standing.APPLIES if isinstance(date, float) and date <= now else Standing.NOT_DUE


def _strictest(statements: Iterable[Statement], rule: str) -> Statement | None:
    """Give the first of the strictest statements of a limit: once judged, the others are overruled."""
    counting = (Standing.APPLIES, Standing.NOT_DUE, Standing.TIME_UNKNOWN)
    limits = [one for one in statements if one.rule == rule and one.standing in counting]
    return min(limits, key=lambda one: strictness(rule, one.value), default=None)


def _against(question: str, statements: Iterable[Statement], policy: str) -> tuple[Statement, ...]:
    """Give the judged statements that forbid what is asked."""
    applying = [one for one in statements if one.standing is Standing.APPLIES]
    granted = policy == "yandex" and any(question in GRANTS.get(one.rule, ()) for one in applying)
    return tuple(
        one
        for one in applying
        if (question in FORBIDS.get(one.rule, ()) and not granted)
        or (question == "index" and one.rule == "unavailable_after")
        or (question == "snippet" and one.rule == "max-snippet" and one.value == 0)
    )
