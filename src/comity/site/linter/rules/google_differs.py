"""An answer of Google, or by the AIPREF draft, differs from that of robots that follow RFC 9309.

Why: Google's parser does not decode escapes, reads `Disallowed:` as Disallow, lets the rule of an index page
open its directory, cuts long lines, and matches a delimiter of a query (`:/?[]@`) only as written. If one of
these changes an answer, the rule depends on the robot. A Content-Usage line between User-agent lines ends the
group by the AIPREF draft, and does not by RFC 9309. A `&` and `%26` in a query are different for all robots,
so such a rule is not reported. The linter tries up to 400 URLs made from the patterns, for up to 20 robots,
and lists at most ten lines.

Example:
    User-agent: *
    Disallow: /%7Ejoe/
Instead:
    User-agent: *
    Disallow: /~joe/
Engines: Google, or robots that follow the AIPREF draft, in contrast to others.
Source: RFC 9309 2.2.2 and 2.2.4; google/robotstxt; draft-ietf-aipref-attach; docs/reference/conformance.md
lists each difference.
"""

from collections.abc import Iterator

from ..dialect_differences import differences
from ..problem import Problem, at_text
from ..subject import Subject

CODE = "C701"
SEVERITY = "warning"


def check(subject: Subject) -> Iterator[Problem]:
    """Repeat the diagnostics about the AIPREF draft, and compare both dialects for Google's robots."""
    for problem, _ in subject.diagnosed("usage-between-agents"):
        yield problem
    names = ["Googlebot", *(agent.token for agent in subject.known.values() if agent.operator == "Google")]
    for line, message in differences(subject, "google", tuple(dict.fromkeys(names)), "Google"):
        # C305 and C307 report spaces and characters that clients escape.
        if not any(byte in line.value for byte in b' \t"<>\\^`{|}'):
            yield at_text(line, message)
