"""Lines and groups -> diagnostics: all that is ignored, repaired or odd, and where.

Each check looks at one line, or at the file as a whole, and yields what it finds. Nothing here
changes an answer, and nothing here is opinion: advice to site owners belongs to the linter.
"""

from collections.abc import Iterable, Iterator, Sequence

from ..value import Value
from .dialect import GOOGLE, Dialect
from .fields.clean_param import clean_param
from .fields.rates import crawl_delay, request_rate, visit_time
from .grammar import BOM, FIELDS, IDENTIFIER, TYPOS
from .groups import Record
from .lexer import Line
from .verdict import Group, printable, text_of

__all__ = [
    "CODES",
    "Diagnostic",
    "diagnose",
    "is_host",
    "is_sitemap",
    "is_utf16",
    "names_host",
    "one_slip",
    "second_field",
]

#: Every code: how severe it is, and what it is about. An error loses an owner's words or gives an
#: answer other than it seems; information only says how a line was read.
CODES = {
    "absolute-url-in-rule": ("error", "a rule names a whole URL, which matches no path"),
    "agent-cut": ("warning", "a User-agent value goes on after the product token"),
    "agent-not-a-token": ("information", "a name has digits, dots or spaces, as many robots' have"),
    "byte-order-mark": ("information", "the file begins with a byte order mark, which is skipped"),
    "conflicting-signals": ("warning", "signals of one group contradict each other, and the stricter counts"),
    "control-character": ("error", "a line has a control character"),
    "dollar-not-last": ("warning", "a `$` is not the last of its pattern, so it is a plain character"),
    "empty-agent": ("error", "a User-agent line names nobody"),
    "empty-allow": ("warning", "an Allow line has no path and allows nothing"),
    "field-outside-group": ("error", "a field that speaks to robots stands in no group"),
    "file-too-large": ("error", "the file is larger than the 500 KiB that every robot must read"),
    "group-without-rules": ("information", "a group has no rules and so allows everything"),
    "html": ("error", "the file looks like a web page"),
    "ignored-in-dialect": ("information", "the field has no meaning in this dialect"),
    "invalid-escape": ("warning", "a `%` begins no escape, so it is a plain character"),
    "invalid-value": ("error", "the value is none that the field can have"),
    "line-too-long": ("warning", "a line is longer than is read of it, here or by Google (16,663 octets)"),
    "misplaced-byte-order-mark": ("error", "a byte order mark stands inside the file and is read as text"),
    "misspelt-field": ("warning", "a misspelt field is read as the one that was meant"),
    "missing-colon": ("warning", "a field without a colon is read as if it had one"),
    "not-a-field": ("error", "a line is no field, so it is ignored"),
    "not-utf-8": ("warning", "a line is not UTF-8; its octets are compared one by one"),
    "path-without-slash": ("error", "a pattern begins with neither `/` nor `*`, so it matches nothing"),
    "rule-outside-group": ("error", "a rule stands in no group, so it binds nobody"),
    "repeated-host": ("warning", "only the first valid Host counts"),
    "single-minute": ("warning", "a window of time begins and ends in the same minute"),
    "space-in-path": ("warning", "a path has a space, which no URL has as it is"),
    "unknown-field": ("warning", "the field is unknown, so it is ignored"),
    "unknown-label": ("warning", "a label or key of a preference is known to no vocabulary in force"),
    "unknown-preference": ("error", "what is said of a use neither allows nor disallows it"),
    "utf-16": ("error", "the file looks like UTF-16, of which nothing can be read"),
}

#: RFC 9309 2.5: a limit on the size MUST be at least this many octets.
_SIZE = 500 * 1024

#: What the names of robots are made of, beyond what a product token may have.
_NAMES = IDENTIFIER | frozenset(b"0123456789. ")

#: Fields that stand in the value of another only where the end of a line was lost.
_SECOND = frozenset((b"user-agent", b"disallow", b"allow", b"sitemap", b"crawl-delay"))

_HTML = (b"<!doctype", b"<html", b"<head", b"<?xml", b"<body", b"<script")
_HEX = frozenset(b"0123456789ABCDEFabcdef")


