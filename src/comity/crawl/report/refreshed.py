"""The section of the report about the last refresh."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from ...protocol.moment import rfc3339
from ..job.interface import JobReport
from ..refresh.summary import summary
from .tables import Tables, file_address

#: Finding -> its label in the report; unchanged pages are only counted.
_LABELS = {
    "new": "new",
    "changed": "changed",
    "gone": "gone",
    "refused": "now disallowed",
    "unlinked": "not linked any more",
}


def refreshed(job: JobReport, logs: Sequence[Path], files: str | None, tables: Tables) -> Iterator[str]:
    """Yield the counts of the last refresh, and its new, changed and missing pages.

    `files` is the address of the job's folder, as for `report`.
    """
    found = summary(job, logs)
    if found is None:
        return
    counts = [f"{len(getattr(found, name) or ()):,} {label}" for name, label in _LABELS.items()]
    started = "" if found.started is None else f", started {rfc3339(found.started)}"
    yield f"<p>Refresh {found.number}{started}: {len(found.unchanged):,} unchanged, {', '.join(counts)}.</p>"
    rows = (
        (label, page.url, page.reason or "", file_address(files, page.file) if page.file else "")
        for name, label in _LABELS.items()
        for page in getattr(found, name) or ()
    )
    yield tables.table("refresh", ("finding", "@page", "reason", "@file"), rows)
