"""What was fetched -> `Page`: what a robot may do with it, by the words of page, response and site."""

from collections.abc import Iterator, Mapping, Sequence

from ..protocol.access import Access
from ..protocol.page.directives import Answer, PageDirectives, page_directives
from ..protocol.page.encoding import LIMIT
from ..protocol.page.links import Link
from ..protocol.page.silence import is_silent
from ..protocol.robotstxt.document import RobotsTxt
from ..protocol.robotstxt.rules import Rules
from ..protocol.robotstxt.selection import names_of
from ..protocol.robotstxt.verdict import printable
from ..protocol.usage.answer import CRAWL, Usage, usage
from ..protocol.usage.statement import Standing, Statement
from ..protocol.usage.tdmrep import TdmRep
from ..protocol.usage.vocabulary import CURRENT, Preference, Vocabulary
from ..protocol.value import Value

__all__ = ["ANSWERS", "LIMIT", "Page", "Requirement", "SiteFiles", "judged", "usage_record"]

#: What a page lets a robot do, in the order in which it is told.
ANSWERS = ("index", "follow", "archive", "snippet", "translate", "image_index", "ai", "image_ai")

#: The media types that may hold META tags; a response that names none may hold anything.
_MARKUP = ("html", "xml", "")


class SiteFiles(Value):
    """What a site keeps beside its robots.txt about the use of its content; `None` for what it has not."""

    __slots__ = ("tdmrep", "ai_txt")
    tdmrep: TdmRep | None
    ai_txt: RobotsTxt | None


class Requirement(Value):
    """The uses that a robot makes of what it fetches, which sites may disallow.

    With `only_if_allowed`, a use that nobody speaks of is not made either.
    """

    __slots__ = ("categories", "only_if_allowed")
    categories: tuple[str, ...]
    only_if_allowed: bool

    def unmet(self, said: Usage) -> str | None:
        """Give the first category that is not permitted by all that was received, if any is not."""
        for category in self.categories:
            if not said.permits(category, only_if_allowed=self.only_if_allowed):
                return category
        return None

    def broken(self, said: Usage) -> str | None:
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

    >>> body = b"<a href=/tea>Tea</a><a href=mailto:a@b>Write</a>"
    >>> page = judged("https://example.com/", (), 200, {}, body, agent="ExampleBot", now=0.0)
    >>> [link.url for link in page.links], bool(page.directives.index), page.usage.permits("train-ai")
    (['https://example.com/tea'], True, True)
    """

    __slots__ = ("url", "hops", "status", "headers", "body", "directives", "usage")
    url: str
    hops: tuple[str, ...]
    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes
    directives: PageDirectives
    usage: Usage

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
            "unavailable_after": said.unavailable_after,
        }

    @property
    def forbidden(self) -> dict[str, str]:
        """What the page does not let the robot do, each with the words that say so, for a log."""
        answers = (getattr(self.directives, name) for name in ANSWERS)
        return {answer.question: f"{answer.rule} ({answer.source})" for answer in answers if not answer}

    def explain(self) -> str:
        """Say what the page forbids or limits, and what the site prefers of each use."""
        told = [self.usage.explain(category) for category in self.usage.categories]
        return "\n".join([self.directives.explain(), *told])


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
    vocabulary: str | Vocabulary = CURRENT,
) -> Page:
    """Read a page that was fetched at `now`, with what is known of its site.

    A response whose type is no markup has no META tags, so only its header fields are read.
    """
    pairs = tuple(headers.items() if isinstance(headers, Mapping) else headers)
    media = next((value for name, value in pairs if name.lower() == "content-type"), "")
    essence = media.partition(";")[0].strip().lower()
    html = body if essence.endswith(_MARKUP[:2]) or essence in _MARKUP else None
    spoken = None if html is None or is_silent(html, names_of(agent)) else html
    return Page(
        url=url,
        hops=hops,
        status=status,
        headers=pairs,
        body=body,
        directives=page_directives(html=html, headers=pairs, agent=agent, url=url, now=now),
        usage=usage(
            url,
            agent=agent,
            robots=robots,
            headers=pairs,
            html=spoken,
            tdmrep=None if files is None else files.tdmrep,
            ai_txt=None if files is None else files.ai_txt,
            vocabulary=vocabulary,
        ),
    )


def usage_record(said: Usage) -> dict[str, object]:
    """Say shortly which uses are allowed or disallowed, and by what; what nobody speaks of is left out."""
    deciding = {category: said.deciding(category) for category in said.categories if category != CRAWL}
    return {category: _statement(one) for category, one in deciding.items() if one is not None}


def _statement(one: Statement) -> dict[str, object]:
    return {"preference": one.preference.value, "by": str(one)}


def _answer(answer: Answer) -> dict[str, object]:
    return {"allowed": answer.allowed, "rule": answer.rule, "source": answer.source, "line": answer.line}
