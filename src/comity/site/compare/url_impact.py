"""URLs, and what two files say to robots -> how many of them change, and which, read once as they come."""

from collections.abc import Iterable, Sequence
from itertools import islice

from ...errors import InvalidURL
from ...protocol.origin import path_and_query
from ...protocol.robotstxt.rules import Rules
from ...protocol.robotstxt.verdict import text_of

__all__ = ["Count", "Tally", "is_url"]

#: So many URLs are judged together.
_BATCH = 1000

#: So many examples are kept of those that a change closes, and of those that it opens.
_EXAMPLES = 1000

#: How an answer changes: from allowed to not, or the other way.
_CLOSED, _OPENED = (True, False), (False, True)


class Count:
    """How many URLs are closed and opened for some robots, and the first of them."""

    __slots__ = ("closed", "examples_closed", "examples_opened", "opened")

    def __init__(self) -> None:
        """Begin with none."""
        self.closed = self.opened = 0
        self.examples_closed: list[str] = []
        self.examples_opened: list[str] = []


class Tally:
    """Counts of URLs: `total` were judged, `wrong` are none, `counts` has one for each pair of rules."""

    __slots__ = ("counts", "total", "wrong")

    def __init__(self, pairs: Sequence[tuple[Rules, Rules] | None], urls: Iterable[str | bytes]) -> None:
        """Judge each URL by both rules of each pair, but for pairs that are known to agree (`None`)."""
        self.counts = [Count() for _ in pairs]
        self.total = self.wrong = 0
        rest = iter(urls)
        while batch := list(islice(rest, _BATCH)):
            good = [url for url in batch if is_url(url)]
            self.total += len(good)
            self.wrong += len(batch) - len(good)
            for pair, count in zip(pairs, self.counts, strict=True):
                if pair is not None:
                    _judge(pair, good, count)


def _judge(pair: tuple[Rules, Rules], urls: Sequence[str | bytes], count: Count) -> None:
    before, after = pair[0].allowed_many(urls), pair[1].allowed_many(urls)
    for url, change in zip(urls, zip(before, after, strict=True), strict=True):
        if change == _CLOSED:
            count.closed += 1
            _keep(count.examples_closed, url)
        elif change == _OPENED:
            count.opened += 1
            _keep(count.examples_opened, url)


def _keep(examples: list[str], url: str | bytes) -> None:
    if len(examples) < _EXAMPLES:
        examples.append(text_of(url) if isinstance(url, bytes) else url)


def is_url(url: str | bytes) -> bool:
    """Say whether this is what a robot can ask for: an absolute URL, or a path that begins with a slash.

    >>> [is_url(url) for url in ("https://example.com/a", "/a", "a", "example.com/a", "mailto:a@example.com")]
    [True, True, False, False, False]
    """
    text = text_of(url) if isinstance(url, bytes) else url
    try:
        path_and_query(text)
    except InvalidURL:
        return False
    return bool(text.strip()) and not text.lstrip().startswith(("?", "#"))
