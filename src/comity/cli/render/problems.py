"""Messages about a file, limited in number, so that one mistake on each line does not fill the terminal."""

import re
from collections import Counter
from collections.abc import Iterable

from ..terminal import echo

#: Maximum number of messages of one kind that are printed; the rest are only counted.
_OF_ONE_KIND = 20

#: Maximum number of messages that are printed; the rest are only counted.
_MOST = 200

#: The varying parts of a message: quoted text and numbers.
_VARYING = re.compile(r"`[^`]*`|'[^']*'|\"[^\"]*\"|[\d,]+")


def echo_problems(messages: Iterable[str], *, label: str) -> None:
    """Print messages to standard error: at most 20 of a kind and 200 in all, and the number of others.

    `label` begins each line, such as "Error".
    """
    printed: Counter[str] = Counter()
    omitted: Counter[str] = Counter()
    first: dict[str, str] = {}
    for message in messages:
        place, _, problem = message.partition(": ")
        kind = _VARYING.sub("", problem or place)
        if printed[kind] < _OF_ONE_KIND and printed.total() < _MOST:
            first.setdefault(kind, place)
            printed[kind] += 1
            echo(f"{label}: {message}", err=True)
        else:
            omitted[kind] += 1
    for kind, place in first.items():
        if more := omitted.pop(kind, 0):
            echo(f"{label}: {more:,} more like the one at {place}", err=True)
    if more := omitted.total():
        echo(f"{label}: {more:,} more of other kinds", err=True)
