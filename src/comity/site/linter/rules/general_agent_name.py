"""A User-agent line has a general word, such as `all` or `bots`, which no robot is called.

Why: `*` stands for all robots. A word such as `all` is read as the name of one robot, and none has it. The
group therefore applies to no robot.

Example:
    User-agent: all
    Disallow: /private/
Instead:
    User-agent: *
    Disallow: /private/
Engines: All but robots that search for a part of their name, as the standard of 1994 recommends.
Source: RFC 9309 2.2.1.
"""

from collections.abc import Iterator

from ..problem import Problem, at_value, quoted
from ..subject import Subject

CODE = "C224"
SEVERITY = "warning"

_WORDS = frozenset(
    b"all any anybody anyone bot bots crawler crawlers default every everybody everyone everything none "
    b"other others robot robots search-engine search-engines searchbot spider spiders".split()
)
_PHRASES = frozenset(
    words + kind
    for words in (b"all ", b"any ", b"every ", b"other ", b"all other ", b"all-", b"all_", b"all")
    for kind in (
        b"agents",
        b"bot",
        b"bots",
        b"crawler",
        b"crawlers",
        b"robot",
        b"robots",
        b"spider",
        b"spiders",
    )
)


def check(subject: Subject) -> Iterator[Problem]:
    """Report User-agent lines that have only such a word."""
    for line in subject.agents:
        if line.value.lower() in _WORDS or line.value.lower() in _PHRASES:
            yield at_value(line, f"no robot is called {quoted(line.value)}; `*` stands for all robots")
