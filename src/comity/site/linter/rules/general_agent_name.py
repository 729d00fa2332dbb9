"""A User-agent line has a general word, such as `all` or `bots`, which no robot is called.

So are words for artificial intelligence, and products whose operators publish no name for robots.txt: `AI`,
`LLM`, `Grok`, `Copilot`.

Why: `*` stands for all robots. A word such as `all` is read as the name of one robot, and none has it. The
group therefore applies to no robot. There is no word for all robots of one kind either.

Example:
    User-agent: all
    Disallow: /private/
Instead:
    User-agent: *
    Disallow: /private/
Engines: All but robots that search for a part of their name, as the standard of 1994 recommends.
Source: RFC 9309 2.2.1; the robots that Comity knows, each with its own source (`comity agents`).
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
#: Words for robots of artificial intelligence, and products without a robot of that name.
_INTELLIGENCE = frozenset(
    b"ai ai-agent ai-agents ai-bot ai-bots ai-crawler ai-crawlers ai-training genai "
    b"artificial-intelligence copilot generative-ai grok llm llm-bot llm-bots llm-crawler llms".split()
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
        name = line.value.lower()
        if name in _WORDS or name in _PHRASES:
            yield at_value(line, f"no robot is called {quoted(line.value)}; `*` stands for all robots")
        elif name.replace(b" ", b"-") in _INTELLIGENCE:
            advice = "write a User-agent line for each robot, such as GPTBot, ClaudeBot and CCBot"
            yield at_value(line, f"no known robot is called {quoted(line.value)}; {advice}")
