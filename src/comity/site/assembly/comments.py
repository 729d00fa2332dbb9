"""Keep the comments of a plan and of its fragments, each at the line that it explains.

A comment at the end of a line stays there. Comments on lines of their own stay above the line that follows
them. The result sorts and merges lines, so each comment is filed under the source of its line.
"""

import re
from collections.abc import Container, Iterable, Mapping, Sequence

from ...protocol import Value, printable, robots_fields, to_bytes, to_text
from ...protocol.robotstxt import RFC9309, Line

#: The beginning of a comment that is a statement to robots that read ACAP.
_ACAP_MARKER = "##acap version="

#: A comment that names the hosts of a fragment; it is not for the result.
_HOSTS = re.compile(r"#[#\s]*comity:\s*hosts?(?![\w-]):?(.*)", re.IGNORECASE | re.DOTALL)


class Comment(Value):
    """The comments of one line: those on the lines above it, and the one at its end, which may be empty."""

    above: tuple[str, ...]
    at_end: str


class Comments(Value):
    """The comments of a file.

    `head` are lines at its beginning, `by_source` those of each line, by the source of the line, and `rest`
    lines at its end.
    """

    head: tuple[str, ...]
    by_source: Mapping[str, Comment]
    rest: tuple[str, ...]

    def joined(self, other: "Comments") -> "Comments":
        """Return these comments and those of another source."""
        return Comments(
            head=(*self.head, *other.head),
            by_source={**self.by_source, **other.by_source},
            rest=(*self.rest, *other.rest),
        )

    def of(self, sources: Iterable[str], written: set[str]) -> Comment:
        """Return the comments of a line with these sources.

        `written` has the sources whose lines above are in the group already; it is extended. Of several
        comments at the end of a line, one stays there, and the others go above it.
        """
        above: list[str] = []
        at_end = ""
        for source in sources:
            comment = self.by_source.get(source)
            if comment is None:
                continue
            if source not in written:
                above += comment.above
            written.add(source)
            if not at_end:
                at_end = comment.at_end
            elif comment.at_end not in ("", at_end):
                above.append(comment.at_end)
        return Comment(tuple(dict.fromkeys(above)), at_end)


def plan_comment(text: str) -> tuple[str, ...]:
    r"""Return the lines of a comment of a plan, each with its `#`.

    >>> plan_comment("Ask the web team\nbefore you change this")
    ('# Ask the web team', '# before you change this')

    Raises `ValueError` for characters that a comment may not have.
    """
    lines = text.replace("\r\n", "\n").rstrip("\n").split("\n")
    return tuple(checked_comment(line if line.startswith("#") else f"# {line}") for line in lines)


def checked_comment(text: str) -> str:
    r"""Return a comment without white space at its end.

    >>> checked_comment("# a\x0bDisallow: /")
    Traceback (most recent call last):
    ValueError: `# a\x0bDisallow: /` has a control character or a line end; remove it
    """
    text = text.replace("\t", " ").rstrip(" ")
    if text.splitlines() != [text] or any(one < " " or "\x7f" <= one <= "\x9f" for one in text):
        raise ValueError(f"`{printable(text)}` has a control character or a line end; remove it")
    if _has_latin_1_rule(text):
        raise ValueError(
            f"`{printable(text)}` has the byte 85, a line end in Latin-1, before a field; remove the field"
        )
    if text.lower().startswith(_ACAP_MARKER):
        raise ValueError(f"`{printable(text)}` is a statement in ACAP, not a comment; remove it")
    return text


def hosts_in_comment(text: str) -> list[str] | None:
    """Return the names in a comment that names hosts, or None for any other comment."""
    found = _HOSTS.fullmatch(text)
    return found[1].replace(",", " ").split() if found else None


def _has_latin_1_rule(text: str) -> bool:
    """Return whether a parser that reads Latin-1 and ends lines at U+0085 finds a field in a comment.

    Letters such as `Å` end with the byte 85 in UTF-8, so the byte alone is no reason to refuse a comment.
    """
    _, *rest = to_bytes(text).split(b"\x85")
    return any(robots_fields(part, RFC9309) for part in rest)


def fragment_comments(
    lines: Sequence[Line], sources: Sequence[str], used: Container[str]
) -> tuple[Comments, list[tuple[int, str]]]:
    """Return the comments of a fragment, and its invalid ones as problems with their lines.

    `sources` are the sources of the lines. `used` has those that are in the result; a comment of another line
    goes to the next one.
    """
    by_source: dict[str, Comment] = {}
    problems: list[tuple[int, str]] = []
    above: list[str] = []
    for line, source in zip(lines, sources, strict=True):
        at_end = ""
        try:
            text = to_text(line.text[line.comment_start :])
            if text and hosts_in_comment(text) is None:
                at_end = checked_comment(text)
        except ValueError as error:
            problems.append((line.number, f"{source}: {error}"))
        if source in used:
            if above or at_end:
                by_source[source] = Comment(tuple(above), at_end)
            above = []
        elif at_end:
            above.append(at_end)
    return Comments((), by_source, tuple(above)), problems
