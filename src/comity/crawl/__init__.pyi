# Written by tools/faces.py.
from .engine import run
from .job_folder import JOB_FILE, NewJob, OpenJob, open_job
from .options import CrawlOptions
from .selection.scope import Scope

__all__ = [
    "CrawlOptions",
    "JOB_FILE",
    "NewJob",
    "OpenJob",
    "Scope",
    "open_job",
    "run",
]