class Diagnostic(Value):
    r"""One thing that is ignored, repaired or odd.

    `severity` is "error", "warning" or "information". `line` counts from 1; `column` and
    `end_column` count octets of the line from 1, and the end is the first octet after the span.
    `message` is one sentence, fit for a terminal.

    >>> import comity
    >>> (problem,) = comity.parse(b"User-agent: *\nDisallow: private").diagnostics
    >>> problem.code, problem.severity, problem.line, problem.column, problem.end_column
    ('path-without-slash', 'error', 2, 11, 18)
    >>> print(problem.message)
    `private` begins with neither `/` nor `*`, so it matches nothing; write `/private`
    """

    __slots__ = ("code", "severity", "line", "column", "end_column", "message")
    code: str
    severity: str
    line: int
    column: int
    end_column: int
    message: str


def diagnose(
    body: bytes, lines: Sequence[Line], groups: Sequence[Group], strays: Iterable[Record], dialect: Dialect
) -> list[Diagnostic]:
    """Give all diagnostics of a file, in order of lines and columns."""
    found = [*_file(body, lines)]
    unbound = {line for line, _, _ in strays}
    for line in lines:
        found += _octets(line, dialect)
        if line.field is None:
            found += _without_meaning(line, dialect)
        else:
            found += _name(line, line.field)
            found += _value(line, dialect)
            if line.number in unbound:
                code = "rule-outside-group" if line.field in ("allow", "disallow") else "field-outside-group"
                message = f"no User-agent line stands before this {_shown(line.name)}, so it binds nobody"
                found.append(_at_name(line, code, message))
    found += _empty_groups(lines, groups)
    found += _conflicts(lines, groups)
    hosts = [line for line in lines if line.field == "host" and is_host(text_of(line.value))]
    for line in hosts[1:]:
        message = f"{_shown(line.value)} is ignored, as line {hosts[0].number} has a host already"
        found.append(_at_value(line, "repeated-host", message))
    return sorted(found, key=lambda problem: (problem.line, problem.column, problem.code))


def _file(body: bytes, lines: Sequence[Line]) -> Iterator[Diagnostic]:
    """Tell what is odd about the file as a whole, at the line that shows it."""
    start = body[:1024]
    if start.startswith(BOM):
        message = "the byte order mark before the first line is skipped"
        yield _problem("byte-order-mark", 1, 0, len(BOM), message)
        start = start[len(BOM) :]
    if is_utf16(start):
        message = "this looks like UTF-16, and robots.txt is UTF-8; next to nothing of it can be read"
        yield _problem("utf-16", 1, 0, 2, message)
    elif is_html(start):
        first = next(line for line in lines if line.text.removeprefix(BOM).strip())
        message = "this looks like a web page; only what reads as rules counts"
        yield _problem("html", first.number, 0, len(first.text), message)
    if len(body) > _SIZE:
        last = next(line for line in lines if line.start + len(line.raw) > _SIZE)
        message = f"the file has {len(body):,} octets; a robot may stop reading here, after {_SIZE:,}"
        yield _problem("file-too-large", last.number, 0, len(last.text), message)


def _octets(line: Line, dialect: Dialect) -> Iterator[Diagnostic]:
    text = line.text
    limit = dialect.line_limit or GOOGLE.line_limit or len(text)
    if len(text) > limit:
        reader = "this dialect" if dialect.line_limit else "Google"
        message = f"the line has {len(text):,} octets, of which {reader} reads only the first {limit:,}"
        yield _problem("line-too-long", line.number, limit, len(text), message)
    mark = text.find(BOM, 1 if line.number == 1 else 0)
    if mark >= 0:
        message = "a byte order mark inside the file is read as text, as if two files had been joined"
        yield _problem("misplaced-byte-order-mark", line.number, mark, mark + len(BOM), message)
    if not text.isascii():
        try:
            text.decode()
        except UnicodeDecodeError as error:
            message = (
                f"octet {text[error.start]:02X} is not UTF-8, as robots.txt must be; it is compared as it is"
            )
            yield _problem("not-utf-8", line.number, error.start, error.end, message)
    if not text.isascii() or not text.decode().isprintable():
        for at, octet in enumerate(text):
            if (octet < 0x20 and octet != 0x09) or octet == 0x7F:
                message = f"octet {octet:02X} is a control character, which no line may have"
                yield _problem("control-character", line.number, at, at + 1, message)
                break


