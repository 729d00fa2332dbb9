"""What a site says of one path, and what the application says itself -> the header fields of a response."""

from collections.abc import Iterable, Sequence

from ...protocol.page.rules import ALL_ROBOTS, scoped_rules_in
from ...protocol.robotstxt.fields.structured import Malformed, dictionary
from ...protocol.value import Value

__all__ = ["Fields", "united"]

_TAG, _USAGE = "X-Robots-Tag", "Content-Usage"

#: A header field as a response has it: its name, its value.
Line = tuple[str, str]


class Fields(Value):
    """The fields that a site adds to a response; false if there are none.

    `tags` are values of X-Robots-Tag, `usage` members of Content-Usage such as "train-ai=n", a label once.
    """

    __slots__ = ("tags", "usage")
    tags: tuple[str, ...]
    usage: tuple[str, ...]

    def __bool__(self) -> bool:
        return bool(self.tags or self.usage)

    def added_to(self, lines: Iterable[Line]) -> list[Line]:
        """Give the header lines of a response with these fields among them.

        What the application says itself stays: rules of X-Robots-Tag add up, and of Content-Usage any `n`
        counts (draft-ietf-aipref-vocab 7.1).

        >>> said = Fields(("noindex",), ("train-ai=n", "search=y"))
        >>> for line in said.added_to([("X-Robots-Tag", "nosnippet"), ("content-usage", "search=n")]):
        ...     print(line)
        ('X-Robots-Tag', 'noindex')
        ('X-Robots-Tag', 'nosnippet')
        ('Content-Usage', 'search=n, train-ai=n')
        """
        return _with_usage(_with_tags(list(lines), self.tags), self.usage)


def united(several: Iterable[Fields]) -> Fields:
    """Say all that several fields say: rules of X-Robots-Tag add up, and any disallow of a use counts.

    >>> united([Fields(("noindex",), ("search=y",)), Fields(("noindex",), ("search=n", "train-ai=y"))])
    Fields(tags=('noindex',), usage=('search=n', 'train-ai=y'))
    """
    listed = list(several)
    said: dict[str, str] = {}
    # Sorted, `n` stands before `y`; the first of a label counts, so that any disallow does.
    for member in sorted({member for fields in listed for member in fields.usage}):
        said.setdefault(member.partition("=")[0], member)
    return Fields(tuple(dict.fromkeys(tag for fields in listed for tag in fields.tags)), tuple(said.values()))


def _with_tags(lines: list[Line], tags: Sequence[str]) -> list[Line]:
    """Add lines of X-Robots-Tag so that they mean the same when somebody on the way joins all of them.

    A robot's name holds until the next one, so rules for all robots go before the application's lines, and
    those that begin with a name behind them.
    """
    for_all, for_some = [], []
    for tag in tags:
        before, from_name = _parted(tag)
        for_all += [(_TAG, before)] if before else []
        for_some += [(_TAG, from_name)] if from_name else []
    first = next((at for at, line in enumerate(lines) if line[0].lower() == _TAG.lower()), len(lines))
    return [*lines[:first], *for_all, *lines[first:], *for_some]


def _parted(tag: str) -> tuple[str, str]:
    """Part a value before the first name of a robot in it."""
    parts = tag.split(",")
    for end in range(len(parts)):
        if any(scope != ALL_ROBOTS for scope, _ in scoped_rules_in(",".join(parts[: end + 1]))):
            return ",".join(parts[:end]).strip(), ",".join(parts[end:]).strip()
    return tag, ""


def _with_usage(lines: list[Line], members: Sequence[str]) -> list[Line]:
    """Put all that is said of use into one line, as one fault voids all lines together (RFC 9651 4.2)."""
    own = ", ".join(value.strip(" \t") for name, value in lines if name.lower() == _USAGE.lower())
    try:
        labels = dictionary(own.encode("latin-1", "replace")).keys()
    except Malformed:
        # It says nothing, and may have meant to disallow: no allow speaks over it, and nothing is lost if
        # it goes for a disallow.
        own, said = "", [member for member in members if member.endswith("=n")]
    else:
        said = [
            member for member in members if member.endswith("=n") or member.partition("=")[0] not in labels
        ]
    if not said:
        return lines
    kept = [line for line in lines if line[0].lower() != _USAGE.lower()]
    return [*kept, (_USAGE, ", ".join([own, *said] if own else said))]
