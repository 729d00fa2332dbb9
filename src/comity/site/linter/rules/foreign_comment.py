"""A line looks like a comment, but does not begin with `#`.

Why: Robots ignore such a line only because it is not a field. A comment with a colon in it may be read as
one.

Example:
    // keep out of the archive
    User-agent: *
    Disallow: /archive/
Instead:
    # keep out of the archive
    User-agent: *
    Disallow: /archive/
Engines: All.
Fix: safe, because no field begins like this: `# ` is inserted.
Source: RFC 9309 2.2 (comment).
"""

from collections.abc import Iterator

from ..problem import Problem, replacement
from ..subject import Subject


def check(subject: Subject) -> Iterator[Problem]:
    """Repeat the diagnostics, with a fix."""
    for problem, line in subject.diagnosed("foreign-comment"):
        yield problem.replace(fix=replacement(line, problem.start, problem.start, b"# ", safe=True))
