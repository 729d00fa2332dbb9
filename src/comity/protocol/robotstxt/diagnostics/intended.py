"""Diagnostics of lines that are probably intended, so that they are not reported."""

from ..engine.lexer import Line
from .diagnostic import Diagnostic
from .fields import second_field

#: The names of known robots that have several words, in lower case: those of the catalogue of
#: `comity.agents`, as a test checks. A group for the first word speaks to these robots.
NAMES_OF_SEVERAL_WORDS = frozenset(
    {
        b"chatgpt agent",
        b"datenbank crawler",
        b"echobot bot",
        b"kangaroo bot",
        b"linguee bot",
        b"netestate imprint crawler",
        b"poseidon research crawler",
        b"screaming frog seo spider",
        b"sidetrade indexer bot",
        b"sistrix crawler",
        b"sogou inst spider",
        b"sogou news spider",
        b"sogou pic spider",
        b"sogou spider",
        b"sogou wap spider",
        b"sogou web spider",
    }
)


def is_intended(found: Diagnostic, line: Line) -> bool:
    r"""Return whether a diagnostic is about a known robot's name, or text that robots ignore.

    >>> import comity
    >>> robots = comity.parse("User-agent: Kangaroo Bot\nUser-agent: Example Bot\nDisallow: /")
    >>> [(found.line, found.name) for found in robots.diagnostics]
    [(2, 'agent-with-space')]
    """
    match found.name:
        case "agent-with-space":
            name = line.value.partition(b"/")[0].rstrip().lower()
            return name in NAMES_OF_SEVERAL_WORDS and second_field(line.value) is None
        case "agent-with-wildcard":  # Google drops a `*` at the end
            return line.value.endswith(b"*") and b"google" in line.value.lower()
        case "not-utf-8" | "line-too-long":
            in_comment = found.start - line.start >= line.comment_start
            return in_comment and line.text.startswith(b"#", line.comment_start)
        case "dollar-not-last":
            return line.field == "content-usage"
    return False
