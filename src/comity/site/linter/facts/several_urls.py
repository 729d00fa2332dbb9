"""The value of a Sitemap line -> the beginnings of the URLs in it, if it has several."""

import re

_URL = re.compile(rb"https?://", re.IGNORECASE)


def starts_of_urls(value: bytes) -> list[int]:
    """Return where the URLs of a value begin; empty if it is one URL, or begins with something else.

    >>> starts_of_urls(b"https://example.com/a.xml https://example.com/b.xml")
    [0, 26]
    >>> starts_of_urls(b"https://example.com/get?url=https://example.com/b.xml")
    []
    """
    starts = [found.start() for found in _URL.finditer(value)]
    return starts if len(starts) > 1 and starts[0] == 0 and _separate(value, starts) else []


def _separate(value: bytes, starts: list[int]) -> bool:
    """Return whether the further URLs follow a separator or the end of a file name."""
    return all(
        value[:start].endswith((b" ", b"\t", b",", b";", b"|", b".xml", b".gz", b".txt"))
        for start in starts[1:]
    )
