"""A field is obsolete: robots no longer read it.

Why: Host was for Yandex, until 2018. Robot-version and Comment come from a proposal of 1996. No large crawler
adopted ACAP. Nofollow, Noarchive, Revisit-after, Domain and Cache-delay never belonged to robots.txt.

Example:
    User-agent: *
    Disallow: /private/
    Host: www.example.com
Instead:
    User-agent: *
    Disallow: /private/
Engines: None reads the field; Google knows the names and ignores them.
Source: Yandex, on Host (2018); google/robotstxt, `reporting_robots.cc`, the unsupported tags.
"""

from collections.abc import Iterator

from ....protocol.robotstxt.diagnostics.fields import OBSOLETE, obsolete_message
from ..problem import Problem, at_name
from ..subject import Subject

#: Fields that Comity reads, and that robots no longer obey.
_READ = ("host", "robot-version", "comment")


def check(subject: Subject) -> Iterator[Problem]:
    """Report fields that no robot reads, whether Comity reads them or not."""
    for line in subject.lines:
        if line.name_start == line.name_end:
            continue  # blank, or only a comment
        field = line.field or ""
        if field in _READ or field.startswith("acap-") or line.name.lower() in OBSOLETE:
            yield at_name(line, obsolete_message(line.name))
