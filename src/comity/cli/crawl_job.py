"""Opens the job that `comity crawl` is about: in a folder of this machine, or on a Redis server."""

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from uuid import uuid4

import click

from ..protocol.robotstxt.verdict import printable

if TYPE_CHECKING:
    from ..crawl.job.entry import Want
    from ..crawl.job.interface import Job

__all__ = ["Beginning", "Home", "NoJob", "folder_of", "opened"]

#: The file of a job in its folder.
_JOB = "job.sqlite3"


class Beginning(NamedTuple):
    """What a job is begun with: its options as they are kept, and where it begins."""

    options: dict[str, object]
    wants: "Sequence[Want]"


class NoJob(click.ClickException):
    """A job that cannot be worked on now; what it knows is kept."""

    exit_code = 3


class Home(NamedTuple):
    """A job that is open, the folder for its pages, and the store of its robots.txt files."""

    job: "Job"
    folder: Path
    store: str

    @property
    def options(self) -> dict[str, Any]:
        """What the job was begun with."""
        options = self.job.facts()["options"]
        assert isinstance(options, dict)  # noqa: S101  # as it was written
        return options


def folder_of(name: str | None, server: str | None, beginning: Beginning | None) -> Path:
    """Give the folder of a job by its name or by where it begins; raises `click.UsageError` if it is none."""
    if beginning is not None:
        from ..crawl.output.mirror import name_of

        folder = Path(name or name_of(beginning.wants[0].url).partition("/")[0])
        if server is None:
            _check_new(folder)
    elif server is not None:
        if not name:
            raise click.UsageError("say which job of the server to resume, by --job")
        folder = Path(name)
    else:
        folder = Path(name) if name else _only_job()
        if not (folder / _JOB).exists():
            told = printable(str(folder))
            if (folder / "worker-1").exists():
                raise click.UsageError(f"{told} is of a job that is shared: say its server by --redis")
            raise click.UsageError(f"{told} is no job: it has no {_JOB}")
    if server is not None and (folder / _JOB).exists():
        raise click.UsageError(
            f"{printable(str(folder))} is a job of this machine alone: give another by --job"
        )
    return folder


def _check_new(folder: Path) -> None:
    """Complain of a folder that a job may not have for its own."""
    if folder.exists() and not (folder / _JOB).exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise click.UsageError(f"{printable(str(folder))} is there and is no job: give another by --job")


def _only_job() -> Path:
    found = sorted(path.parent for path in Path().glob(f"*/{_JOB}"))
    if len(found) != 1:
        told = ", ".join(map(str, found)) or "there is none here"
        raise click.UsageError(f"say which job to resume, by --job: {printable(told)}")
    return found[0]


@contextmanager
def opened(folder: Path, server: str | None, beginning: Beginning | None) -> Iterator[Home]:
    """Open a job, and begin it unless it was; without a `beginning` it must have been.

    On a server, the folder is the next one in that of the job that no other process has.
    """
    from ..crawl.job.interface import JobUnusable

    try:
        if server is None:
            from ..crawl.job.sqlite import SQLiteJob

            folder.mkdir(parents=True, exist_ok=True)
            with SQLiteJob(folder / _JOB) as job:
                _begin(job, beginning, folder)
                yield Home(job, folder, str(folder / "robots.sqlite3"))
        else:
            from ..crawl.engine import recover
            from ..crawl.job.redis import RedisJob
            from ..crawl.job.worker import Worker

            with (
                Worker.take(folder) as worker,
                _shared(RedisJob, server, _name_of(folder), worker.name) as shared,
            ):
                _begin(shared, beginning, folder)
                known_as = str(shared.facts()["id"])
                worker.work_on(known_as)
                for other in Worker.others(folder):  # who was killed here may never come back
                    if other.is_of(known_as):
                        recover(other.folder, shared.of_worker(other.name))
                yield Home(shared, worker.folder, server)
    except JobUnusable as error:
        raise NoJob(printable(str(error))) from None
    except OSError as error:
        raise NoJob(printable(f"{folder}: {error.strerror or error}")) from None


def _name_of(folder: Path) -> str:
    """Give the name of a job on a server: its folder as it was given, which is the same on all machines."""
    name = folder.as_posix() if folder.name else folder.resolve().name
    if not name.isprintable():
        raise click.UsageError(f"{printable(name)} is no name for a job that is shared")
    return name


def _shared(kind: Any, server: str, name: str, worker: str) -> Any:
    try:
        return kind(server, name, worker)
    except (TypeError, ValueError) as error:
        raise click.UsageError(f"--redis takes the URL of a server: {printable(str(error))}") from None


def _begin(job: "Job", beginning: Beginning | None, folder: Path) -> None:
    """Begin a job, or see that it was begun in the same way."""
    from ..crawl.address import host_of

    if beginning is None:
        if not job.facts():
            raise click.UsageError(f"{printable(str(folder))} was never begun: name its URLs")
        return
    options, wants = beginning
    if job.create(wants, {host_of(want.origin) for want in wants}, options=options, id=uuid4().hex):
        return
    begun: Any = job.facts()["options"]
    changed = [name for name, value in options.items() if begun.get(name) != value]
    if changed:
        told = ", ".join(f"{name.replace('_', '-')}: {json.dumps(begun.get(name))}" for name in changed)
        raise click.UsageError(
            printable(f"{folder} was begun otherwise ({told}): --resume it, or give another folder by --job")
        )
