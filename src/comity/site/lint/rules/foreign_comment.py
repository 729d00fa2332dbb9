"""A line looks like a comment, but does not begin with `#`.

Why: Robots ignore the line only as they ignore any that is no field. One that holds a colon may become a
field.

Example:
    // keep out of the archive
    User-agent: *
    Disallow: /archive/
Instead:
    # keep out of the archive
    User-agent: *
    Disallow: /archive/
Engines: All.
Fix: safe, since no field begins so: `# ` is put before it.
Source: RFC 9309 2.2 (comment).
"""

from collections.abc import Iterator

from ..problem import Problem, replacement
from ..subject import Subject

__all__ = ["check"]


def check(subject: Subject) -> Iterator[Problem]:
    """Repeat the diagnostics, with a fix."""
    for problem, line in subject.diagnosed("foreign-comment"):
        yield problem.replace(fix=replacement(line, problem.start, problem.start, b"# ", safe=True))
