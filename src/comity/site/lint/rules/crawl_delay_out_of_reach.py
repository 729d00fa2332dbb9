"""A Crawl-delay is so long that a robot that obeys it sees next to nothing of the site.

That is more than a minute; in a group that names a robot of Bing, more than the 30 seconds that Bing knows.

Why: At a minute a page, a robot fetches 1,440 pages a day. Bing reads no more than 30 seconds out of it, one
large crawler stays away altogether above five minutes, and others cut the delay.

Example:
    User-agent: *
    Crawl-delay: 3600
Instead:
    User-agent: *
    Crawl-delay: 10
Engines: Bing (1 to 30), Heritrix (300 at most), crawler-commons and Nutch (nothing is fetched above 300).
Source: Bing, Crawl-delay; the sources of Heritrix and crawler-commons.
"""

from collections.abc import Iterator

from ....protocol.robotstxt.fields.rates import crawl_delay
from ....protocol.text import to_text
from ..problem import Problem, at_value
from ..subject import Block, Subject, name_in

__all__ = ["CODE", "SEVERITY", "check"]

CODE = "C408"
SEVERITY = "warning"

#: Seconds: longer than any robot waits without thinking about it.
_REACH = 60
_DAY = 86_400

#: Seconds: the longest delay that Bing knows.
_BING = 30
_OF_BING = ("bingbot", "msnbot", "BingPreview", "adidxbot")


def check(subject: Subject) -> Iterator[Problem]:
    """Look at each delay."""
    for line in subject.lines:
        seconds = crawl_delay(to_text(line.value)) if line.field == "crawl-delay" else None
        if seconds is not None and seconds > _REACH:
            pages = f"{int(_DAY / seconds):,} pages" if seconds * 2 <= _DAY else "one page"
            yield at_value(
                line,
                f"a robot that obeys this fetches at most {pages} a day; many wait for less, or stay away",
            )
    for block in subject.blocks:
        if not _is_for_bing(subject, block):
            continue
        for line in block.fields:
            seconds = crawl_delay(to_text(line.value)) if line.field == "crawl-delay" else None
            if seconds is not None and _BING < seconds <= _REACH:
                yield at_value(line, f"Bing reads a delay of 1 to {_BING} seconds, and this is longer")


def _is_for_bing(subject: Subject, block: Block) -> bool:
    agents = [subject.known.get(name_in(line)) for line in block.agents]
    return any(agent and agent.token in _OF_BING for agent in agents)
