"""Checked statements of a plan or a fragment; each becomes one line of a robots.txt, or a part of one.

The functions raise `ValueError` with the problem and a correction. So the value of a directive cannot begin a
new line, and robots read it as intended.
"""

import re
from collections.abc import Container, Iterator
from re import Match

from ...protocol import RESERVED, UNRESERVED, Value, pattern_reader, printable, to_bytes
from ...protocol.robotstxt import RFC9309
from ...protocol.robotstxt.fields import (
    CEILINGS,
    SIGNAL_CATEGORIES,
    Malformed,
    crawl_delay,
    dictionary,
    is_host,
    is_sitemap,
    license_fault,
    pairs,
    path_and_expression,
    preference_of,
    request_rate,
    visit_time,
)
from ...protocol.usage import VOCABULARIES, Preference

_read = pattern_reader(RFC9309)

#: The characters of a product token. RFC 9309 2.2.1 has no digits and dots, but real tokens have.
_TOKEN = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.")
_HEX = frozenset("0123456789ABCDEFabcdef")
_ESCAPE = re.compile("%([0-9A-Fa-f]{2})")

#: The bytes that a pattern has unescaped: those that URLs can have (RFC 3986 2).
_UNESCAPED = UNRESERVED | RESERVED | {0x25}


class Directive(Value):
    """A checked statement. Two directives of one field and key contradict each other if their values differ.

    `field` is "rule" or a field name in lower case. `key` is the subject, such as a normalized path pattern.
    `value` is the statement about it, `text` the line or value to write. `source` is where it was requested,
    such as "shop.txt:3:1".
    """

    field: str
    key: str
    value: str
    text: str
    source: str


def rule_directive(allow: bool, pattern: str, source: str) -> Directive:
    r"""Create a rule from a path pattern.

    >>> rule_directive(False, "/caf\u00e9 /", "robots.toml: close[0]").text
    'Disallow: /caf%C3%A9%20/'
    >>> rule_directive(False, "tmp", "")
    Traceback (most recent call last):
    ValueError: `tmp` begins with neither `/` nor `*`, so it matches nothing; write `/tmp`
    """
    written = checked_pattern(pattern)
    name = "Allow" if allow else "Disallow"
    return Directive("rule", normalized_pattern(written), name.lower(), f"{name}: {written}", source)


def checked_pattern(pattern: str) -> str:
    """Return a path pattern as a file has it: characters that no URL has are escaped (RFC 9309 2.2.2)."""
    _check_one_line(pattern)
    shown = printable(pattern)
    if not pattern.startswith(("/", "*")):
        raise ValueError(
            f"`{shown}` begins with neither `/` nor `*`, so it matches nothing; write `/{shown}`"
        )
    if pattern != pattern.rstrip():
        raise ValueError(f"`{shown}` ends with white space, which a file cannot hold; write %20")
    _, *escapes = pattern.split("%")
    if not all(len(rest) > 1 and _HEX.issuperset(rest[:2]) for rest in escapes):
        raise ValueError(f"`{shown}` has a `%` that begins no escape; write %25")
    plain = _ESCAPE.sub(_canonical_escape, pattern)
    return "".join(chr(octet) if octet in _UNESCAPED else f"%{octet:02X}" for octet in to_bytes(plain))


def _canonical_escape(escape: Match[str]) -> str:
    """Return the character of an escape that URLs write unescaped, and any other escape in upper case.

    All robots then compare the pattern alike; Google's parser does not decode escapes (RFC 3986 6.2.2).
    """
    octet = int(escape[1], 16)
    return chr(octet) if octet in UNRESERVED else escape[0].upper()


def normalized_pattern(pattern: str) -> str:
    """Return a pattern as robots compare it; equal ones match the same paths."""
    return _read(to_bytes(pattern))


def checked_token(name: str, known: Container[str]) -> str:
    """Return a product token unchanged; `known` are further valid names, in lower case.

    >>> checked_token("ExampleBot/1.0", ())
    Traceback (most recent call last):
    ValueError: `ExampleBot/1.0` is not a product token; use letters, digits, `-`, `_` and `.` only
    """
    if name == "*" or name.lower() in known or (name and _TOKEN.issuperset(name)):
        return name
    shown = printable(name)
    raise ValueError(f"`{shown}` is not a product token; use letters, digits, `-`, `_` and `.` only")


