"""A field is unknown, so its line is ignored.

Why: The line has no effect. If the name is misspelt, a rule is missing.

Example:
    User-agent: *
    Disalllow: /private/
    https://example.com/sitemap.xml
Instead:
    User-agent: *
    Disallow: /private/
    Sitemap: https://example.com/sitemap.xml
Engines: All; Google also accepts a field whose name begins with a known one, such as `Disallowed`.
Fix: not safe, and only for a URL on a line of its own: `Sitemap:` is inserted.
Source: RFC 9309 2.2.4.
"""

from collections.abc import Iterator

from ..problem import Problem, replacement
from ..subject import Subject
from .look_alike_character import has_look_alikes

ONCE = "message"


def check(subject: Subject) -> Iterator[Problem]:
    """Repeat the diagnostics, with a fix for a URL in its own line."""
    for problem, line in subject.diagnosed("unknown-field"):
        if "C115" in subject.selected and has_look_alikes(line):
            continue
        if line.name.lower() in (b"http", b"https") and line.value.startswith(b"//"):
            problem = problem.replace(fix=replacement(line, line.name_start, line.name_start, b"Sitemap: "))
        yield problem
