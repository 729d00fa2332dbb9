"""A robots.txt and what is said of paths -> the header rules that say `noindex` where nobody fetches."""

from collections.abc import Iterable, Iterator

from ...agents import find
from ...protocol.page.rules import ALL_ROBOTS, FORBIDS, scoped_rules_in
from ...protocol.robotstxt.document import RobotsTxt, parse
from ...protocol.robotstxt.verdict import Verdict
from ...protocol.text import printable
from .header_rules import HeaderRule

__all__ = ["unseen"]

#: Stands for whatever a `*` of a pattern, or what follows it, may be: no pattern is written with it.
_ANYTHING = "\ue000"


def unseen(robots: bytes, rules: Iterable[HeaderRule]) -> Iterator[str]:
    r"""Tell of each rule that says `noindex` of paths that the file disallows.

    Who may not fetch a page does not see its fields, and its address may still be listed. A rule is told of
    if all that its pattern matches is disallowed, but for exceptions, to robots that it speaks to: those
    without a group of their own, or a known search engine that has one.

    >>> (told,) = unseen(b"User-agent: *\nDisallow: /drafts/", [HeaderRule("/drafts/*.pdf$", "noindex")])
    >>> told.partition(";")[0]
    '* does not see that `/drafts/*.pdf$` is noindex, since robots.txt has `Disallow: /drafts/` (line 2)'
    """
    file = parse(robots)
    engines = [agent.names for agent in map(find, _named(file)) if agent and "search" in agent.purposes]
    for rule in rules:
        heard = scoped_rules_in(rule.x_robots_tag or "")
        for scope in dict.fromkeys(who for who, (said, _) in heard if "index" in FORBIDS.get(said, ())):
            robots_meant = [(ALL_ROBOTS,), *engines] if scope == ALL_ROBOTS else [_names(scope)]
            verdicts = (file.check(_example(rule.pattern), agent=names) for names in robots_meant)
            against = next((verdict for verdict in verdicts if verdict.rule and not verdict.allowed), None)
            if against is not None:  # a verdict that disallows is false
                yield _told(rule.pattern, against)


def _named(file: RobotsTxt) -> dict[str, None]:
    return dict.fromkeys(name for group in file.groups for name in group.agents)


def _names(scope: str) -> tuple[str, ...]:
    agent = find(scope)
    return agent.names if agent else (scope,)


def _example(pattern: str) -> str:
    """Give a URL of which the pattern matches the path, and of what it has besides nothing is known."""
    path = pattern.removesuffix("$") if pattern.endswith("$") else pattern + _ANYTHING
    path = path.replace("*", _ANYTHING)
    return f"https://example.com{path if path.startswith('/') else f'/{path}'}"


def _told(pattern: str, verdict: Verdict) -> str:
    rule = verdict.rule
    assert rule is not None  # noqa: S101  # which the caller looked at
    return printable(
        f"{verdict.matched} does not see that `{pattern}` is noindex, since robots.txt has "
        f"`Disallow: {rule.pattern}` (line {rule.line}); let it be fetched, and it leaves the index"
    )
