"""Delete the files that other workers have replaced."""

from pathlib import Path

from ..job.interface import Job
from ..output.mirror import MIRROR, Mirror


def remove_replaced(job: Job, folder: Path) -> None:
    """Delete the files of a worker's folder whose newer copies are in the folders of other workers."""
    mirror = Mirror(folder / MIRROR)
    for page in job.results():
        if page.result.file is not None and page.result.worker not in (None, job.worker):
            mirror.remove(page.result.file)
