"""Checks of the path patterns of Allow and Disallow (RFC 9309 2.2.2 and 2.2.3)."""

import re
from collections.abc import Iterator

from ..engine.dialect import Dialect
from ..engine.lexer import Line
from .diagnostic import Diagnostic, at_name, at_span, at_value, quoted
from .field_values import is_quoted, quotes_diagnostic, second_field

_HEX = frozenset(b"0123456789ABCDEFabcdef")

#: Every check below needs one of these characters, `.*`, or a value that does not begin with a slash.
_SPECIAL = b" \t$%\\()[]+|"

#: Character sequences that path patterns do not have, and regular expressions do.
_REGULAR = (b"\\.", b"\\/", b"\\?", b".*)", b"[^", b"(?", b".+", b"]+", b")$|", b"|/")

#: Longer ones: a set or a kind of characters, a choice, and `.*` after a folder. `/.*` begins names of hidden
#: files, and `/a.*` the endings of a name.
_REGULAR_PARTS = re.compile(
    rb"\[(?:\d-\d|a-z|A-Z|a-f|A-F)[\w-]{0,20}\]"
    rb"|\\[dwsDWS](?![A-Za-z])"
    rb"|\([^()|]{0,200}\|[^()]{0,200}\)"
    rb"|[^/*]/\.\*|^/\.\*/[^*$]"
)

#: The bytes after a `$` that was meant as the end of the path.
_AFTER_END = frozenset(b"$*/?&|,; \t")

#: Words that are not a path, and what the rule seems to be about.
EVERYTHING = (b"all", b"any", b"everything", b"yes", b"true", b"on")
NOTHING = (b"none", b"nothing", b"no", b"false", b"off", b"null", b"empty")

#: Each of these sequences but `/.*` has one of these bytes.
_IN_REGULAR = b"\\()[]+|"


def pattern_diagnostics(line: Line, dialect: Dialect) -> Iterator[Diagnostic]:
    """Yield the diagnostics of the value of an Allow or Disallow line."""
    value = line.value
    if not value:
        if line.field == "allow":
            message = "an Allow line without a path allows nothing; write `Allow: /`, or remove the line"
            yield at_name(line, "empty-allow", message)
        return
    if value.startswith(b"/") and len(value.translate(None, _SPECIAL)) == len(value) and b"/.*" not in value:
        return
    if is_quoted(value):
        yield quotes_diagnostic(line)
    regular = dialect.wildcards and is_regular(value)
    if regular:
        message = f"{quoted(value)} looks like a regular expression; robots know only `*` and a final `$`"
        yield at_value(line, "regular-expression", message + _without_dots(value))
    yield from _beginning_diagnostics(line, dialect, regular)
    yield from character_diagnostics(line, value, dialect)
    second = second_path(value)
    space = min((at for at in (value.find(b" "), value.find(b"\t")) if at >= 0), default=-1)
    if second >= 0:
        message = f"{quoted(value)} is read as one path; write each path in its own line"
        yield at_span(line, line.value_start + second, line.value_end, "several-paths", message)
    elif space >= 0 and not is_quoted(value):
        at = line.value_start + space
        how = "%20" if dialect.escapes == "rfc9309" else "a space"
        message = f"a space in a path is compared as {how}; write %20"
        yield at_span(line, at, at + 1, "space-in-path", message)


def _beginning_diagnostics(line: Line, dialect: Dialect, regular: bool) -> Iterator[Diagnostic]:
    """Yield the diagnostic of a pattern that begins with something else than a path."""
    value = line.value
    if b"://" in value and not value.startswith((b"/", b"*")):
        message = "a rule takes a path, not a URL; a robots.txt applies to its own host only"
        if second_field(value) is not None:
            message = "a rule takes a path, and this value has a second field; put each field in its own line"
        yield at_value(line, "absolute-url-in-rule", message)
    elif not value.startswith((b"/", b"*") if dialect.wildcards else b"/"):
        if is_quoted(value) or regular:
            return  # reported already
        beginning = "neither `/` nor `*`" if dialect.wildcards else "no `/`"
        hint = _path_hint(value, dialect)
        message = f"{quoted(value)} begins with {beginning}, so it matches nothing{hint}"
        yield at_value(line, "path-without-slash", message)


