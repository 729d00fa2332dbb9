"""A field is read by nobody any more.

Why: Host was for Yandex, until 2018; Robot-version and Comment are of a proposal of 1996; ACAP was taken up
by no large crawler; Nofollow, Noarchive, Revisit-after, Domain and Cache-delay belong elsewhere or nowhere.

Example:
    User-agent: *
    Disallow: /private/
    Host: www.example.com
Instead:
    User-agent: *
    Disallow: /private/
Engines: None reads it; Google knows the names, and ignores them.
Source: Yandex, on Host (2018); google/robotstxt, `reporting_robots.cc`, the unsupported tags.
"""

from collections.abc import Iterator

from ..remark import Remark, at_name, shown
from ..subject import Subject

__all__ = ["CODE", "OBSOLETE", "SEVERITY", "check"]

CODE = "C404"
SEVERITY = "information"

#: Fields that Comity does not read, and that others once wrote about.
OBSOLETE = (b"nofollow", b"noarchive", b"revisit-after", b"domain", b"cache-delay", b"unavailable-after")

_READ_BY_NOBODY = ("host", "robot-version", "comment")


def check(subject: Subject) -> Iterator[Remark]:
    """Look for the names."""
    for line in subject.lines:
        field = line.field
        if field in _READ_BY_NOBODY or (field or "").startswith("acap-") or _is_old(line.name):
            yield at_name(line, f"robots do not read {shown(line.name)} any more")


def _is_old(name: bytes) -> bool:
    return name.lower() in OBSOLETE