def _without_meaning(line: Line, dialect: Dialect) -> Iterator[Diagnostic]:
    """Tell of a line that no field was read from."""
    said = line.text[: line.comment_start].removeprefix(BOM).strip()
    if not said:
        return
    name = line.name.lower().decode("latin-1")
    if not name or not line.text[line.name_end : line.comment_start].lstrip().startswith(b":"):
        yield _at_text(line, "not-a-field", f"{_shown(said)} is no field and a value, so the line is ignored")
    elif name == "allow":
        message = f"there is no Allow in {dialect.name}, so the line is ignored"
        yield _at_name(line, "ignored-in-dialect", message)
    else:
        meant = _meant(name)
        second = second_field(line.name + b":")
        hint = f"; was {meant} meant?" if meant else ""
        if second is not None and b" " in line.name.replace(b"\t", b" "):
            hint = f"; is a line break missing before {_title(second)}?"
        message = f"the field {_shown(line.name)} is unknown, so the line is ignored{hint}"
        yield _at_name(line, "unknown-field", message)


def _name(line: Line, field: str) -> Iterator[Diagnostic]:
    """Tell of a field that was repaired."""
    if line.name.lower().decode("latin-1") != field:
        message = f"{_shown(line.name)} is read as {_title(field)}"
        yield _at_name(line, "misspelt-field", f"{message}, which it should be; other robots ignore the line")
    if b":" not in line.text[line.name_end : line.value_start]:
        message = f"there is no colon after {_shown(line.name)}; other robots ignore the line"
        yield _at_name(line, "missing-colon", message)


def _value(line: Line, dialect: Dialect) -> Iterator[Diagnostic]:
    """Tell of a value that cannot be, or not as it stands."""
    value = text_of(line.value)
    match line.field:
        case "allow" | "disallow":
            yield from _pattern(line, dialect)
        case "user-agent":
            yield from _agent(line, dialect)
        case "crawl-delay" if crawl_delay(value) is None:
            yield _invalid(line, "seconds, such as 10 or 0.5")
        case "request-rate" if request_rate(value) is None:
            yield _invalid(line, "documents per time, such as 1/10s or 20/1h 0600-1800")
        case "visit-time" if visit_time(value) is None:
            yield _invalid(line, "a window of UTC times, such as 0600-0845")
        case "visit-time" | "request-rate":
            window = visit_time(value) if line.field == "visit-time" else request_rate(value)
            if window and window.start is not None and window.start == window.end:
                message = f"the window of {_shown(line.value)} is a single minute"
                yield _at_value(line, "single-minute", message)
        case "content-signal" if not value:
            yield _invalid(line, "signals, such as ai-train=no")
        case "content-signal":
            yield from _signals(line)
        case "content-usage":
            yield from _preferences(line, dialect)
        case "sitemap" if not is_sitemap(value):
            yield _invalid(line, "an absolute URL, such as https://example.com/sitemap.xml")
        case "host" if not is_host(value):
            yield _invalid(line, "one host name, such as www.example.com")
        case "clean-param" if clean_param(value, line.number) is None:
            yield _invalid(line, "parameters and at most one path, such as sid&ref /forum/")


