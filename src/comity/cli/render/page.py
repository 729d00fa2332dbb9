"""The permissions of a page as a table and as JSON."""

from typing import TYPE_CHECKING

from ...protocol.text import printable
from ..terminal import echo, echo_lines
from .table import show_table

if TYPE_CHECKING:
    from ..page_permissions import PagePermissions

_STYLES = {"allowed": "green", "disallowed": "red", "unknown": "yellow"}


def show_page(permissions: "PagePermissions", *, explain: bool) -> None:
    """Print the permissions as a table. With `explain`, print every statement about the page too."""
    page = permissions.page
    found = f", found at {page.url}" if page is not None and page.hops else ""
    status = "not fetched" if page is None else f"{page.status}{found}"
    echo(f"{permissions.url} for {permissions.agent} ({status})")
    if page is not None and page.unavailable_sources:
        echo(f"Incomplete: {page.unavailable_sources}")
    rows = [
        [(row.question, ""), (row.answer, _STYLES[row.answer]), (row.reason, "")]
        for row in permissions.answers()
    ]
    show_table(["", "", "reason"], rows)
    if not explain:
        return
    if page is not None:
        echo_lines(page.directives.explain())
    for statement in [statement for usage in permissions.usages for statement in usage.statements]:
        echo(f"{statement.category} {statement.preference.code}: {statement}: {statement.standing.sentence}")


def page_record(permissions: "PagePermissions") -> dict[str, object]:
    """Return the permissions as JSON."""
    return {
        "url": printable(permissions.url),
        "agent": printable(permissions.agent),
        "allowed": permissions.verdict.allowed,
        "line": permissions.verdict.line,
        "verdict_url": printable(permissions.verdict_url),
        "answers": {
            row.question: {"answer": row.answer, "reason": row.reason, "line": row.line}
            for row in permissions.answers()
        },
        "usage": permissions.usage.record(),
        "page": None if permissions.page is None else permissions.page.record(),
    }
