"""The words by which people are told of a crawl: the same while it runs, at its end and in its report."""

__all__ = ["OUTCOMES", "octets_told", "pages_told", "worded"]

#: What became of a page, by the code that a job and JSON have for it, in the order in which it is told.
OUTCOMES = {
    "stored": "stored",
    "redirect": "redirected",
    "no-page": "answered with an error",
    "failed": "failed",
    "too-large": "too large",
    "disallowed": "disallowed by robots.txt",
    "usage-disallowed": "disallowed for a use",
    "wanted": "wanted",
}


def worded(outcome: str) -> str:
    """Give an outcome in words, whatever its number; one that has none, by its code.

    >>> worded("no-page")
    'answered with an error'
    """
    return OUTCOMES.get(outcome, outcome)


def pages_told(count: int) -> str:
    """Give so many pages in words.

    >>> pages_told(1), pages_told(2000)
    ('1 page', '2,000 pages')
    """
    return "1 page" if count == 1 else f"{count:,} pages"


def octets_told(octets: int) -> str:
    """Give so many octets as a short text.

    >>> octets_told(1_048_576)
    '1.0 MB'
    """
    for unit, name in ((10**9, "GB"), (10**6, "MB"), (10**3, "kB")):
        if octets >= unit:
            return f"{octets / unit:,.1f} {name}"
    return f"{octets} octet{'' if octets == 1 else 's'}"
