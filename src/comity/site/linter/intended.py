"""Diagnostics of lines that are probably intended, so that no command reports them.

The protocol does not know the names of robots, and checks comments like any other text.
"""

from ...agents import find
from ...protocol.robotstxt.diagnostics.diagnostic import Diagnostic
from ...protocol.robotstxt.diagnostics.fields import second_field
from ...protocol.robotstxt.lexer import Line
from ...protocol.text import to_text


def is_intended(found: Diagnostic, line: Line) -> bool:
    r"""Return whether a diagnostic is about a known robot's name, or text that robots ignore.

    >>> import comity
    >>> robots = comity.parse("User-agent: Kangaroo Bot\nUser-agent: Example Bot\nDisallow: /")
    >>> [is_intended(found, robots.lines[found.line - 1]) for found in robots.diagnostics]
    [True, False]
    """
    match found.name:
        case "agent-with-space":
            known = find(to_text(line.value))
            return known is not None and " " in known.token and second_field(line.value) is None
        case "agent-with-wildcard":  # Google drops a `*` at the end
            known = find(to_text(line.value.rstrip(b"*")))
            return known is not None and known.operator == "Google"
        case "not-utf-8" | "line-too-long":
            return found.column - 1 >= line.comment_start
        case "dollar-not-last":
            return line.field == "content-usage"
    return False