def field_directives(field: str, value: str, source: str) -> Iterator[Directive]:
    """Yield the directives of a field other than a rule, one for each statement in its value.

    >>> [(one.key, one.value) for one in field_directives("content-signal", "search=yes, ai-train=no", "")]
    [('search', 'yes'), ('ai-train', 'no')]
    """
    _check_one_line(value)
    if field == "content-signal":
        yield from _signals(value, source)
    elif field == "content-usage":
        yield from _preferences(value, source)
    elif field == "clean-param":
        yield Directive(field, value, value, value.strip(" "), source)
    else:
        yield Directive(field, _key(field, value), value, value.strip(" "), source)


def _key(field: str, value: str) -> str:
    """Return the subject of a field. Raises `ValueError` if the value is not valid."""
    match field:
        case "crawl-delay":
            expected, valid, key = "seconds, such as 10 or 0.5", crawl_delay(value) is not None, ""
        case "request-rate":
            expected, valid = "documents/time, such as 1/10m 1300-1659", request_rate(value) is not None
            key = " ".join(value.split()[1:])  # each time window may have its own rate
        case "visit-time":
            expected, valid, key = "two times in UTC, such as 0600-0845", visit_time(value) is not None, value
        case "sitemap":
            expected, valid, key = "an absolute URL", is_sitemap(value), value
        case "host":
            expected, valid, key = "one host name", is_host(value), ""
        case "license":  # several are several offers
            fault = license_fault(value)
            expected, valid, key = f"an absolute https URL, but {fault}", fault is None, value
        case _:  # one Robot-version, but several Comment and Noindex lines
            expected, valid, key = "text", bool(value), "" if field == "robot-version" else value
    if not valid:
        raise ValueError(f"invalid {field.capitalize()} `{printable(value)}`; expected {expected}")
    return key


def _signals(value: str, source: str) -> Iterator[Directive]:
    known = {**dict.fromkeys(SIGNAL_CATEGORIES, ("yes", "no")), "use": tuple(CEILINGS)}
    signals = list(pairs(to_bytes(value), 0))
    if not signals:
        raise ValueError("no signal in it; write search=yes, ai-train=no")
    for signal in signals:
        if signal.key not in known:
            raise ValueError(f"unknown signal `{printable(signal.key)}`; expected one of {', '.join(known)}")
        if signal.value not in known[signal.key]:
            words = " or ".join(known[signal.key])
            shown = printable(f"{signal.key}={signal.value}")
            raise ValueError(f"invalid signal `{shown}`; the value of {signal.key} is {words}")
        yield Directive("content-signal", signal.key, signal.value, "", source)


def _preferences(value: str, source: str) -> Iterator[Directive]:
    path, expression = (part.decode() for part in path_and_expression(to_bytes(value)))
    written = checked_pattern(path) if path else ""
    try:
        members = dictionary(to_bytes(expression))
    except Malformed as fault:
        raise ValueError(f"invalid preference `{printable(expression)}`; expected {fault}") from None
    if not members:
        raise ValueError("no preference in it; write train-ai=n, optionally after a path")
    labels = {label for vocabulary in VOCABULARIES.values() for label in vocabulary.labels}
    for label, member in members.items():
        if label not in labels:
            raise ValueError(
                f"unknown label `{printable(label)}`; expected one of {', '.join(sorted(labels))}"
            )
        # Robots ignore a parameter (draft-ietf-aipref-vocab 6), so the owner expects an effect that it lacks.
        if preference_of(member) is Preference.UNKNOWN or ";" in expression:
            shown = printable(expression[member.start : member.end])
            raise ValueError(f"invalid preference `{shown}`; write {label}=y or {label}=n")
        key = f"{normalized_pattern(written)} {label}"
        yield Directive("content-usage", key, member.text.decode(), written, source)


def _check_one_line(value: str) -> None:
    if "#" in value:
        raise ValueError(f"`{printable(value)}` has a `#`, which would begin a comment; write %23")
    # Undecodable bytes end no line, but some characters do for parsers that read a file as text.
    if not "".join(character for character in value if not "\udc80" <= character <= "\udcff").isprintable():
        raise ValueError(f"`{printable(value)}` has a control character or a line end; remove it")
