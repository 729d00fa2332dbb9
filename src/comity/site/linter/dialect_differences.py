"""URLs on which two dialects disagree, made from the patterns of a file."""

from collections.abc import Iterator, Sequence

from ...protocol.robotstxt.document import parse
from ...protocol.robotstxt.engine.dialect import DIALECTS
from ...protocol.robotstxt.engine.lexer import Line
from ...protocol.robotstxt.engine.paths import query_spellings
from ...protocol.robotstxt.engine.verdict import Verdict
from ...protocol.text import printable, to_text
from .subject import Subject

#: Maximum number of robots, of URLs, and of questions in total.
_AGENTS = 20
_URLS = 400
_QUESTIONS = 4000

#: Maximum number of rules that are compiled, for all robots together.
_COMPILED = 50_000

#: Maximum number of rules that all verdicts list; no further differences are looked for then.
_LISTED = 100_000

#: Length of the longest pattern from which URLs are made, in bytes.
_LONGEST = 2000

#: Maximum number of differences reported.
_LIMIT = 10

#: The bytes of patterns that all dialects read in the same way.
_UNAMBIGUOUS = frozenset(range(256)) - frozenset(b"%$?.*")

#: The printable characters of ASCII that clients escape.
_ESCAPED = frozenset(' "<>\\^`{|}')


def differences(
    subject: Subject, dialect: str, agents: Sequence[str], reader: str
) -> Iterator[tuple[Line, str]]:
    """Yield the lines whose rules another dialect answers differently, each once, with a message.

    `reader` names the robots that follow the other dialect. If there are further differences, the last
    message says so.
    """
    found, more = _differences(subject, dialect, agents, reader)
    for number, (line, message) in enumerate(found, 1):
        rest = f"; at least {len(found)} lines differ, and no more are listed"
        yield line, message + (rest if more and number == len(found) else "")


def _differences(
    subject: Subject, dialect: str, agents: Sequence[str], reader: str
) -> tuple[list[tuple[Line, str]], bool]:
    """Return the lines that differ, at most ten, and whether there may be more."""
    other = parse(subject.body, dialect=DIALECTS[dialect])
    agents = agents[: max(min(_AGENTS, _COMPILED // max(len(subject.patterns), 1)), 1)]
    patterns = subject.patterns
    if any(subject.diagnosed("unknown-field")):  # the other dialect may know the field
        patterns = [line for line in other.lines if line.field in ("allow", "disallow") and line.value]
    urls = sample_urls(patterns)[: max(_QUESTIONS // max(len(agents), 1), 1)]
    reported: dict[int, str] = {}
    listed, more = 0, False
    for agent in agents:
        ours, theirs = subject.robots.rules_for(agent), other.rules_for(agent)
        for url, one, another in zip(urls, ours.allowed_many(urls), theirs.allowed_many(urls), strict=True):
            if one == another:
                continue
            if len(reported) >= _LIMIT or listed > _LISTED:
                more = True
                continue
            our_verdict, other_verdict = ours.check(url), theirs.check(url)
            listed += len(our_verdict.overruled) + len(other_verdict.overruled)
            number = our_verdict.line or other_verdict.line
            if number is not None and number not in reported:
                robot = "a robot without its own group" if agent == "*" else agent
                answers = f"{_answer(our_verdict)} by RFC 9309, and {_answer(other_verdict)} for {reader}"
                reported[number] = f"{robot}: {printable(url)} is {answers}"
    return [(subject.lines[number - 1], message) for number, message in reported.items()], more


def _answer(verdict: Verdict) -> str:
    answer = "allowed" if verdict.allowed else "disallowed"
    return f"{answer} (line {verdict.line})" if verdict.line else answer


def sample_urls(patterns: Sequence[Line]) -> list[str]:
    """Return paths that match patterns, as clients send them, and similar ones that do not.

    >>> import comity
    >>> sample_urls(comity.parse("Disallow: /*.php$").lines)
    ['/', '/.php', '/.phpx', '/x.php', '/x.phpx']
    """
    found = {"/": None}
    for line in _ambiguous_first([line for line in patterns if len(line.value) <= _LONGEST]):
        pattern = to_text(line.value)
        anchored = pattern.endswith("$")
        body = pattern[:-1] if anchored else pattern
        if not body.startswith(("/", "*")):
            body = "/" + body
        for star in ("", "x") if "*" in body else ("",):
            path = _as_sent(body.replace("*", star))
            path = path if path.startswith("/") else "/x" + path
            path = _with_escapes(path, decode=False)
            for url in (path, path + "x", _with_escapes(path, decode=True), *sorted(query_spellings(path))):
                found[url] = None
            if path.endswith((".htm", ".html")):
                found[path[: path.rindex("/") + 1]] = None
    found.pop("/robots.txt", None)
    return list(found)[:_URLS]


def _ambiguous_first(patterns: Sequence[Line]) -> Iterator[Line]:
    """Yield the patterns that dialects may read differently, and then all patterns."""
    ambiguous = [
        line for line in patterns if not _UNAMBIGUOUS.issuperset(line.value) or line.text[-1:].isspace()
    ]
    yield from ambiguous[:_URLS]
    yield from patterns[:_URLS]


def _as_sent(path: str) -> str:
    """Escape the characters that clients escape."""
    if path.isascii() and path.isprintable() and _ESCAPED.isdisjoint(path):
        return path
    encoded = path.encode(errors="surrogateescape")
    plain = b"!#$%&'()*+,/:;=?@[]-._~"
    return "".join(
        chr(byte) if byte in plain or (chr(byte).isalnum() and byte < 0x80) else f"%{byte:02X}"
        for byte in encoded
    )


def _with_escapes(path: str, *, decode: bool) -> str:
    """Write escapes in upper case, and perhaps decode those of unreserved characters, as clients do."""
    if "%" not in path:
        return path
    first, *rest = path.split("%")
    pieces = [first]
    for piece in rest:
        code = piece[:2]
        character = ""
        if len(code) == 2 and all(digit in "0123456789abcdefABCDEF" for digit in code):
            character = chr(int(code, 16))
        plain = character and character < "\x7f" and (character.isalnum() or character in "-._~")
        if plain and decode:
            pieces.append(character + piece[2:])
        else:
            pieces.append("%" + (code.upper() if character else code) + piece[2:])
    return "".join(pieces)