def _pattern(line: Line, dialect: Dialect) -> Iterator[Diagnostic]:
    octets = line.value
    if not octets:
        if line.field == "allow":
            yield _at_name(line, "empty-allow", "an Allow without a path allows nothing")
        return
    if b"://" in octets and not octets.startswith((b"/", b"*")):
        message = "a rule is a path, and a whole URL matches none; a robots.txt speaks of its own host alone"
        if second_field(octets) is not None:
            message = "a rule is a path, and this has another field in it, which needs a line of its own"
        yield _at_value(line, "absolute-url-in-rule", message)
    elif not octets.startswith((b"/", b"*") if dialect.wildcards else b"/"):
        begin = "neither `/` nor `*`" if dialect.wildcards else "no `/`"
        if second_field(octets) is not None:
            hint = "; another field needs a line of its own"
        elif names_host(octets):
            hint = "; a robots.txt speaks of its own host alone"
        elif dialect.wildcards and (
            octets.startswith((b"?", b"&")) or b"=" in octets.partition(b"/")[0].partition(b"?")[0]
        ):
            hint = f"; write {_shown(b'/*' + octets)}"  # a query, which is hardly the first page's alone
        elif dialect.wildcards and octets.startswith(b"."):
            hint = f"; write {_shown(b'/' + octets)} or {_shown(b'/*' + octets)}"
        elif octets.strip(b"*$"):
            hint = f"; write {_shown(b'/' + octets)}"
        else:
            hint = ""  # with a slash before it, this would be the whole site
        message = f"{_shown(octets)} begins with {begin}, so it matches nothing{hint}"
        yield _at_value(line, "path-without-slash", message)
    yield from _characters(line, octets, dialect)
    space = min((at for at in (octets.find(b" "), octets.find(b"\t")) if at >= 0), default=-1)
    if space >= 0:
        at = line.value_start + space
        how = "%20" if dialect.escapes == "rfc9309" else "it is"
        message = f"a space in a path is compared as {how}; a rule has one path only"
        yield _problem("space-in-path", line.number, at, at + 1, message)


def _characters(line: Line, octets: bytes, dialect: Dialect) -> Iterator[Diagnostic]:
    """Tell of characters that do not mean what they may seem to, in the path that a value begins with."""
    if dialect.wildcards and b"$" in octets[:-1]:
        at = line.value_start + octets.index(b"$")
        message = "a `$` that is not last is a plain character, not the end of the path"
        yield _problem("dollar-not-last", line.number, at, at + 1, message)
    at = octets.find(b"%")
    while at >= 0:
        if not (len(octets) > at + 2 and octets[at + 1] in _HEX and octets[at + 2] in _HEX):
            where = line.value_start + at
            message = "this `%` begins no escape, so it is a plain character; write %25"
            yield _problem("invalid-escape", line.number, where, where + 1, message)
            break
        at = octets.find(b"%", at + 1)


def _preferences(line: Line, dialect: Dialect) -> Iterator[Diagnostic]:
    """Tell of a Content-Usage line that says less than it seems to."""
    from .fields.content_usage import path_and_expression, preference_of
    from .fields.structured import Malformed, dictionary
    from .fields.vocabulary import CURRENT, VOCABULARIES, Preference

    path, said = path_and_expression(line.value)
    yield from _characters(line, path, dialect)
    if not said:
        yield _invalid(line, "preferences, perhaps after a path, such as /ai/ train-ai=n")
        return
    start = line.value_end - len(said)
    try:
        members = dictionary(said)
    except Malformed as fault:
        message = f"{_shown(said)} says nothing: {fault} should stand here; write preferences as train-ai=n"
        yield _problem("invalid-value", line.number, start + fault.position, line.value_end, message)
        return
    for label, member in members.items():
        at, end = start + member.start, start + member.end
        if label not in CURRENT.labels:
            older = [name for name, others in VOCABULARIES.items() if label in others.labels]
            known = f"only of {older[0]}" if older else "known to no draft"
            message = f"the label {_shown(label.encode())} is {known}; there are {', '.join(CURRENT.labels)}"
            yield _problem("unknown-label", line.number, at, end, message)
        elif preference_of(member) is Preference.UNKNOWN:
            message = f"{_shown(said[member.start : member.end])} says nothing; write {label}=y or {label}=n"
            yield _problem("unknown-preference", line.number, at, end, message)


