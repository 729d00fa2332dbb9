"""A Crawl-delay is so long that a robot that obeys it sees next to nothing of the site.

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

from ....protocol.robotstxt.rates import crawl_delay
from ....protocol.robotstxt.verdict import text_of
from ..remark import Remark, at_value
from ..subject import Subject

__all__ = ["CODE", "SEVERITY", "check"]

CODE = "C408"
SEVERITY = "warning"

#: Seconds: longer than any robot waits without thinking about it.
_REACH = 60
_DAY = 86_400


def check(subject: Subject) -> Iterator[Remark]:
    """Look at each delay."""
    for line in subject.lines:
        seconds = crawl_delay(text_of(line.value)) if line.field == "crawl-delay" else None
        if seconds is not None and seconds > _REACH:
            pages = f"{int(_DAY / seconds):,} pages" if seconds * 2 <= _DAY else "one page"
            yield at_value(
                line,
                f"a robot that obeys this fetches at most {pages} a day; many wait for less, or stay away",
            )
