"""Values of Content-Signal, TDM and Link, checked when a rule is created."""

import re

from ...errors import InvalidArgument, InvalidURL
from ...protocol.origin import Origin
from ...protocol.robotstxt.fields.content_signal import CATEGORIES, CEILINGS, pairs

#: The characters of a parameter's name, and a parameter of a link (RFC 8288 3).
_PARAMETER = re.compile(r"[ \t]*;[ \t]*([!#$&+\-.^_`|~0-9A-Za-z]+\*?)(?:=([^\s\";,]+|\"[^\"]*\"))?")


def checked_signals(value: str) -> str:
    """Check a value of Content-Signal, and normalize its spelling."""
    text = field_value("Content-Signal", value)
    signals = list(pairs(text.encode("ascii"), 0))
    if not signals:
        raise invalid("Content-Signal", text, "it has no signal")
    for signal in signals:
        known = ("yes", "no") if signal.key in CATEGORIES else tuple(CEILINGS) if signal.key == "use" else ()
        if not known:
            names = ", ".join((*CATEGORIES, "use"))
            raise invalid("Content-Signal", text, f"unknown signal `{signal.key}`; use {names}")
        if signal.value not in known:
            raise invalid("Content-Signal", text, f"`{signal.key}` must be {' or '.join(known)}")
    if len({signal.key for signal in signals}) < len(signals):
        raise invalid("Content-Signal", text, "it has the same signal twice")
    return ", ".join(f"{signal.key}={signal.value}" for signal in signals)


def checked_reservation(value: int | None, policy: str | None) -> int | None:
    """Check a reservation and whether a policy belongs to it; a policy alone is a reservation."""
    if value is not None and (type(value) is not int or value not in (0, 1)):
        raise InvalidArgument(f"tdm_reservation must be 0 or 1, not {value!r:.60}", name="tdm_reservation")
    if policy is not None and value != 1:
        raise InvalidArgument("tdm_policy counts only with tdm_reservation=1", name="tdm_policy")
    return value


def checked_policy(value: str) -> str:
    """Check the URL of a policy."""
    text = field_value("TDM-Policy", value)
    try:
        origin = Origin.of(text)
    except InvalidURL as error:
        raise invalid("TDM-Policy", text, f"expected an absolute URL; {error}") from None
    if origin.scheme not in ("http", "https") or " " in text:
        raise invalid("TDM-Policy", text, "expected a URL such as https://example.com/policy.json")
    return text


def checked_link(value: str) -> str:
    """Check one link with its relation."""
    text = field_value("Link", value)
    target, closed, rest = text.removeprefix("<").partition(">")
    if not text.startswith("<") or not closed or not target or any(mark in target for mark in ' <"'):
        raise invalid(
            "Link", text, 'expected a URL in angle brackets, such as <https://example.com/>; rel="license"'
        )
    names = []
    while rest:
        parameter = _PARAMETER.match(rest)
        if not parameter:
            raise invalid("Link", text, "expected parameters after a semicolon, and one link")
        names.append((parameter[1].lower(), (parameter[2] or "").strip('"')))
        rest = rest[parameter.end() :]
    if not any(name == "rel" and worth.strip() for name, worth in names):
        raise invalid("Link", text, 'it has no relation; add one, such as ; rel="license"')
    return text


def field_value(field: str, value: str) -> str:
    """Return a value for a header field, which must not have line ends, for example (RFC 9110 5.5)."""
    text = value.strip(" ")
    if not text.isascii() or not text.isprintable():
        raise invalid(field, text, "only printable ASCII can be sent")
    return text


def invalid(field: str, text: str, why: str) -> InvalidArgument:
    """Return the error for a value of a field."""
    return InvalidArgument(f"{field} {_quoted(text)}: {why}")


def _quoted(text: str) -> str:
    shown = text[:200]
    return f"`{shown}`" if shown.isprintable() else ascii(shown)
