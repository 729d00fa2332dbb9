"""The rules of the group for `*`, and the search engines that have a group of their own."""

from collections.abc import Iterator

from ....agents import Agent
from ....protocol.robotstxt.engine.lexer import Line
from ..subject import Subject
from .sample_path import sample_path

#: The last part of the names of robots for one kind of content.
_KINDS = frozenset(["image", "images", "news", "video", "videos", "media", "favicon", "mobile", "store"])

#: Operators whose robots fetch pages that users saved, rather than all pages.
_NO_ENGINES = frozenset(("Pinterest",))

#: Maximum number of rules for `*` that are compared.
_MOST = 2000


def paths_closed_to_all(subject: Subject) -> dict[str, Line]:
    r"""Return a path for each rule by which the groups for `*` close paths, with the line of the rule.

    The result is empty if they close the whole site, because robots with their own group are then admitted
    on purpose.

    >>> paths = paths_closed_to_all(Subject(b"User-agent: *\nDisallow: /a/\nAllow: /b\nDisallow: /b"))
    >>> {path: line.number for path, line in paths.items()}
    {'/a/': 2}
    """
    blocks = [block for block, _ in subject.named.get("*", ())]
    if not blocks or any(block.closing for block in blocks):
        return {}
    lines = [line for block in blocks for line in block.rules if line.field == "disallow" and line.value]
    paths: dict[str, Line] = {}
    for line in lines[:_MOST]:
        path = sample_path(line.value)
        if path is not None:
            paths.setdefault(path, line)
    allowed = subject.robots.rules_for("*").allowed_many(list(paths))
    return {path: line for (path, line), opened in zip(paths.items(), allowed, strict=True) if not opened}


def named_search_engines(subject: Subject) -> Iterator[tuple[str, Agent]]:
    r"""Yield the search engines that a file names, apart from their robots for images, news and the like.

    >>> file = Subject(b"User-agent: bingbot\nUser-agent: Googlebot-Image\nDisallow:")
    >>> engines = named_search_engines(file)
    >>> [name for name, _ in engines]
    ['bingbot']
    """
    for name, agent in subject.known.items():
        if "search" in agent.purposes[:1] and agent.crawls and not agent.obsolete:
            kind = agent.token.lower().rpartition("-")[2]
            if kind not in _KINDS and agent.operator not in _NO_ENGINES:
                yield name, agent
