"""A Crawl-delay is so long that a robot that obeys it fetches only a small part of the site.

The limit is one minute. In a group that names a robot of Bing, it is 30 seconds, the longest delay that Bing
reads. A group that closes the whole site is not reported.

Why: With a delay of a minute, a robot fetches 1,440 pages a day. Bing reads longer delays as 30 seconds, one
large crawler fetches nothing if the delay is over five minutes, and others shorten the delay.

Example:
    User-agent: *
    Disallow: /search
    Crawl-delay: 3600
Instead:
    User-agent: *
    Disallow: /search
    Crawl-delay: 10
Engines: Bing (1 to 30 seconds), Heritrix (300 at most), crawler-commons and Nutch (nothing is fetched above
300).
Source: Bing, Crawl-delay; the source code of Heritrix and crawler-commons.
"""

from collections.abc import Iterator

from ....protocol.robotstxt.fields.rates import crawl_delay
from ....protocol.text import to_text
from ..problem import Problem, at_value
from ..subject import Block, Subject, name_in

CODE = "C408"
SEVERITY = "warning"

#: Longest delay that is not reported, in seconds.
_LONGEST = 60
_DAY = 86_400

#: Longest delay that Bing reads, in seconds.
_BING = 30
_OF_BING = ("bingbot", "msnbot", "BingPreview", "adidxbot")


def check(subject: Subject) -> Iterator[Problem]:
    """Report delays over the limit of all robots, or of Bing in its groups."""
    for block in subject.blocks:
        delays = [line for line in block.fields if line.field == "crawl-delay"]
        if not delays or block.closes_all:
            continue
        limit = _BING if _is_for_bing(subject, block) else _LONGEST
        for line in delays:
            seconds = crawl_delay(to_text(line.value))
            if seconds is not None and seconds > _LONGEST:
                pages = f"{int(_DAY / seconds):,} pages" if seconds * 2 <= _DAY else "one page"
                yield at_value(
                    line,
                    f"a robot that obeys this delay fetches at most {pages} a day; write a shorter delay",
                )
            elif seconds is not None and seconds > limit:
                yield at_value(line, f"Bing reads delays of 1 to {_BING} seconds only; write a shorter delay")


def _is_for_bing(subject: Subject, block: Block) -> bool:
    agents = [subject.known.get(name_in(line)) for line in block.agents]
    return any(agent and agent.token in _OF_BING for agent in agents)
