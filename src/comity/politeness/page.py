"""What was fetched -> `Page`: what a robot may do with it, by the words of page, response and site."""

import re
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256

from ..protocol.access.outcome import Access
from ..protocol.page.dates import iso_of
from ..protocol.page.directives import Answer, PageDirectives, page_directives
from ..protocol.page.encoding import LIMIT
from ..protocol.page.links import Link
from ..protocol.robotstxt.document import RobotsTxt
from ..protocol.robotstxt.fields.statement import Standing, Statement
from ..protocol.robotstxt.fields.vocabulary import CURRENT, Preference, Vocabulary
from ..protocol.robotstxt.rules import Rules
from ..protocol.text import printable
from ..protocol.usage.answer import CRAWL, Usage, usage
from ..protocol.value import Value
from .site_files import SiteFiles

__all__ = ["ANSWERS", "LIMIT", "Page", "Requirement", "judged", "usage_record"]

#: What a page lets a robot do, in the order in which it is told.
ANSWERS = ("index", "follow", "archive", "snippet", "translate", "image_index", "ai", "image_ai")

#: What a media type is written like (RFC 9110 8.3.1), and the types that say nothing (MIME Sniffing 7).
_MEDIA_TYPE = re.compile(r"[!#$%&'*+.^_`|~0-9a-z-]+/[!#$%&'*+.^_`|~0-9a-z-]+", re.ASCII)
_UNKNOWN_TYPES = ("unknown/unknown", "application/unknown", "*/*")


class Requirement(Value):
    """The uses that a robot makes of what it fetches, which sites may disallow.

    With `only_if_allowed`, a use that nobody speaks of is not made either.
    """

    __slots__ = ("categories", "only_if_allowed")
    categories: tuple[str, ...]
    only_if_allowed: bool

    def unmet(self, page: "Page") -> tuple[str, str] | None:
        """Give the first category that a page may not be used for, and why, if there is one.

        What is no content, such as an error, may be handed out. What could not be heard may have said no.
        """
        if not page.has_content:
            return None
        for category in self.categories:
            if not page.usage.permits(category, only_if_allowed=self.only_if_allowed):
                return category, page.usage.explain(category)
        if page.unavailable_sources and self.categories:
            return self.categories[
                0
            ], f"whether {self.categories[0]} is disallowed is not known: {page.unavailable_sources}"
        return None

    def disallowed(self, said: Usage) -> str | None:
        """Give the first category that is disallowed whatever else may be received, if any is.

        What TDMRep says in one place can be taken back in another, closer to the content.
        """
        for one in said.statements:
            if (
                one.category in self.categories
                and one.preference is Preference.DISALLOW
                and one.standing in (Standing.DECIDES, Standing.AGREES)
                and one.vocabulary != "tdmrep"
            ):
                return one.category
        return None


