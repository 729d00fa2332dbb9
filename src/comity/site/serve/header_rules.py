"""Header rules of a site: paths, and the checked values of their header fields.

Robots ignore values that they do not understand. A page with such a value would be open although its owner
believes that it is closed. So a wrong value is an error when the rule is created.
"""

from collections.abc import Iterator

from ...errors import InvalidArgument
from ...protocol.page.dates import WEEKDAYS
from ...protocol.page.rules import LIMITS, is_known, scoped_rules_in
from ...protocol.robotstxt.fields.content_usage import preference_of
from ...protocol.robotstxt.fields.structured import Malformed, dictionary
from ...protocol.robotstxt.fields.vocabulary import VOCABULARIES, Preference
from ...protocol.value import Value

#: The labels of all drafts of the vocabulary, those of the current draft first.
_LABELS = tuple(dict.fromkeys(label for vocabulary in VOCABULARIES.values() for label in vocabulary.labels))


class HeaderRule(Value):
    """The header fields of responses for some paths; None leaves a field to other rules.

    `pattern` is a path pattern as in robots.txt, with `*` and `$`. `x_robots_tag` is a list of rules as
    `comity.page_directives` reads them, with the rules for all robots first. `content_usage` is a list of
    labels with `y` or `n` (draft-ietf-aipref-vocab 6).

    >>> HeaderRule("/drafts/", x_robots_tag="noindex, nofollow").content_usage is None
    True
    >>> HeaderRule("/*.pdf$", content_usage="train-ai=n,search=y").content_usage
    'train-ai=n, search=y'

    Raises `InvalidArgument` for a pattern that matches nothing and for a value without effect, and
    `TypeError` for a value that is not text.
    """

    pattern: str
    x_robots_tag: str | None
    content_usage: str | None

    def __init__(
        self, pattern: str, x_robots_tag: str | None = None, content_usage: str | None = None
    ) -> None:
        _check_text("pattern", pattern)
        if x_robots_tag is not None:
            _check_text("x_robots_tag", x_robots_tag)
        if content_usage is not None:
            _check_text("content_usage", content_usage)
        if not pattern.startswith(("/", "*")):
            raise InvalidArgument(
                f"pattern {pattern!r}: it matches nothing, because it begins with neither `/` nor `*`"
            )
        if "#" in pattern:
            raise InvalidArgument(
                f"pattern {pattern!r}: it matches nothing, because no path has a `#`; write %23"
            )
        if x_robots_tag is None and content_usage is None:
            raise InvalidArgument(
                f"rule for {pattern!r}: it has no field; pass x_robots_tag or content_usage"
            )
        super().__init__(
            pattern,
            None if x_robots_tag is None else _checked_tag(x_robots_tag),
            None if content_usage is None else _checked_usage(content_usage),
        )


def _check_text(name: str, value: object) -> None:
    if not isinstance(value, str):
        raise TypeError(f"{name} must be a str, not {value!r:.60}")


def _checked_tag(value: str) -> str:
    """Check a value of X-Robots-Tag by parsing it as robots do."""
    text = _field_value("X-Robots-Tag", value)
    scoped_rules = list(scoped_rules_in(text))
    if not scoped_rules:
        raise _invalid("X-Robots-Tag", text, "it has no rule")
    # A name without a rule, or a rule without a name: it is unclear which robot is meant.
    if any(not name.strip() for part in text.split(",") if ":" in part for name in part.split(":")):
        raise _invalid("X-Robots-Tag", text, "nothing before or after a colon; write a name and a rule")
    if any(len(names) > 1 for names in _names_by_rule(text)):
        raise _invalid("X-Robots-Tag", text, "two names in a row; the first one has no rule")
    if "*" in text:
        raise _invalid(
            "X-Robots-Tag", text, "`*` is not a name; write the rules for all robots first, without a name"
        )
    for scope, (rule, worth) in scoped_rules:
        if is_known(scope):
            raise _invalid("X-Robots-Tag", text, f"`{scope}` is a rule, but stands in the place of a name")
        if " " in scope:
            raise _invalid("X-Robots-Tag", text, f"`{scope}` cannot be a name, because it has a space")
        if not is_known(rule):
            raise _invalid("X-Robots-Tag", text, f"unknown rule `{rule}`")
        if rule in LIMITS and worth is None:
            raise _invalid("X-Robots-Tag", text, f"the value of `{rule}` is missing or not valid")
    return text


def _names_by_rule(text: str) -> Iterator[list[str]]:
    """Yield the names directly before each rule, as `scoped_rules_in` parses them."""
    parts = iter(text.split(","))
    for part in parts:
        words = [word.strip().lower() for word in part.split(":")]
        end = next((place for place, word in enumerate(words) if word in LIMITS), len(words) - 1)
        if (
            words[end] == "unavailable_after"
            and words[end + 1 :][:1]
            and words[end + 1].rstrip(".") in WEEKDAYS
        ):
            next(parts, "")  # the rest of the date
        yield words[:end]


def _checked_usage(value: str) -> str:
    """Check a value of Content-Usage, and normalize its spelling."""
    text = _field_value("Content-Usage", value)
    try:
        members = dictionary(text.encode("ascii"))
    except Malformed as fault:
        raise _invalid("Content-Usage", text, f"expected {fault} at character {fault.position + 1}") from None
    if not members:
        raise _invalid("Content-Usage", text, "it has no preference")
    for label, member in members.items():
        if label not in _LABELS:
            raise _invalid("Content-Usage", text, f"unknown label `{label}`; use {', '.join(_LABELS)}")
        if preference_of(member) is Preference.UNKNOWN:
            raise _invalid("Content-Usage", text, f"`{label}` must be `y` or `n`")
    # All members are Tokens now, which have neither `;` nor `,` in them.
    if ";" in text:
        raise _invalid("Content-Usage", text, "it has a parameter, which robots ignore")
    if text.count(",") + 1 != len(members):
        raise _invalid("Content-Usage", text, "it has the same label twice")
    return ", ".join(f"{label}={member.text.decode('ascii')}" for label, member in members.items())


def _field_value(field: str, value: str) -> str:
    """Return a value for a header field, which must not have line ends, for example (RFC 9110 5.5)."""
    text = value.strip(" ")
    if not text.isascii() or not text.isprintable():
        raise _invalid(field, text, "only printable ASCII can be sent")
    return text


def _invalid(field: str, text: str, why: str) -> InvalidArgument:
    return InvalidArgument(f"{field} {_quoted(text)}: {why}")


def _quoted(text: str) -> str:
    shown = text[:200]
    return f"`{shown}`" if shown.isprintable() else ascii(shown)
