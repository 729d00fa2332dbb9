"""Open the job of `comity crawl`, in a local folder or on a Redis server."""

import json
import sqlite3
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from uuid import uuid4

import click

from ..errors import InvalidArgument
from ..protocol import printable

if TYPE_CHECKING:
    from ..crawl.job import Job, LinkRequest

#: The file of a job in its folder.
_JOB = "job.sqlite3"


class NewJob(NamedTuple):
    """The options and start URLs of a new job."""

    options: dict[str, Any]
    requests: "Sequence[LinkRequest]"


class JobError(click.ClickException):
    """The job is unavailable; its results are kept."""

    exit_code = 3


class OpenJob(NamedTuple):
    """An open job, the folder for its pages, and the store of its robots.txt files."""

    job: "Job"
    folder: Path
    store: str

    @property
    def options(self) -> dict[str, Any]:
        """The options that the job was created with."""
        options = self.job.metadata()["options"]
        assert isinstance(options, dict)  # noqa: S101  # as it was written
        return options

    @property
    def is_shared(self) -> bool:
        """Whether the job is on a Redis server, for several workers."""
        return self.job.worker is not None

    @property
    def private_hosts(self) -> set[str]:
        """The hosts that may be in a private network: a person named them."""
        from ..crawl.selection import named_host

        found: Any = self.job.metadata().get("private_hosts", ())
        return {*found, *map(named_host, self.options.get("private_hosts", ()))}


def folder_of(name: str | None, server: str | None, new: NewJob | None) -> Path:
    """Return the folder of a job, by its name or its first URL; raises `click.UsageError`."""
    if new is not None:
        from ..crawl.output import name_of

        folder = Path(name or name_of(new.requests[0].url).partition("/")[0])
        if server is None:
            _check_new(folder)
    elif server is not None:
        if not name:
            raise click.UsageError(
                "--resume and --refresh with --redis need the name of the job, as --job NAME"
            )
        folder = Path(name)
    else:
        folder = Path(name) if name else _only_job()
        if not (folder / _JOB).exists():
            shown = printable(str(folder))
            if (folder / "worker-1").exists():
                raise click.UsageError(
                    f"{shown}: this job is shared; add its server, as --redis URL or COMITY_REDIS"
                )
            raise click.UsageError(f"{shown}: not a job: it has no {_JOB}")
    if server is not None and (folder / _JOB).exists():
        raise click.UsageError(
            f"{printable(str(folder))}: this job is not shared; leave out --redis and COMITY_REDIS, or use "
            "another --job"
        )
    return folder


def _check_new(folder: Path) -> None:
    """Reject a folder that contains something other than a job."""
    if folder.exists() and not (folder / _JOB).exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise click.UsageError(f"{printable(str(folder))}: exists, but is not a job; use another --job")


def _only_job() -> Path:
    found = sorted(path.parent for path in Path().glob(f"*/{_JOB}"))
    if len(found) != 1:
        jobs = ", ".join(map(str, found)) or "none"
        raise click.UsageError(
            f"--resume and --refresh need the job, as --job NAME; jobs here: {printable(jobs)}"
        )
    return found[0]


@contextmanager
def open_job(folder: Path, server: str | None, new: NewJob | None) -> Iterator[OpenJob]:
    """Open a job, and create it if it is new; without `new` it must exist.

    A shared job uses the first worker folder below `folder` that no other process has locked.
    """
    from ..crawl.job import JobUnavailable

    try:
        if server is None:
            from ..crawl.job import SQLiteJob
            from ..files import create_guarded_folder

            create_guarded_folder(folder)
            with SQLiteJob(folder / _JOB) as job:
                _create_or_check(job, new, folder)
                yield OpenJob(job, folder, str(folder / "robots.sqlite3"))
        else:
            from ..crawl.job import Worker
            from ..crawl.output import recover

            _check_server(server, _shared_name(folder))  # before the folder of a worker is created
            with (
                Worker.lock(folder) as worker,
                _redis_job(server, _shared_name(folder), worker.name) as shared,
            ):
                _create_or_check(shared, new, folder)
                identifier = str(shared.metadata()["id"])
                worker.assign(identifier)
                for other in Worker.others(folder):  # a killed worker may never return
                    if other.belongs_to(identifier):
                        recover(other.folder, shared.metadata_of(other.name))
                yield OpenJob(shared, worker.folder, server)
    except JobUnavailable as error:
        raise JobError(printable(str(error))) from None
    except sqlite3.Error as error:  # damaged text, for example, is found when rows are read
        raise JobError(printable(f"{folder / _JOB}: {error}")) from None
    except OSError as error:
        raise JobError(printable(f"{folder}: {error.strerror or error}")) from None


def _shared_name(folder: Path) -> str:
    """Return the name of a shared job: its folder as given, which is the same on all machines."""
    name = folder.as_posix() if folder.name else folder.resolve().name
    if not name.isprintable():
        raise click.UsageError(f"--job {printable(name)}: not a valid name for a shared job")
    return name


def _check_server(server: str, name: str) -> None:
    """Raise `JobUnavailable` if the server cannot be reached, and `click.UsageError` for an invalid URL."""
    from ..crawl.job import JobClient

    with _valid_server():
        JobClient(server, name, None).store.close()


def _redis_job(server: str, name: str, worker: str) -> Any:
    from ..crawl.job import RedisJob

    with _valid_server():
        return RedisJob(server, name, worker)


@contextmanager
def _valid_server() -> Iterator[None]:
    try:
        yield
    except InvalidArgument as error:
        raise click.UsageError(printable(str(error.under("--redis")))) from None


def _create_or_check(job: "Job", new: NewJob | None, folder: Path) -> None:
    """Create a job, or check that an existing one has the same options."""
    from ..crawl.job import host_of
    from ..crawl.selection import without_public_address

    if new is None:
        if not job.metadata():
            raise click.UsageError(f"{printable(str(folder))}: this job was never started; name its URLs")
        return
    options, requests = new
    hosts = {host_of(one.origin) for one in requests}
    private = [] if job.metadata() else without_public_address(hosts)
    if job.create(
        requests, hosts, options=options, id=uuid4().hex, started=time.time(), private_hosts=private
    ):
        return
    created: Any = job.metadata()["options"]
    changed = [name for name, value in options.items() if created.get(name) != value]
    if changed:
        values = ", ".join(f"{name.replace('_', '-')}: {json.dumps(created.get(name))}" for name in changed)
        raise click.UsageError(
            printable(f"{folder}: started with other options ({values}); use --resume, or another --job")
        )
