"""The references of a page: each once and without its fragment, as written, up to a limit."""

import re
from collections.abc import Iterable

from ...protocol import LineCounter
from ..job.urls import MAX_URL_LENGTH

#: Maximum number of different links, and of different embedded resources, read from one page.
MAX_REFERENCES = 20_000

#: A scheme that a crawl does not request, such as `data:`.
_OTHER_SCHEME = re.compile(r"[\x00-\x20]*+(?!(?i:https?):)[a-zA-Z][a-zA-Z0-9+.\-]*+:")


class References:
    """The references of one kind on a page, in order, with line and whether they may be followed.

    References that are longer than any URL of a crawl are counted, and nothing is built from them. The same
    holds for references beyond the limit, each counted once.

    >>> references = References(LineCounter("<a href=b#1><a href=b#2><a href=mailto:c>"))
    >>> [references.add(href, 0) for href in ("b#1", "b#2", "mailto:c", "d" * 9000)]
    [None, None, None, None]
    >>> references.found, references.too_long
    ({'b': (1, True)}, 1)
    """

    __slots__ = (
        "_dropped",
        "_lines",
        "_most",
        "dropped",
        "dropped_line",
        "found",
        "too_long",
        "too_long_line",
    )

    def __init__(self, lines: LineCounter | None, most: int = MAX_REFERENCES) -> None:
        """Create an empty collection; `lines` counts the lines of the page, `most` is the limit."""
        self._lines = lines
        self._most = most
        #: reference -> its line, and whether it may be followed
        self.found: dict[str, tuple[int | None, bool]] = {}
        #: number of different references beyond the limit, and the line of the first
        self.dropped: int = 0
        self.dropped_line: int | None = None
        self._dropped: set[int] = set()
        #: number of references that are too long, and the line of the first
        self.too_long: int = 0
        self.too_long_line: int | None = None

    def add(self, reference: str, offset: int, follow: bool = True) -> None:
        """Add a reference of the tag at an offset; of equal ones, the first that may be followed counts."""
        if "#" in reference:
            reference = reference[: reference.index("#")]
        known = self.found.get(reference)
        if known is not None:
            if follow and not known[1]:
                self.found[reference] = self._line(offset), True
        elif ":" in reference and _OTHER_SCHEME.match(reference):
            return
        elif len(reference) > MAX_URL_LENGTH:
            self.too_long += 1
            if self.too_long == 1:
                self.too_long_line = self._line(offset)
        elif len(self.found) < self._most:
            self.found[reference] = self._line(offset), follow
        elif (key := hash(reference)) not in self._dropped:
            # After many, repeated ones count again, to bound the memory.
            if len(self._dropped) < 10 * self._most:
                self._dropped.add(key)
            if not self.dropped:
                self.dropped_line = self._line(offset)
            self.dropped += 1

    def add_all(self, references: Iterable[str], offset: int) -> None:
        """Add several references from one place."""
        for reference in references:
            self.add(reference, offset)

    def add_missing(self, other: "References") -> None:
        """Add the references of another form of the page that this one lacks."""
        for reference, (line, follow) in other.found.items():
            if reference in self.found:
                continue
            if len(self.found) < self._most:
                self.found[reference] = line, follow
            else:
                self.dropped += 1

    def _line(self, offset: int) -> int | None:
        return None if self._lines is None else self._lines.of_tag(offset)
