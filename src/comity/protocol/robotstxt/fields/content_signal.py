"""Content-Signal (Cloudflare, 2025): `search=yes, ai-input=no, ai-train=no`, in robots.txt or a header.

There is no grammar but the examples of its policy text: pairs of key and value, with commas between. `yes`
grants the use, `no` refuses it, and a key that is not there does neither.
"""

from collections.abc import Iterable, Iterator

from ...value import Value
from ..verdict import Field, text_of
from .statement import Standing, Statement
from .vocabulary import Preference

__all__ = ["ContentSignals", "Signal", "signals_of"]

_VALUES = {"yes": Preference.ALLOW, "no": Preference.DISALLOW}

#: The keys that take yes or no, and the category of use that each means.
CATEGORIES = {"search": "search", "ai-input": "ai-input", "ai-train": "train-ai"}

#: The values of `use`, the ceiling on use: for a moment, to refer to, or without limit; and the
#: categories that lie above each. An index keeps what it holds, and training keeps all.
CEILINGS = {"immediate": ("search", "train-ai"), "reference": ("train-ai",), "full": ()}


class Signal(Value):
    """One pair: key and value in lower case, where it stands in the value of its line, and that line."""

    __slots__ = ("key", "value", "line", "start", "end")
    key: str
    value: str
    line: int
    start: int
    end: int


class ContentSignals(Value):
    r"""What the Content-Signal lines say to one robot.

    `signals` are all pairs in order, `lines` the lines that they stand in, as written. False if there is
    no line.

    >>> import comity
    >>> robots = comity.parse("User-agent: *\nContent-Signal: search=yes, ai-train=no, use=reference")
    >>> signals = robots.rules_for("ExampleBot").content_signals
    >>> signals.search, signals.ai_train, signals.ai_input, signals.use
    (Preference.ALLOW, Preference.DISALLOW, Preference.UNKNOWN, 'reference')
    >>> signals["ai-train"], signals.lines[0].line
    (Preference.DISALLOW, 2)
    """

    __slots__ = ("signals", "lines")
    signals: tuple[Signal, ...]
    lines: tuple[Field, ...]

    def __getitem__(self, key: str) -> Preference:
        """Say what is signalled for "search", "ai-input" or "ai-train"; of a yes and a no, the no."""
        if key not in CATEGORIES:
            raise KeyError(key)
        said = {_VALUES.get(signal.value) for signal in self.signals if signal.key == key}
        if Preference.DISALLOW in said:
            return Preference.DISALLOW
        return Preference.ALLOW if Preference.ALLOW in said else Preference.UNKNOWN

    @property
    def search(self) -> Preference:
        """Whether the content may be indexed, and shown as links with short excerpts."""
        return self["search"]

    @property
    def ai_input(self) -> Preference:
        """Whether the content may be given to models while they answer."""
        return self["ai-input"]

    @property
    def ai_train(self) -> Preference:
        """Whether models may be trained or tuned on the content."""
        return self["ai-train"]

    @property
    def use(self) -> str | None:
        """The ceiling on use: "immediate", "reference" or "full"; of several, the lowest."""
        said = {signal.value for signal in self.signals if signal.key == "use"}
        return next((ceiling for ceiling in CEILINGS if ceiling in said), None)

    @property
    def conflicts(self) -> tuple[str, ...]:
        """The keys that stand more than once with different values."""
        said: dict[str, set[str]] = {}
        for signal in self.signals:
            said.setdefault(signal.key, set()).add(signal.value)
        return tuple(key for key, values in said.items() if len(values) > 1)

    def __bool__(self) -> bool:
        return bool(self.lines)


def pairs(value: bytes, line: int) -> Iterator[Signal]:
    """Take a value apart; a part without `=` has an empty value.

    >>> [(pair.key, pair.value, pair.start, pair.end) for pair in pairs(b"SEARCH = Yes ,ai-train=no,", 1)]
    [('search', 'yes', 0, 12), ('ai-train', 'no', 14, 25)]
    """
    start = 0
    for part in value.split(b","):
        said = part.strip()
        if said:
            begin = start + part.index(said)
            key, _, word = said.partition(b"=")
            yield Signal(
                text_of(key.strip()).lower(), text_of(word.strip()).lower(), line, begin, begin + len(said)
            )
        start += len(part) + 1


def signals_of(lines: Iterable[tuple[int, bytes]]) -> ContentSignals:
    """Gather the lines (number, value) that speak to one robot."""
    signals: list[Signal] = []
    fields: list[Field] = []
    for line, value in lines:
        fields.append(Field("content-signal", text_of(value), line))
        signals += pairs(value, line)
    return ContentSignals(tuple(signals), tuple(fields))


def statements(lines: Iterable[Field], source: str) -> Iterator[Statement]:
    """Give what each line says of each category; a line of a header has no number."""
    for field in lines:
        for signal in pairs(field.value.encode(errors="surrogateescape"), field.line):
            if signal.key in CATEGORIES:
                said = _VALUES.get(signal.value, Preference.UNKNOWN)
                yield _statement(field, source, CATEGORIES[signal.key], said)
            elif signal.key == "use":
                for category in CEILINGS.get(signal.value, ()):
                    yield _statement(field, source, category, Preference.DISALLOW)


def _statement(field: Field, source: str, category: str, said: Preference) -> Statement:
    return Statement(
        vocabulary="content-signal",
        source=source,
        place=field.line if source == "robots.txt" else None,
        text=f"Content-Signal: {field.value}",
        category=category,
        preference=said,
        standing=Standing.SAYS_NEITHER if said is Preference.UNKNOWN else Standing.DECIDES,
        policy=None,
    )