class Page(Value):
    """A page that a robot fetched and read.

    `url` is where it was found, `hops` are the URLs whose redirects led there, `status` is what the server
    answered, `headers` are the pairs of its header fields. `body` is the content, in octets and without any
    encoding of the transfer; of a page that `Robot.page` fetched, at most 15 MB and a little more.
    `directives` say what the page lets the robot do, `usage` what the site lets it use the content for.
    `unavailable_sources` says what more the site may have said of it that could not be had, and is empty if nothing.

    >>> body = b"<a href=/tea>Tea</a><a href=mailto:a@b>Write</a>"
    >>> page = judged("https://example.com/", (), 200, {}, body, agent="ExampleBot", now=0.0)
    >>> [link.url for link in page.links], bool(page.directives.index), page.usage.permits("train-ai")
    (['https://example.com/tea'], True, True)
    """

    __slots__ = ("url", "hops", "status", "headers", "body", "directives", "usage", "unavailable_sources")
    url: str
    hops: tuple[str, ...]
    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes
    directives: PageDirectives
    usage: Usage
    unavailable_sources: str

    @property
    def has_content(self) -> bool:
        """Whether the server gave what was asked for; the body of an error, or of a redirect, is none."""
        return 200 <= self.status < 300

    @property
    def links(self) -> Iterator[Link]:
        """The links that a robot may follow, in order: to http and https, not closed by the link or the page.

        Whether their targets may be fetched is up to robots.txt. A page with `nofollow` has none.
        """
        for link in self.directives.links:
            if link.follow and link.url is not None and link.url.lower().startswith(("http://", "https://")):
                yield link

    def record(self) -> dict[str, object]:
        """Give what the page says as JSON has it: each answer with its rule and source, and the limits."""
        said = self.directives
        return {
            "url": printable(self.url),
            "hops": [printable(hop) for hop in self.hops],
            "status": self.status,
            **{name: _answer(getattr(said, name)) for name in ANSWERS},
            "max_snippet": said.max_snippet,
            "max_image_preview": said.max_image_preview,
            "max_video_preview": said.max_video_preview,
            "unavailable_after": None if said.unavailable_after is None else iso_of(said.unavailable_after),
            "unavailable_sources": self.unavailable_sources or None,
        }

    @property
    def forbidden(self) -> dict[str, str]:
        """What the page does not let the robot do, each with the words that say so."""
        answers = (getattr(self.directives, name) for name in ANSWERS)
        return {answer.question: f"{answer.rule} ({answer.source})" for answer in answers if not answer}

    def evidence(self) -> dict[str, object]:
        """Give what a log keeps: what was read, where it was found, and what it forbids by which words."""
        return {
            "sha256": sha256(self.body).hexdigest(),
            "hops": [printable(hop) for hop in self.hops],
            "forbids": self.forbidden,
            "unavailable_sources": self.unavailable_sources or None,
        }

    def explain(self) -> str:
        """Say what the page forbids or limits, and what the site prefers of each use."""
        told = [self.usage.explain(category) for category in self.usage.categories]
        return "\n".join(filter(None, [self.directives.explain(), *told, self.unavailable_sources]))


def judged(
    url: str,
    hops: tuple[str, ...],
    status: int,
    headers: Mapping[str, str] | Sequence[tuple[str, str]],
    body: bytes,
    *,
    agent: str | Sequence[str],
    now: float,
    robots: RobotsTxt | Rules | Access | None = None,
    files: SiteFiles | None = None,
    control_token: str | None = None,
    vocabulary: str | Vocabulary = CURRENT,
) -> Page:
    """Read a page that was fetched at `now`, with what is known of its site.

    A response whose type is no markup has no META tags, so only its header fields are read. One without a
    type, or with one that cannot be read, is read as markup.
    """
    pairs = tuple(headers.items() if isinstance(headers, Mapping) else headers)
    media = [value for name, value in pairs if name.lower() == "content-type"]
    html = body if not media or any(map(_is_markup, media)) else None
    directives = page_directives(html=html, headers=pairs, agent=agent, url=url, now=now)
    said = usage(
        url,
        agent=agent,
        robots=robots,
        headers=pairs,
        page=directives,
        tdmrep=None if files is None else files.tdmrep,
        ai_txt=None if files is None else files.ai_txt,
        control_token=control_token,
        vocabulary=vocabulary,
    )
    unavailable_sources = [f"of the page only the first {LIMIT:,} octets were read"] if directives.truncated else []
    if files is not None and files.failure:
        unavailable_sources.append(files.failure)
    return Page(url, hops, status, pairs, body, directives, said, "; ".join(unavailable_sources))


def _is_markup(media: str) -> bool:
    """Say whether content of a media type may have META tags.

    >>> _is_markup("text/html; charset=utf-8"), _is_markup("text/html charset=utf-8"), _is_markup("image/png")
    (True, True, False)
    """
    essence = media.partition(";")[0].strip().lower()
    if not _MEDIA_TYPE.fullmatch(essence) or essence in _UNKNOWN_TYPES:
        return True
    return essence.endswith(("html", "xml"))


def usage_record(said: Usage, *, whole: bool = False) -> dict[str, object]:
    """Say which uses are allowed or disallowed, and by what; if `whole`, also of which nobody speaks."""
    deciding = {category: said.deciding(category) for category in said.categories if category != CRAWL}
    return {category: _statement(one) for category, one in deciding.items() if whole or one is not None}


def _statement(one: Statement | None) -> dict[str, object]:
    if one is None:
        return {"preference": Preference.UNKNOWN.value, "by": None}
    return {"preference": one.preference.value, "by": str(one)}


def _answer(answer: Answer) -> dict[str, object]:
    return {"allowed": answer.allowed, "rule": answer.rule, "source": answer.source, "line": answer.line}
