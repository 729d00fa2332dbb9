"""A group has no rules, so everything is allowed.

If the group has other lines, such as a rule in a comment, this is a warning. Otherwise it may be intended, as
in the example of RFC 9309, and is information. A group that has only a Crawl-delay is reported by C222 if the
group for `*` closes something.

Why: The group replaces the group for `*` for its robots, which may fetch the paths that `*` disallows. Write
`Disallow:` to show that this is intended.

Example:
    User-agent: *
    Disallow: /private/

    User-agent: ExampleBot
    # Disallow: /
Instead:
    User-agent: *
    Disallow: /private/

    User-agent: ExampleBot
    Disallow: /
Engines: All.
Source: RFC 9309 2.2.1; google/robotstxt; the standard of 1994: "At least one Disallow field must be present
in a record".
"""

from collections.abc import Iterator

from ..problem import Problem
from ..subject import Subject
from . import delay_replaces_rules

#: The code and the name of the findings that are information; they had a rule of their own.
ALIASES = ("C220", "group-allows-everything")


def check(subject: Subject) -> Iterator[Problem]:
    """Repeat the diagnostics, except for groups that C222 reports."""
    selected = delay_replaces_rules.CODE in subject.selected
    elsewhere = {problem.line for problem in delay_replaces_rules.check(subject)} if selected else set()
    for problem, _ in subject.diagnosed("group-without-rules"):
        if problem.line not in elsewhere:
            yield problem
