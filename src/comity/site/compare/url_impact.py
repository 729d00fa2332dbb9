"""Count the URLs that a change closes and opens; the URLs are read once, in batches."""

from collections.abc import Iterable, Sequence
from itertools import islice

from ...errors import InvalidURL
from ...protocol.origin import path_and_query
from ...protocol.robotstxt.rules import Rules
from ...protocol.text import as_items, to_text

#: Number of URLs judged at once.
_BATCH = 1000

#: Maximum number of examples stored for each change and direction.
_EXAMPLES = 1000

#: The old and the new verdict of a URL that is closed, and of one that is opened.
_CLOSED, _OPENED = (True, False), (False, True)


class UrlCounts:
    """The number of URLs that are closed and opened for some robots, and the first of them."""

    __slots__ = ("closed", "examples_closed", "examples_opened", "opened")

    def __init__(self) -> None:
        self.closed: int = 0
        self.opened: int = 0
        self.examples_closed: list[str] = []
        self.examples_opened: list[str] = []


class UrlImpact:
    """Counts of URLs: `total` valid ones, `invalid` ones, and `counts` for each pair of rules."""

    __slots__ = ("counts", "invalid", "total")

    def __init__(
        self, pairs: Sequence[tuple[Rules, Rules] | None], urls: str | bytes | Iterable[str | bytes]
    ) -> None:
        """Judge each URL by both rules of each pair; None is a pair that is known to agree."""
        self.counts: list[UrlCounts] = [UrlCounts() for _ in pairs]
        self.total: int = 0
        self.invalid: int = 0
        rest = iter(as_items(urls))
        while batch := list(islice(rest, _BATCH)):
            for url in batch:
                if not isinstance(url, (str, bytes)):
                    raise TypeError(f"urls: expected str or bytes, not {type(url).__name__}")
            valid = [url for url in batch if is_url(url)]
            self.total += len(valid)
            self.invalid += len(batch) - len(valid)
            for pair, counts in zip(pairs, self.counts, strict=True):
                if pair is not None:
                    _judge(pair, valid, counts)


def _judge(pair: tuple[Rules, Rules], urls: Sequence[str | bytes], counts: UrlCounts) -> None:
    before, after = pair[0].allowed_many(urls), pair[1].allowed_many(urls)
    for url, verdicts in zip(urls, zip(before, after, strict=True), strict=True):
        if verdicts == _CLOSED:
            counts.closed += 1
            _add_example(counts.examples_closed, url)
        elif verdicts == _OPENED:
            counts.opened += 1
            _add_example(counts.examples_opened, url)


def _add_example(examples: list[str], url: str | bytes) -> None:
    if len(examples) < _EXAMPLES:
        examples.append(to_text(url) if isinstance(url, bytes) else url)


def is_url(url: str | bytes) -> bool:
    """Return whether a robot can request this: an absolute URL, or a path that begins with a slash.

    >>> [is_url(url) for url in ("https://example.com/a", "/a", "a", "example.com/a", "mailto:a@example.com")]
    [True, True, False, False, False]
    """
    text = to_text(url) if isinstance(url, bytes) else url
    try:
        path_and_query(text)
    except InvalidURL:
        return False
    return bool(text.strip()) and not text.lstrip().startswith(("?", "#"))
