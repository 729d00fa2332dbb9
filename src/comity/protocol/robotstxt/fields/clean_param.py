"""Clean-param (Yandex): query parameters that do not change what a page says.

`Clean-param: p0[&p1&...] [path]` applies to every robot wherever it stands. It is a hint by which
URLs of one page can be made one URL, never a rule of access.
"""

from collections.abc import Iterable

from ...value import Value
from ..matcher import compile_pattern, matches

__all__ = ["CleanParam", "clean_param", "cleaned"]


class CleanParam(Value):
    """One Clean-param line: names of parameters, and the paths that it speaks of.

    Names are compared with their case. `path` is a prefix in which `*` stands for anything; an
    empty one is every path.

    >>> rule = clean_param("s&ref /forum*/showthread.php", line=1)
    >>> rule.apply("/forum_new/showthread.php?s=1&t=2&ref=3")
    '/forum_new/showthread.php?t=2'
    """

    __slots__ = ("params", "path", "line")
    params: tuple[str, ...]
    path: str
    line: int

    def apply(self, url: str) -> str:
        """Give the URL without these parameters; another path's URL is given back as it is."""
        rest, hash_, fragment = url.partition("#")
        base, question, query = rest.partition("?")
        if not question or not self._covers(base):
            return url
        pairs = query.split("&")
        kept = [pair for pair in pairs if pair.partition("=")[0] not in self.params]
        if len(kept) == len(pairs):
            return url
        return base + ("?" + "&".join(kept) if any(kept) else "") + hash_ + fragment

    def _covers(self, base: str) -> bool:
        _, separator, rest = base.partition("://")
        path = "/" + rest.partition("/")[2] if separator else base
        return matches(compile_pattern(self.path, wildcards=True), path)


def clean_param(value: str, line: int) -> CleanParam | None:
    """Read the value of a Clean-param line; `None` if it names no parameter or no proper path.

    >>> clean_param("ref /some_dir/get_book.pl", line=7)
    CleanParam(params=('ref',), path='/some_dir/get_book.pl', line=7)
    """
    words = value.split()
    if not 1 <= len(words) <= 2 or words[0].startswith(("/", "*")):
        return None
    params = tuple(name for name in words[0].split("&") if name)
    path = words[1] if len(words) == 2 else ""
    if not params or (path and not path.startswith(("/", "*"))):
        return None
    return CleanParam(params, path, line)


def cleaned(url: str, rules: Iterable[CleanParam]) -> str:
    """Apply every rule to a URL."""
    for rule in rules:
        url = rule.apply(url)
    return url
