"""ai.txt (Spawning, 2023): the files that may be used for training, in the format of a robots.txt.

There is no specification. Files have groups, Allow and Disallow, and patterns such as `*.jpg`, so they are
parsed by RFC 9309. Their rules have no meaning for crawling.
"""

from collections.abc import Sequence

from ..robotstxt.document import RobotsTxt, body_of, parse
from ..robotstxt.engine.dialect import RFC9309
from ..robotstxt.engine.known_robot import KnownRobot
from ..robotstxt.fields.statement import Standing, Statement
from ..robotstxt.fields.vocabulary import Preference

#: The category of use that its rules are about.
CATEGORY = "train-ai"

#: Maximum number of bytes that are read, as for robots.txt in crawlers.
LIMIT = 512 * 1024

#: RFC 9309, but `/robots.txt` has no exception.
_DIALECT = RFC9309.replace(name="ai.txt", opens_robots_txt=False)


def ai_txt(body: bytes | str | RobotsTxt) -> RobotsTxt:
    r"""Parse an ai.txt; content never raises.

    `body` is the file as `bytes`, a `str`, or parsed as a robots.txt. It is read by RFC 9309, but the path
    `/robots.txt` has no exception. Only the lines in the first 512 KiB are read.

    >>> ai_txt("User-Agent: *\nDisallow: *.jpg").allowed("/img/x.jpg", agent="ExampleBot")
    False
    """
    data = body_of(body)
    if len(data) > LIMIT:
        body = data[: max(data.rfind(end, 0, LIMIT) for end in (b"\n", b"\r")) + 1]
    return parse(body, dialect=_DIALECT)


def statements(file: RobotsTxt, url: str, agent: str | Sequence[str] | KnownRobot) -> list[Statement]:
    """Return the statement of the longest matching rule; overruled rules are ignored."""
    verdict = file.check(url, agent=agent)
    if verdict.rule is None:
        return []
    return [
        Statement(
            vocabulary="ai.txt",
            source="ai.txt",
            place=verdict.line,
            text=str(verdict.rule),
            category=CATEGORY,
            preference=Preference.ALLOW if verdict.allowed else Preference.DISALLOW,
            standing=Standing.DECIDES,
            policy=None,
        )
    ]
