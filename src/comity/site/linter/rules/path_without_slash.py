"""A pattern begins with neither `/` nor `*`.

Why: Each path begins with a slash, and a pattern is compared from the first character. So the rule matches
nothing.

Example:
    User-agent: *
    Disallow: private
Instead:
    User-agent: *
    Disallow: /private
Engines: RFC 9309 readers and Google ignore the rule; some libraries insert the slash.
Fix: not safe, because the rule takes effect: a slash is inserted, unless the value looks like a host or a
query. A path of another host would then be closed on this host.
Source: RFC 9309 2.2 (path-pattern); Google, allow and disallow: the path must begin with `/`.
"""

from collections.abc import Iterator

from ....protocol.robotstxt.diagnostics.patterns import names_host
from ..problem import Problem, replacement
from ..subject import Subject


def check(subject: Subject) -> Iterator[Problem]:
    """Repeat the diagnostics, with a fix if the value looks like a path."""
    for problem, line in subject.diagnosed("path-without-slash"):
        value = line.value
        unusual = value.startswith((b"$", b"?", b".", b"&")) or b"=" in value.partition(b"/")[0]
        if not unusual and value.isascii() and not (b" " in value or b":" in value or names_host(value)):
            problem = problem.replace(fix=replacement(line, line.value_start, line.value_start, b"/"))
        yield problem
