"""What is to be said to robots, checked: each value as a clause that cannot be two lines, nor say nothing.

Whoever writes a plan or a fragment learns of what is wrong here, in a `ValueError` that says what would be
right. So a clause, once made, is one line of a robots.txt, or a part of one, and is read as it was meant.
"""

from collections.abc import Container, Iterator

from ...protocol.robotstxt.dialect import RFC9309
from ...protocol.robotstxt.fields import content_signal, content_usage
from ...protocol.robotstxt.fields.hosts import is_host, is_sitemap
from ...protocol.robotstxt.fields.rates import crawl_delay, request_rate, visit_time
from ...protocol.robotstxt.fields.structured import Malformed, dictionary
from ...protocol.robotstxt.fields.vocabulary import VOCABULARIES, Preference
from ...protocol.robotstxt.paths import pattern_reader
from ...protocol.text import printable, to_bytes
from ...protocol.value import Value

__all__ = ["Clause", "comparable", "of_field", "pattern_of", "rule", "token"]

_read = pattern_reader(RFC9309)

#: What a product token is made of. RFC 9309 2.2.1 has no digits and no dots, but robots have.
_TOKEN = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.")
_HEX = frozenset("0123456789ABCDEFabcdef")


class Clause(Value):
    """One thing to be said.

    Of two clauses with one `field` and one `key` only one `value` can hold. `field` is "rule", or a field in
    lower case; `key` is what it speaks of, such as a path pattern, made comparable; `value` is what is said
    of it. `text` is how the file has it. `place` is where it was asked for.
    """

    __slots__ = ("field", "key", "value", "text", "place")
    field: str
    key: str
    value: str
    text: str
    place: str


def rule(allow: bool, pattern: str, place: str) -> Clause:
    r"""Make a rule of a path pattern.

    >>> rule(False, "/caf\u00e9 /", "robots.toml: close[0]").text
    'Disallow: /caf%C3%A9%20/'
    >>> rule(False, "tmp", "")
    Traceback (most recent call last):
    ValueError: `tmp` begins with neither `/` nor `*`, so it would match nothing; write `/tmp`
    """
    written = pattern_of(pattern)
    name = "Allow" if allow else "Disallow"
    return Clause("rule", comparable(written), name.lower(), f"{name}: {written}", place)


def pattern_of(pattern: str) -> str:
    """Give a path pattern as a file has it, with what no URL has as it is escaped (RFC 9309 2.2.2)."""
    _one_line(pattern)
    if not pattern.startswith(("/", "*")):
        shown = printable(pattern)
        raise ValueError(
            f"`{shown}` begins with neither `/` nor `*`, so it would match nothing; write `/{shown}`"
        )
    if pattern != pattern.rstrip():
        raise ValueError(f"`{printable(pattern)}` ends with white space, which no file would keep; write %20")
    _, *escapes = pattern.split("%")
    if not all(len(rest) > 1 and _HEX.issuperset(rest[:2]) for rest in escapes):
        raise ValueError(f"a `%` of `{printable(pattern)}` begins no escape; write %25")
    return "".join(chr(octet) if 0x20 < octet < 0x7F else f"%{octet:02X}" for octet in to_bytes(pattern))


def comparable(pattern: str) -> str:
    """Give a pattern as robots compare it: equal ones match the same paths."""
    return _read(to_bytes(pattern))


def token(name: str, known: Container[str]) -> str:
    """Give a product token as it is, if it is one, or one of the `known`, in lower case.

    >>> token("ExampleBot/1.0", ())
    Traceback (most recent call last):
    ValueError: `ExampleBot/1.0` is no product token, which has letters, digits, `-`, `_` and `.`
    """
    if name == "*" or name.lower() in known or (name and _TOKEN.issuperset(name)):
        return name
    shown = printable(name)
    raise ValueError(f"`{shown}` is no product token, which has letters, digits, `-`, `_` and `.`")


