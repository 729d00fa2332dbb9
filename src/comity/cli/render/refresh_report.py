"""Print the summary of a refresh: new, changed, unchanged and gone pages."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ...protocol.moment import rfc3339
from ...protocol.text import printable
from ..terminal import Styled, echo

if TYPE_CHECKING:
    from ...crawl.refresh.summary import Summary, VisitedPage

#: Maximum number of lines per kind; the rest is only counted.
_MAX_LINES = 8


def show_refresh(found: "Summary") -> None:
    """Print the counts of a refresh, and the pages that are new, changed or not there any more."""
    counts = (
        ("new", found.new),
        ("changed", found.changed),
        ("unchanged", found.unchanged),
        ("gone", found.gone),
    )
    text = ", ".join(f"{len(pages):,} {name}" for name, pages in counts)
    echo(f"refresh {found.number}: {text}")
    _show_pages("new", found.new)
    _show_pages("changed", found.changed)
    _show_pages("gone", found.gone, "yellow")
    _show_pages("now disallowed", found.refused, "red")
    _show_pages("not linked any more", found.unlinked or (), "yellow")


def _show_pages(label: str, pages: "Sequence[VisitedPage]", color: str | None = None) -> None:
    for page in pages[:_MAX_LINES]:
        why = "" if page.reason is None else f": {page.reason}"
        kept = "" if not why or page.file is None else f"; its copy stays in {page.file}"
        echo(Styled(printable(f"{label}: {page.url}{why}{kept}"), color))
    if len(pages) > _MAX_LINES:
        echo(f"{len(pages) - _MAX_LINES:,} more {label}")


def refresh_record(found: "Summary | None") -> dict[str, Any] | None:
    """Return the summary of a refresh for JSON."""
    if found is None:
        return None
    return {
        "number": found.number,
        "started": None if found.started is None else rfc3339(found.started),
        "new": _urls(found.new),
        "changed": _urls(found.changed),
        "unchanged": _urls(found.unchanged),
        "gone": [_page(page) for page in found.gone],
        "refused": [_page(page) for page in found.refused],
        "unlinked": None if found.unlinked is None else [_page(page) for page in found.unlinked],
    }


def _urls(pages: "Sequence[VisitedPage]") -> list[str]:
    return [printable(page.url) for page in pages]


def _page(page: "VisitedPage") -> dict[str, Any]:
    reason = None if page.reason is None else printable(page.reason)
    return {"url": printable(page.url), "reason": reason, "file": page.file}