def _signals(line: Line) -> Iterator[Diagnostic]:
    """Tell of a Content-Signal line that says less than it seems to."""
    from .fields.content_signal import CATEGORIES, CEILINGS, pairs

    for signal in pairs(line.value, line.number):
        at, end = line.value_start + signal.start, line.value_start + signal.end
        shown = _shown(line.text[at:end])
        values = list(CEILINGS) if signal.key == "use" else ["yes", "no"]
        if signal.key not in CATEGORIES and signal.key != "use":
            message = f"the signal {shown} is unknown; there are {', '.join(CATEGORIES)} and use"
            yield _problem("unknown-label", line.number, at, end, message)
        elif signal.value not in values:
            message = f"{shown} says nothing; {signal.key} is {', '.join(values[:-1])} or {values[-1]}"
            yield _problem("unknown-preference", line.number, at, end, message)


def _conflicts(lines: Sequence[Line], groups: Iterable[Group]) -> Iterator[Diagnostic]:
    """Tell of signals that say otherwise than an earlier one of their group."""
    from .fields.content_signal import pairs

    for group in groups:
        said: dict[str, tuple[str, int]] = {}
        for field in group.fields:
            if field.name != "content-signal":
                continue
            line = lines[field.line - 1]
            for signal in pairs(line.value, line.number):
                value, number = said.setdefault(signal.key, (signal.value, line.number))
                if value != signal.value:
                    at, end = line.value_start + signal.start, line.value_start + signal.end
                    before = _shown(f"{signal.key}={value}".encode(errors="surrogateescape"))
                    message = f"line {number} has {before}; of contradicting signals the stricter counts"
                    yield _problem("conflicting-signals", line.number, at, end, message)


def _agent(line: Line, dialect: Dialect) -> Iterator[Diagnostic]:
    octets = line.value
    if not octets:
        yield _at_name(line, "empty-agent", "the User-agent line names nobody; * would name everybody")
    elif octets != b"*" and dialect.agents.endswith("token") and not IDENTIFIER.issuperset(octets):
        end = next(at for at, octet in enumerate(octets) if octet not in IDENTIFIER)
        token = octets[:end].decode()
        read = f"it is read as {token}" if token else "it names no product token"
        if octets.startswith(b"*"):
            read = "only * alone names everybody"
            if dialect.agents == "google-token" and octets[1:2].isspace():
                read = "it is read as *"
        elif dialect.agents == "token" and not octets[end:].startswith((b"/", b" ", b"\t", b",")):
            read = f"it also names a robot called {_shown(octets)[1:-1]}"
            read = f"{read}, besides {token}" if token else f"it names a robot called {_shown(octets)[1:-1]}"
        if second_field(octets) is not None:
            read = "a line break is missing before the other field"
        message = (
            f"a product token has only letters, `-` and `_`, and {_shown(octets)} goes on after that; {read}"
        )
        # Whether a robot has such a name is not known here; those that have are asked by it.
        named = dialect.agents == "token" and _NAMES.issuperset(octets) and octets[:1].isalnum()
        at = line.value_start + end
        code = "agent-not-a-token" if named else "agent-cut"
        yield _problem(code, line.number, at, line.value_end, message)


def names_host(value: bytes) -> bool:
    """Say whether the pattern of a rule looks as if it began with a host.

    >>> names_host(b"www.example.com/private"), names_host(b"index.html"), names_host(b"private/a.html")
    (True, False, False)
    """
    first, slash, _ = value.partition(b"/")
    return b"." in first and not first.startswith(b".") and (bool(slash) or first.count(b".") > 1)


def second_field(value: bytes) -> str | None:
    """Give the field that stands inside a value, as where a line break is missing; `None` if there is none.

    >>> second_field(b"*: Disallow: /"), second_field(b"ExampleBot Disallow: /"), second_field(b"ExampleBot")
    ('disallow', 'disallow', None)
    """
    for before in value.split(b":")[:-1]:
        words = before.rsplit(None, 1)
        if words and words[-1].lower() in _SECOND:
            return text_of(words[-1].lower())
    return None


def _empty_groups(lines: Sequence[Line], groups: Iterable[Group]) -> Iterator[Diagnostic]:
    for group in groups:
        if not group.rules and not any(field.name == "content-usage" for field in group.fields):
            line = lines[group.line - 1]
            message = f"the group {_shown(line.value)} has no rules, so everything is allowed"
            yield _at_text(line, "group-without-rules", message)