def of_field(field: str, value: str, place: str) -> Iterator[Clause]:
    """Make clauses of a field other than a rule: one, or one for each thing that its value says.

    >>> [(one.key, one.value) for one in of_field("content-signal", "search=yes, ai-train=no", "")]
    [('search', 'yes'), ('ai-train', 'no')]
    """
    _one_line(value)
    if field == "content-signal":
        yield from _signals(value, place)
    elif field == "content-usage":
        yield from _preferences(value, place)
    elif field == "clean-param":
        yield Clause(field, value, value, _written(value), place)
    else:
        yield Clause(field, _key(field, value), value, _written(value), place)


def _key(field: str, value: str) -> str:
    """Say what a field speaks of, if its value is one that it can have."""
    match field:
        case "crawl-delay":
            wanted, valid, key = "seconds, such as 10 or 0.5", crawl_delay(value) is not None, ""
        case "request-rate":
            wanted, valid = "documents/time, such as 1/10m 1300-1659", request_rate(value) is not None
            key = " ".join(value.split()[1:])  # each window may have its own rate
        case "visit-time":
            wanted, valid, key = "two times in UTC, such as 0600-0845", visit_time(value) is not None, value
        case "sitemap":
            wanted, valid, key = "an absolute URL", is_sitemap(value), value
        case "host":
            wanted, valid, key = "one host name", is_host(value), ""
        case _:  # Robot-version is one; Comment and Noindex may be many
            wanted, valid, key = "a text", bool(value), "" if field == "robot-version" else value
    if not valid:
        raise ValueError(f"`{printable(value)}` is no value of {field.capitalize()}, which takes {wanted}")
    return key


def _signals(value: str, place: str) -> Iterator[Clause]:
    known = {**dict.fromkeys(content_signal.CATEGORIES, ("yes", "no")), "use": tuple(content_signal.CEILINGS)}
    signals = list(content_signal.pairs(to_bytes(value), 0))
    if not signals:
        raise ValueError("there is no signal; write search=yes, ai-train=no")
    for signal in signals:
        if signal.key not in known:
            raise ValueError(f"there is no signal `{printable(signal.key)}`; there are {', '.join(known)}")
        if signal.value not in known[signal.key]:
            words = " or ".join(known[signal.key])
            shown = printable(f"{signal.key}={signal.value}")
            raise ValueError(f"`{shown}` says nothing; {signal.key} is {words}")
        yield Clause("content-signal", signal.key, signal.value, "", place)


def _preferences(value: str, place: str) -> Iterator[Clause]:
    path, said = (part.decode() for part in content_usage.path_and_expression(to_bytes(value)))
    written = pattern_of(path) if path else ""
    try:
        members = dictionary(to_bytes(said))
    except Malformed as fault:
        raise ValueError(f"`{printable(said)}` says nothing: {fault} should stand in it") from None
    if not members:
        raise ValueError("there is no preference; write train-ai=n, perhaps after a path")
    labels = {label for vocabulary in VOCABULARIES.values() for label in vocabulary.labels}
    for label, member in members.items():
        if label not in labels:
            raise ValueError(f"there is no label `{printable(label)}`; there are {', '.join(sorted(labels))}")
        # A parameter says nothing (draft-ietf-aipref-vocab 6), but somebody meant something by it.
        if content_usage.preference_of(member) is Preference.UNKNOWN or ";" in said:
            shown = printable(said[member.start : member.end])
            raise ValueError(f"`{shown}` is no plain preference; write {label}=y or {label}=n")
        key = f"{comparable(written)} {label}"
        yield Clause("content-usage", key, member.text.decode(), written, place)


def _written(value: str) -> str:
    return value.strip(" ")


def _one_line(value: str) -> None:
    if "#" in value:
        raise ValueError(f"`{printable(value)}` has a `#`, which would begin a comment; write %23")
    # Octets that are not UTF-8 end no line, but some characters do, to parsers that take a file as text.
    if not "".join(character for character in value if not "\udc80" <= character <= "\udcff").isprintable():
        raise ValueError(f"`{printable(value)}` has a character that cannot be printed, or ends a line")