def _path_hint(value: bytes, dialect: Dialect) -> str:
    """Return what to write instead, unless that could close more than was intended."""
    if second_field(value) is not None:
        return "; put each field in its own line"
    if names_host(value):
        return "; a robots.txt applies to its own host only"
    if value.lower() in EVERYTHING:
        return "; write `/` for all paths"
    if value.lower() in NOTHING:
        return "; leave the value empty for no path"
    if dialect.wildcards and is_inner(value):
        return f"; write {quoted(b'/*' + value)}"
    if dialect.wildcards and value.startswith(b"."):
        return f"; write {quoted(b'/' + value)} or {quoted(b'/*' + value)}"
    if b"\\" in value:
        return f"; write {quoted(with_slashes(value))}"
    return f"; write {quoted(b'/' + value)}" if value.strip(b"*$") else ""  # `/$` and `/*` close too much


def _without_dots(value: bytes) -> str:
    """Return what to write instead of a regular expression of paths and `.*`."""
    path = value.removesuffix(b"$").replace(b".*", b"*").rstrip(b"*")
    return f"; write {quoted(path)}" if path.startswith(b"/") and not is_regular(path) else ""


def is_inner(value: bytes) -> bool:
    """Return whether a value is a part of URLs that is not at their beginning: a query or a parameter.

    >>> is_inner(b"?sort="), is_inner(b";jsessionid"), is_inner(b"_escaped_fragment_"), is_inner(b"shop?a=b")
    (True, True, True, False)
    """
    query = value.startswith((b"?", b"&", b";")) or b"=" in value.partition(b"/")[0].partition(b"?")[0]
    return query or value.startswith(b"_escaped_fragment_")


def with_slashes(value: bytes) -> bytes:
    r"""Return the path that was written with backslashes.

    >>> with_slashes(b"\\admin\\")
    b'/admin/'
    """
    return b"/" + value.replace(b"\\", b"/").lstrip(b"/")


def character_diagnostics(line: Line, path: bytes, dialect: Dialect) -> Iterator[Diagnostic]:
    """Yield the diagnostics of characters that are not as special as they seem in the path of a value."""
    dollar = _early_end(path) if dialect.wildcards and b"$" in path[:-1] else -1
    if dollar >= 0:
        at = line.value_start + dollar
        message = "a `$` before the end is a plain character; only a final `$` marks the end of the path"
        yield at_span(line, at, at + 1, "dollar-not-last", message)
    at = path.find(b"%")
    while at >= 0:
        if not (len(path) > at + 2 and path[at + 1] in _HEX and path[at + 2] in _HEX):
            where = line.value_start + at
            message = "a `%` without two hexadecimal digits is a plain character; write %25"
            yield at_span(line, where, where + 1, "invalid-escape", message)
            break
        at = path.find(b"%", at + 1)


def _early_end(path: bytes) -> int:
    """Return where a `$` before the end seems to mark the end of a path, or -1.

    A dollar sign of a real URL has a name after it, as in `/page$view` or `?ctl00$menu=`.
    """
    at = path.find(b"$")
    while 0 <= at < len(path) - 1:
        if path[at + 1] in _AFTER_END:
            return at
        at = path.find(b"$", at + 1)
    return -1


def names_host(value: bytes) -> bool:
    """Return whether a pattern seems to begin with a host name.

    >>> names_host(b"www.example.com/private"), names_host(b"index.html"), names_host(b"private/a.html")
    (True, False, False)
    """
    first, slash, _ = value.partition(b"/")
    return b"." in first and not first.startswith(b".") and (bool(slash) or first.count(b".") > 1)


def is_regular(value: bytes) -> bool:
    """Return whether a pattern has character sequences of regular expressions.

    >>> is_regular(b"/shop/.*"), is_regular(b"/(cart|basket)/"), is_regular(b"/*.html$"), is_regular(b"/.*")
    (True, True, False, False)
    """
    if value.startswith((b"^", b"(")):
        return True
    if len(value.translate(None, _IN_REGULAR)) == len(value) and b"/.*" not in value:
        return False  # as most patterns, in a tenth of the time
    return any(sign in value for sign in _REGULAR) or _REGULAR_PARTS.search(value) is not None


def second_path(value: bytes) -> int:
    """Return where in a value a second path begins, or -1.

    >>> second_path(b"/cgi-bin/ /tmp/"), second_path(b"/my files/")
    (10, -1)
    """
    value = value.replace(b"\t", b" ")
    at = value.find(b" /")
    while at >= 0 and value.startswith(b"//", at + 1):
        at = value.find(b" /", at + 1)
    return at + 1 if at >= 0 else -1
