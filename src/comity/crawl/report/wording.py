"""The words for outcomes, counts and sizes in the progress display and the reports."""

#: Outcome code, in jobs and JSON -> its label, in the order of display.
OUTCOMES = {
    "stored": "stored",
    "checked": "checked",
    "redirect": "redirected",
    "http-error": "HTTP error",
    "failed": "failed",
    "too-large": "too large",
    "disallowed": "disallowed by robots.txt",
    "usage-disallowed": "disallowed for a use",
    "noindex": "left out: noindex",
    "queued": "queued",
}


def outcome_label(outcome: str) -> str:
    """Return the label of an outcome, or its code if it has none.

    >>> outcome_label("http-error")
    'HTTP error'
    """
    return OUTCOMES.get(outcome, outcome)


def page_count(count: int) -> str:
    """Return a number of pages in words.

    >>> page_count(1), page_count(2000)
    ('1 page', '2,000 pages')
    """
    return "1 page" if count == 1 else f"{count:,} pages"


def size_label(size: int) -> str:
    """Return a size in bytes as a short text.

    >>> size_label(1_048_576)
    '1.0 MB'
    """
    for unit, name in ((10**9, "GB"), (10**6, "MB"), (10**3, "kB")):
        if size >= unit:
            return f"{size / unit:,.1f} {name}"
    return f"{size} byte{'' if size == 1 else 's'}"
