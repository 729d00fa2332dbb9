"""A robot does not find itself in the name of a User-agent line.

Why: The name is that of an operator, or of an older robot. Names are compared as a whole. A group for Google,
which old guides recommend, does not apply to Googlebot. It obeys the group for `*` instead, so a file that
lets in only Google keeps Googlebot out.

Example:
    User-agent: Anthropic
    Disallow: /
Instead:
    User-agent: ClaudeBot
    Disallow: /
Engines: All but robots that search for a part of their name, as the standard of 1994 recommends.
Fix: not safe, because the group then applies to another robot: the current name replaces the other one. There
is none if that closes or opens a path to a search engine or a preview; the message says which.
Source: RFC 9309 2.2.1; robotstxt.org, "To allow a single robot"; `agents.toml` has the source of each name.
"""

from collections.abc import Iterator

from ....protocol.robotstxt.diagnostics.agents import current_tokens
from ....protocol.text import to_text
from ..problem import Problem, replacement
from ..subject import Subject


def check(subject: Subject) -> Iterator[Problem]:
    """Repeat the diagnostics, with a fix if there is one current name."""
    for problem, line in subject.diagnosed("misnamed-agent"):
        tokens = current_tokens(to_text(line.value))
        fix = replacement(line, line.value_start, line.value_end, tokens[0].encode())
        yield problem.replace(fix=fix if len(tokens) == 1 else None)
