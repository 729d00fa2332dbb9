"""A rule closes all paths that begin with one letter.

It is not reported if the file has a longer path that begins with this letter.

Why: A pattern matches the beginning of a path. `/s` closes the folder `/s/`, and also `/search` and `/shop/`.

Example:
    User-agent: *
    Disallow: /s
Instead:
    User-agent: *
    Disallow: /s/
Engines: All.
Source: RFC 9309 2.2.2; Google, URL matching based on path values: `/fish` and `/fish/`.
"""

from collections.abc import Iterator

from ..problem import Problem, at_value, quoted
from ..subject import Subject

CODE = "C329"
SEVERITY = "information"
DEFAULT = False


def check(subject: Subject) -> Iterator[Problem]:
    """Report the rules whose path is a slash and one letter."""
    begun = {line.value[:2] for line in subject.patterns if line.value[2:].strip(b"*$")}
    for line in subject.patterns:
        bare = line.value.rstrip(b"*")
        letter = len(bare) == 2 and bare.startswith(b"/") and bare[1:].isalpha()
        if line.field == "disallow" and letter and bare not in begun:
            message = f"{quoted(line.value)} closes all paths that begin with this letter"
            yield at_value(line, f"{message}; write {quoted(bare + b'/')} to close only the folder")
