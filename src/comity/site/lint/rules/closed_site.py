"""The whole site is closed to everybody, or to a search engine, and does not look as if it should be.

A file that says nothing but "keep all robots out" may well mean it. It is told of where the file stands at a
public address, or has more in it that would be for nothing: a sitemap, another group, a further rule. A file
that lets named robots in, and all others not, is a choice.

Why: The file of a server for trials keeps robots out, and goes online with all the rest. The site is then
gone from search after some days.

Example:
    User-agent: *
    Disallow: /

    Sitemap: https://example.com/sitemap.xml
Instead:
    User-agent: *
    Disallow: /drafts/

    Sitemap: https://example.com/sitemap.xml
Engines: All.
Source: RFC 9309 2.2.2; Google, on the example that blocks all crawling; the purposes that operators tell
(`comity agents Googlebot`).
"""

from collections.abc import Iterator

from ..problem import Problem, at_text, at_value
from ..subject import Block, Subject

__all__ = ["CODE", "SEVERITY", "check"]

CODE = "C217"
SEVERITY = "warning"

#: The search engines that next to no public site wants to be without.
_ENGINES = ("Googlebot", "bingbot")


def check(subject: Subject) -> Iterator[Problem]:
    """Look at who is closed out: everybody, or else an engine that no other rule speaks of."""
    everybody = subject.closed.get("*")
    if everybody:
        block, _ = everybody
        if block.closing and _is_odd(subject, block):
            others = any(name not in subject.closed for name in subject.named)
            who = "everybody who is not named" if others else "everybody"
            yield at_text(block.closing, f"the whole site is closed to {who}; is that meant?")
    elif not subject.closes_training:  # which has a rule of its own
        for token in _ENGINES:
            if token.lower() in subject.closed:
                _, line = subject.closed[token.lower()]
                yield at_value(
                    line, f"the whole site is closed to {token}, and so to its search; is that meant?"
                )


def _is_odd(subject: Subject, block: Block) -> bool:
    """Say whether a file that closes the site has signs that robots are wanted."""
    welcome = [name for name in subject.named if name not in subject.closed]
    if welcome:
        agents = [subject.known.get(name) for name in welcome]
        chosen = any(agent is None or "search" in agent.purposes for agent in agents)
        return bool(subject.sitemaps) and not chosen
    more = len(subject.blocks) > 1 or len(block.rules) > 1 or bool(block.fields)
    return bool(subject.url or subject.sitemaps) or more
