"""URLs on which two dialects disagree, made of a file's own patterns."""

from collections.abc import Iterator, Sequence

from ...protocol.robotstxt.document import parse
from ...protocol.robotstxt.lexer import Line
from ...protocol.robotstxt.verdict import Verdict, printable, text_of
from .subject import Subject

__all__ = ["differences", "samples"]

#: So many agents and URLs are tried at most, and so many questions asked in all.
_AGENTS = 20
_URLS = 400
_QUESTIONS = 4000

#: So many rules are made ready at most, over all agents.
_COMPILED = 50_000

#: Longer patterns make URLs that nobody asks for.
_LONGEST = 2000

#: So many disagreements are told.
_TOLD = 10


def differences(
    subject: Subject, dialect: str, agents: Sequence[str], who: str
) -> Iterator[tuple[Line, str]]:
    """Give lines whose rules another dialect answers otherwise, each once, with a sentence for each."""
    other = parse(subject.body, dialect)
    asked = agents[: max(min(_AGENTS, _COMPILED // max(len(subject.patterns), 1)), 1)]
    patterns = subject.patterns
    if next(subject.told("unknown-field"), None):  # which may be known over there
        patterns = [line for line in other.lines if line.field in ("allow", "disallow") and line.value]
    urls = samples(patterns)[: max(_QUESTIONS // max(len(asked), 1), 1)]
    told: set[int] = set()
    for agent in asked:
        ours, theirs = subject.robots.rules_for(agent), other.rules_for(agent)
        for url, one, another in zip(urls, ours.allowed_many(urls), theirs.allowed_many(urls), strict=True):
            if one == another or len(told) >= _TOLD:
                continue
            mine, other_one = ours.check(url), theirs.check(url)
            line = mine.line or other_one.line
            if line is not None and line not in told:
                told.add(line)
                asker = "a robot that is not named" if agent == "*" else agent
                answers = f"is {_said(mine)} for {asker} by RFC 9309, and {_said(other_one)} to {who}"
                yield subject.lines[line - 1], f"{printable(url)} {answers}"


def _said(verdict: Verdict) -> str:
    answer = "allowed" if verdict.allowed else "disallowed"
    return f"{answer} (line {verdict.line})" if verdict.line else answer


def samples(patterns: Sequence[Line]) -> list[str]:
    """Give paths that patterns match, spelt as clients send them, and others that are much like them.

    >>> import comity
    >>> samples(comity.parse("Disallow: /*.php$").lines)
    ['/', '/.php', '/.phpx', '/x.php', '/x.phpx']
    """
    found = {"/": None}
    for line in _spread([line for line in patterns if len(line.value) <= _LONGEST]):
        pattern = text_of(line.value)
        anchored = pattern.endswith("$")
        body = pattern[:-1] if anchored else pattern
        if not body.startswith(("/", "*")):
            body = "/" + body
        for star in ("", "x") if "*" in body else ("",):
            path = _as_sent(body.replace("*", star))
            path = path if path.startswith("/") else "/x" + path
            path = _respelt(path, decode=False)
            for url in (path, path + "x", _respelt(path, decode=True)):
                found[url] = None
            if path.endswith((".htm", ".html")):
                found[path[: path.rindex("/") + 1]] = None
    found.pop("/robots.txt", None)
    if len(found) > _URLS:
        return list(found)[:_URLS]
    return list(found)


def _spread(patterns: Sequence[Line]) -> Iterator[Line]:
    """Give the patterns that dialects may read in two ways first, and then the others."""
    odd = [
        line for line in patterns if any(sign in line.value for sign in b"%$?.*") or line.text[-1:].isspace()
    ]
    yield from odd[:_URLS]
    yield from patterns[:_URLS]


def _as_sent(path: str) -> str:
    """Escape what clients escape."""
    if path.isascii() and path.isprintable() and not any(sign in path for sign in ' "<>\\^`{|}'):
        return path
    octets = path.encode(errors="surrogateescape")
    plain = b"!#$%&'()*+,/:;=?@[]-._~"
    return "".join(
        chr(octet) if octet in plain or (chr(octet).isalnum() and octet < 0x80) else f"%{octet:02X}"
        for octet in octets
    )


def _respelt(path: str, *, decode: bool) -> str:
    """Write escapes in upper case, and decode those of unreserved characters, as clients may."""
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
