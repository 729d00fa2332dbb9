"""What an owner says of paths -> the values of header fields, checked before anybody is sent them.

A value that no robot understands would be a page that its owner believes to be closed; so it is an error
where it is written, and not a line that is ignored where it is read.
"""

from collections.abc import Iterator

from ...errors import InvalidArgument
from ...protocol.page.dates import WEEKDAYS
from ...protocol.page.rules import LIMITS, is_known, scoped_rules_in
from ...protocol.robotstxt.fields.content_usage import preference_of
from ...protocol.robotstxt.fields.structured import Malformed, dictionary
from ...protocol.robotstxt.fields.vocabulary import VOCABULARIES, Preference
from ...protocol.value import Value

__all__ = ["HeaderRule"]

#: The labels of all drafts of the vocabulary, the current one's first.
_LABELS = tuple(dict.fromkeys(label for vocabulary in VOCABULARIES.values() for label in vocabulary.labels))


class HeaderRule(Value):
    """The fields that responses for some paths get; `None` leaves a field to other rules.

    `pattern` is a path pattern as in robots.txt, with `*` and `$`. `x_robots_tag` is a list of rules as
    `comity.page_directives` reads them, those for all robots first; `content_usage` a list of labels with `y`
    or `n` (draft-ietf-aipref-vocab 6).

    >>> HeaderRule("/drafts/", x_robots_tag="noindex, nofollow").content_usage is None
    True
    >>> HeaderRule("/*.pdf$", content_usage="train-ai=n,search=y").content_usage
    'train-ai=n, search=y'

    Raises `InvalidArgument` for a pattern that matches nothing and for a value that says nothing, and
    `TypeError` for a value that is not text.
    """

    __slots__ = ("pattern", "x_robots_tag", "content_usage")
    pattern: str
    x_robots_tag: str | None
    content_usage: str | None

    def __init__(
        self, pattern: str, x_robots_tag: str | None = None, content_usage: str | None = None
    ) -> None:
        """Check what is to be said, and of which paths."""
        _check_text("pattern", pattern)
        if x_robots_tag is not None:
            _check_text("x_robots_tag", x_robots_tag)
        if content_usage is not None:
            _check_text("content_usage", content_usage)
        if not pattern.startswith(("/", "*")):
            raise InvalidArgument(
                f"the pattern {pattern!r} matches nothing: it begins with neither `/` nor `*`"
            )
        if "#" in pattern:
            raise InvalidArgument(f"the pattern {pattern!r} matches nothing: no path has a `#`; write %23")
        if x_robots_tag is None and content_usage is None:
            raise InvalidArgument(
                f"the rule for {pattern!r} says nothing: give x_robots_tag or content_usage"
            )
        super().__init__(
            pattern,
            None if x_robots_tag is None else _checked_tag(x_robots_tag),
            None if content_usage is None else _checked_usage(content_usage),
        )


def _check_text(name: str, value: object) -> None:
    if not isinstance(value, str):
        raise TypeError(f"{name} is a str, not {value!r:.60}")


def _checked_tag(value: str) -> str:
    """Check a value of X-Robots-Tag by reading it as robots do."""
    text = _field_value("X-Robots-Tag", value)
    spoken = list(scoped_rules_in(text))
    if not spoken:
        raise _invalid("X-Robots-Tag", text, "it says nothing")
    # A name without a rule after it, or a rule without a name before it: whom does it speak to?
    if any(not name.strip() for part in text.split(",") if ":" in part for name in part.split(":")):
        raise _invalid("X-Robots-Tag", text, "there is nothing before or after a colon")
    if any(len(names) > 1 for names in _names_by_rule(text)):
        raise _invalid("X-Robots-Tag", text, "two names stand in a row, of which the first says nothing")
    if "*" in text:
        raise _invalid("X-Robots-Tag", text, "what is for all robots has no name before it, and comes first")
    for scope, (rule, worth) in spoken:
        if is_known(scope):
            raise _invalid(
                "X-Robots-Tag", text, f"`{scope}` is a rule, and stands where robots have their name"
            )
        if " " in scope:
            raise _invalid("X-Robots-Tag", text, f"no robot has a name with a space, as `{scope}`")
        if not is_known(rule):
            raise _invalid("X-Robots-Tag", text, f"there is no rule `{rule}`")
        if rule in LIMITS and worth is None:
            raise _invalid("X-Robots-Tag", text, f"the value of `{rule}` is missing or cannot be read")
    return text


def _names_by_rule(text: str) -> Iterator[list[str]]:
    """Give the names of robots that stand right before each rule, as `scoped_rules_in` reads them."""
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
    """Check a value of Content-Usage, and write it as its grammar does."""
    text = _field_value("Content-Usage", value)
    try:
        members = dictionary(text.encode("ascii"))
    except Malformed as fault:
        raise _invalid(
            "Content-Usage", text, f"at character {fault.position + 1} there should be {fault}"
        ) from None
    if not members:
        raise _invalid("Content-Usage", text, "it says nothing")
    for label, member in members.items():
        if label not in _LABELS:
            raise _invalid("Content-Usage", text, f"there is no label `{label}`, but {', '.join(_LABELS)}")
        if preference_of(member) is Preference.UNKNOWN:
            raise _invalid("Content-Usage", text, f"`{label}` takes `y` or `n`")
    # What is left has Tokens alone, in which neither of these can stand.
    if ";" in text:
        raise _invalid("Content-Usage", text, "it has a parameter, which nobody reads")
    if text.count(",") + 1 != len(members):
        raise _invalid("Content-Usage", text, "it has a label twice")
    return ", ".join(f"{label}={member.text.decode('ascii')}" for label, member in members.items())


def _field_value(field: str, value: str) -> str:
    """Give a value that can stand in a header field: without ends of lines, above all (RFC 9110 5.5)."""
    text = value.strip(" ")
    if not text.isascii() or not text.isprintable():
        raise _invalid(field, text, "only printable ASCII can be sent")
    return text


def _invalid(field: str, text: str, why: str) -> InvalidArgument:
    return InvalidArgument(f"{field} {_quoted(text)}: {why}")


def _quoted(text: str) -> str:
    shown = text[:200]
    return f"`{shown}`" if shown.isprintable() else ascii(shown)
