"""A rule has several paths; each needs its own line.

Why: The value is read as one path with spaces in it, which matches no URL.

Example:
    User-agent: *
    Disallow: /cgi-bin/ /tmp/
Instead:
    User-agent: *
    Disallow: /cgi-bin/
    Disallow: /tmp/
Engines: All.
Fix: not safe, because the rules take effect: each path gets its own line.
Source: The standard of 1994: one path in each line; RFC 9309 2.2 (path-pattern).
"""

from collections.abc import Iterator

from ....protocol.robotstxt.engine.grammar import BOM
from ..problem import Problem, replacement
from ..subject import Subject

#: Longest list that is taken apart: the rules of a longer one would need much more space.
_LONGEST = 100


def check(subject: Subject) -> Iterator[Problem]:
    """Repeat the diagnostics, with a fix if each part of the value is a path."""
    for problem, line in subject.diagnosed("several-paths"):
        paths = [path.rstrip(b",;") for path in line.value.split()]
        plain = len(paths) <= _LONGEST and all(path.startswith((b"/", b"*")) for path in paths)
        if plain and BOM not in line.text:
            separator = (line.end_of_line or b"\n") + line.text[: line.value_start]
            fix = replacement(line, line.value_start, line.value_end, separator.join(paths))
            problem = problem.replace(fix=fix)
        yield problem
