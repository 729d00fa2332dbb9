"""ai.txt (Spawning, 2023): which files may be used for training, in the form of a robots.txt.

There is no specification. Files have groups, Allow and Disallow, and patterns such as `*.jpg`, so they are
read by RFC 9309; no rule says anything of crawling.
"""

from collections.abc import Sequence

from ..robotstxt.dialect import RFC9309
from ..robotstxt.document import RobotsTxt, parse
from ..robotstxt.fields.statement import Standing, Statement
from ..robotstxt.fields.vocabulary import Preference

__all__ = ["CATEGORY", "ai_txt", "statements"]

#: The use that its rules speak of.
CATEGORY = "train-ai"

#: As robots.txt, but `/robots.txt` is a file like others.
_DIALECT = RFC9309.replace(name="ai.txt", opens_robots_txt=False)


def ai_txt(body: bytes | str) -> RobotsTxt:
    r"""Read an ai.txt; content never raises.

    >>> ai_txt("User-Agent: *\nDisallow: *.jpg").allowed("/img/x.jpg", agent="ExampleBot")
    False
    """
    return parse(body, _DIALECT)


def statements(file: RobotsTxt, url: str, agent: str | Sequence[str]) -> list[Statement]:
    """Give what the longest matching rule says; the rules that it overrules say nothing."""
    verdict = file.check(url, agent=agent)
    if verdict.rule is None:
        return []
    said = Preference.ALLOW if verdict.allowed else Preference.DISALLOW
    return [
        Statement("ai.txt", "ai.txt", verdict.line, str(verdict.rule), CATEGORY, said, Standing.DECIDES, None)
    ]
