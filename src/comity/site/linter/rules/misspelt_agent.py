"""A User-agent line has an unknown name that resembles a known robot or operator.

Names count that differ from a known one by a letter or by separators, that are the beginning of a longer
one, or that have another word at the end: `Googlbot`, `cc-bot`, `AdsBot`, `PerplexityAI`. C221 reports the
names of operators. Other unknown names are not reported.

Why: Names are compared as a whole, so a group for `GTPBot` does not apply to GPTBot, which obeys the group
for `*` instead.

Example:
    User-agent: GTPBot
    Disallow: /
Instead:
    User-agent: GPTBot
    Disallow: /
Engines: All.
Fix: not safe, because the group then applies to another robot: the known name replaces the unknown one, if
there is only one.
Source: RFC 9309 2.2.1; the robots that Comity knows, each with its own source (`comity agents`).
"""

from collections.abc import Iterator

from ....agents.similar import similar_tokens
from ....protocol.robotstxt.diagnostics.agents import is_header, is_misnomer, names_in_list
from ....protocol.text import to_text
from ..problem import Problem, at_value, quoted, replacement
from ..subject import Subject, name_in

CODE = "C215"
SEVERITY = "warning"


def check(subject: Subject) -> Iterator[Problem]:
    """Report unknown names that resemble known ones, unless the file names one of those robots too."""
    for line in subject.agents:
        value = line.value
        if (
            name_in(line) in subject.known
            or is_misnomer(line)
            or is_header(value)
            or len(names_in_list(value)) > 1
        ):
            continue
        name = to_text(value.partition(b"/")[0].partition(b"(")[0].rstrip())
        tokens = similar_tokens(name)
        if not tokens or (len(tokens) > 1 and any(token.lower() in subject.named for token in tokens)):
            continue
        whole = len(tokens) == 1 and len(name) == len(value)
        fix = replacement(line, line.value_start, line.value_end, tokens[0].encode()) if whole else None
        *others, last = tokens
        meant = f"{', '.join(others)} or {last}" if others else last
        yield at_value(line, f"the robot {quoted(value)} is unknown; did you mean {meant}?", fix)
