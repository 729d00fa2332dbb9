"""A rule closes `/.well-known/`, where clients look for statements about the site.

A site that is closed as a whole is not reported.

Why: Reservations about text and data mining, security contacts and the apps of a site are below
`/.well-known/`. A robot that may not fetch them does not know them.

Example:
    User-agent: *
    Disallow: /.well-known/
Instead:
    User-agent: *
    Disallow: /private/
Engines: Robots that read such files and obey robots.txt.
Source: RFC 8615; RFC 9116 (security.txt); TDM Reservation Protocol (tdmrep.json).
"""

from collections.abc import Iterator

from ..problem import Problem, at_value, quoted
from ..subject import Subject

CODE = "C803"
SEVERITY = "information"

#: A file below the folder that concerns robots.
_FILE = "/.well-known/tdmrep.json"


def check(subject: Subject) -> Iterator[Problem]:
    """Report the rule for all robots that closes such a file, unless it closes the whole site."""
    rules = subject.robots.rules_for("*")
    verdict = rules.check(_FILE)
    if verdict.allowed or verdict.line is None or not rules.allowed("/"):
        return
    line = subject.lines[verdict.line - 1]
    if line.value in subject.everything or not line.value.startswith(b"/."):
        return
    message = (
        f"{quoted(line.value)} closes files such as {_FILE}, which robots should read; allow `/.well-known/`"
    )
    yield at_value(line, message)
