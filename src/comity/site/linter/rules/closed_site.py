"""The whole site is closed to all robots, or to a search engine, probably by mistake.

A file that only closes the whole site may be intended. It is reported if it was fetched from a URL, or if it
has lines that would be useless then: a sitemap, another group, or another rule. A file that admits some
robots by name and closes the site to all others is not reported.

Why: The robots.txt of a test server keeps robots out, and is sometimes published with the site. The site then
disappears from search within days.

Example:
    User-agent: *
    Disallow: /

    Sitemap: https://example.com/sitemap.xml
Instead:
    User-agent: *
    Disallow: /drafts/

    Sitemap: https://example.com/sitemap.xml
Engines: All.
Source: RFC 9309 2.2.2; Google, on the example that blocks all crawling; the documented purposes of the robots
(`comity agents Googlebot`).
"""

from collections.abc import Iterator

from ..problem import Problem, at_text, at_value
from ..subject import Block, Subject

CODE = "C217"
SEVERITY = "warning"

#: The search engines that almost every public site needs.
_ENGINES = ("Googlebot", "bingbot")


def check(subject: Subject) -> Iterator[Problem]:
    """Report a site that is closed to all robots, or else to a search engine."""
    mention = subject.closed.get("*")
    if mention:
        block, _ = mention
        if block.closing and _looks_public(subject, block):
            others = any(name not in subject.closed for name in subject.named)
            robots = "all robots without their own group" if others else "all robots"
            yield at_text(block.closing, f"the whole site is closed to {robots}; is that intended?")
    elif not subject.closes_training:  # C602 reports that
        for token in _ENGINES:
            name = subject.name_read_by(token)
            if name in subject.closed:
                _, line = subject.closed[name]
                whose = "" if name == token.lower() else f", which uses the group of {name},"
                message = f"the whole site is closed to {token}{whose} and its search; is that intended?"
                yield at_value(line, message)


def _looks_public(subject: Subject, block: Block) -> bool:
    """Return whether a file that closes the site has signs that robots should visit it."""
    admitted = [name for name in subject.named if name not in subject.closed]
    if admitted:
        agents = [subject.known.get(name) for name in admitted]
        chosen = any(agent is None or "search" in agent.purposes for agent in agents)
        return bool(subject.sitemaps) and not chosen
    further = len(subject.blocks) > 1 or len(block.rules) > 1 or bool(block.fields)
    return bool(subject.url or subject.sitemaps) or further
