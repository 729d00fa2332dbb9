"""A rule closes /robots.txt, which robots may always fetch.

A path such as `/Robots.TXT` is another path, and is not reported.

Why: A robot cannot know the rules without fetching the file.

Example:
    User-agent: *
    Disallow: /robots.txt
Instead:
    User-agent: *
    Disallow: /private/
Engines: All; some libraries answer that the file may not be fetched, but their crawlers do not ask.
Source: RFC 9309 2.2.2: /robots.txt is implicitly allowed; draft-koster-robots-00 3.2.
"""

from collections.abc import Iterator

from ..problem import Problem, at_text
from ..subject import Subject

CODE = "C320"
SEVERITY = "warning"


def check(subject: Subject) -> Iterator[Problem]:
    """Report rules that disallow exactly this path."""
    for line in subject.patterns:
        if line.value.rstrip(b"*$") == b"/robots.txt" and line.field == "disallow":
            yield at_text(line, "/robots.txt may always be fetched, so this rule has no effect; remove it")