def _meant(name: str) -> str | None:
    """Guess the field that an unknown name stands for."""
    if name in TYPOS:
        return _title(TYPOS[name])
    for field in FIELDS:
        if name.startswith(field) or name.replace(" ", "-").replace("_", "-") == field:
            return _title(field)
        if len(name) < 24 and one_slip(name, field):
            return _title(field)
    return None


def one_slip(name: str, field: str) -> bool:
    """Say whether one letter too many, too few, wrong, or swapped makes the name of the field."""
    start = 0
    while start < min(len(name), len(field)) and name[start] == field[start]:
        start += 1
    left, right = name[start:], field[start:]
    return (
        left[1:] == right[1:]
        or left[1:] == right
        or left == right[1:]
        or (left[:2] == right[1::-1] and left[2:] == right[2:])
    )


def is_utf16(body: bytes) -> bool:
    """Say whether a body looks like UTF-16: by its mark, or by a NUL in every second octet.

    >>> is_utf16("User-agent: *".encode("utf-16-le")), is_utf16(b"User-agent: *")
    (True, False)
    """
    halves = body[0:32:2], body[1:32:2]
    return body.startswith((b"\xff\xfe", b"\xfe\xff")) or b"\0" * 8 in halves[0] + b"x" + halves[1]


def is_html(body: bytes) -> bool:
    """Say whether a body begins as a web page does.

    >>> is_html(b" <!DOCTYPE html>"), is_html(b"User-agent: *")
    (True, False)
    """
    return body[:1024].removeprefix(BOM).lstrip().lower().startswith(_HTML)


def is_sitemap(value: str) -> bool:
    """Say whether a Sitemap value is an absolute URL.

    >>> is_sitemap("https://example.com/sitemap.xml"), is_sitemap("/sitemap.xml")
    (True, False)
    """
    scheme, separator, rest = value.partition("://")
    named = rest.partition("/")[0] and not any(map(str.isspace, rest))
    return bool(separator and named) and scheme.isascii() and scheme[:1].isalpha() and scheme.isalnum()


def is_host(value: str) -> bool:
    """Say whether a Host value is one host name, with a port at most, and no address.

    >>> is_host("www.example.com:8080"), is_host("192.0.2.1"), is_host("a.example b.example")
    (True, False, False)
    """
    name, colon, port = (
        value.removeprefix("http://").removeprefix("https://").removesuffix("/").partition(":")
    )
    labels = name.split(".")
    proper = all(
        label and len(label) < 64 and label.replace("-", "a").replace("_", "a").isalnum() for label in labels
    )
    ported = not colon or (port.isascii() and port.isdigit() and int(port[:6]) < 65_536)
    return proper and len(labels) > 1 and not labels[-1].isdigit() and ported


def _title(field: str) -> str:
    return "ACAP" + field[4:] if field.startswith("acap-") else field.capitalize()


def _shown(octets: bytes) -> str:
    text = text_of(octets)
    return f"`{printable(text if len(text) <= 60 else text[:57] + '...')}`"


def _invalid(line: Line, wanted: str) -> Diagnostic:
    if not line.value:
        return _at_name(line, "invalid-value", f"{_title(line.field or '')} has no value; it takes {wanted}")
    return _at_value(
        line, "invalid-value", f"{_shown(line.value)} is ignored; {_title(line.field or '')} takes {wanted}"
    )


def _at_name(line: Line, code: str, message: str) -> Diagnostic:
    return _problem(code, line.number, line.name_start, line.name_end, message)


def _at_value(line: Line, code: str, message: str) -> Diagnostic:
    return _problem(code, line.number, line.value_start, line.value_end, message)


def _at_text(line: Line, code: str, message: str) -> Diagnostic:
    said = line.text[: line.comment_start]
    start = len(said) - len(said.lstrip())
    return _problem(code, line.number, start, len(said.rstrip()), message)


def _problem(code: str, line: int, start: int, end: int, message: str) -> Diagnostic:
    return Diagnostic(code, CODES[code][0], line, start + 1, max(end, start) + 1, message)
