"""A search engine has a group of its own, in which most rules of the group for `*` are missing.

A rule is missing if `*` closes a path by it, and the search engine may fetch the path. Groups are reported if
at least two rules and more than half of them are missing. A file that closes the whole site to `*` is not
reported, because it admits chosen robots on purpose, nor is a group that only opens the whole site.

Why: A robot obeys one group, its own or that for `*`, and never both. Rules that were added to the group for
`*` later, or were meant for all robots, do not apply to the search engine.

Example:
    User-agent: *
    Disallow: /cart/
    Disallow: /account/
    Disallow: /search

    User-agent: Googlebot
    Disallow: /print/
Instead:
    User-agent: *
    Disallow: /cart/
    Disallow: /account/
    Disallow: /search

    User-agent: Googlebot
    Disallow: /cart/
    Disallow: /account/
    Disallow: /search
    Disallow: /print/
Engines: Google, Bing and all others that obey robots.txt.
Source: RFC 9309 2.2.1; Google, order of precedence for user agents: specific groups and `*` never combine.
"""

from collections.abc import Iterator

from ....protocol.robotstxt.engine.lexer import Line
from ..facts.common_rules import named_search_engines, paths_closed_to_all
from ..problem import Problem, at_value, quoted
from ..subject import Block, Subject

CODE = "C223"
SEVERITY = "warning"

#: Smallest number of missing rules.
_FEWEST = 2

#: Maximum number of search engines that are compared.
_ENGINES = 20


def check(subject: Subject) -> Iterator[Problem]:
    """Report search engines that may fetch most of what `*` closes, once for each group."""
    engines = [*named_search_engines(subject)][:_ENGINES]
    closed = paths_closed_to_all(subject) if engines else {}
    if len(closed) < _FEWEST:
        return
    paths = list(closed)
    reported: set[int] = set()
    for name, agent in engines:
        block, line = subject.named[name][0]
        if block.group.line in reported or not any(
            _has_rules(subject, other) for other, _ in subject.named[name]
        ):
            continue  # C203 and C222 report groups without rules
        allowed = subject.rules_of(agent.token).allowed_many(paths)
        missing = [path for path, opened in zip(paths, allowed, strict=True) if opened]
        if len(missing) >= _FEWEST and 2 * len(missing) > len(paths):
            reported.add(block.group.line)
            first = closed[missing[0]]
            message = (
                f"{agent.token} obeys only its own group, and may fetch {len(missing):,} of {len(paths):,} "
                f"paths that `*` closes, such as {quoted(first.value)} in line {first.number}"
            )
            yield at_value(line, message)


def _has_rules(subject: Subject, block: Block) -> bool:
    """Return whether a group has more than a rule that opens the whole site, which is intended."""
    return any(line.value and not _opens_all(subject, line) for line in block.rules)


def _opens_all(subject: Subject, line: Line) -> bool:
    return line.field == "allow" and line.value in subject.everything
