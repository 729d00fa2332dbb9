"""The file of `--progress`: the pages of a sitemap that are finished, for a check that continues later."""

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import IO, NamedTuple

from ...protocol.userinfo import without_password
from ..exit_status import UnusableInput
from ..inputs import display_name, unwritable
from ..judging.asked_robots import AskedRobot
from .page_problems import FINDINGS


class PageResult(NamedTuple):
    """The result for one page: whether all robots may fetch it, its problems, and why it was not fetched."""

    url: str
    allowed: bool
    problems: tuple[tuple[str, str], ...]
    failure: str

    @property
    def has_findings(self) -> bool:
        """Whether the page has an error or a warning."""
        return any(severity in FINDINGS for severity, _ in self.problems)


class FinishedPages:
    """The finished pages: those of an earlier run, and a stream for new ones, if there is a file."""

    def __init__(self, finished: dict[str, PageResult], stream: IO[str] | None) -> None:
        self._finished = finished
        self._stream = stream

    def find(self, url: str) -> PageResult | None:
        """Return the result of an earlier run, or None."""
        return self._finished.get(without_password(url))

    def write(self, result: PageResult) -> None:
        """Store a finished page at once. A page that was not reached is checked again next time."""
        if self._stream is not None and not result.failure:
            stored = result._replace(url=without_password(result.url))
            self._stream.write(json.dumps(stored._asdict()) + "\n")
            self._stream.flush()


def finished_pages(
    file: str | None, sitemaps: tuple[str, ...], robots: Mapping[str, AskedRobot]
) -> AbstractContextManager[FinishedPages]:
    """Open the file of finished pages. Raises `UnusableInput` if it belongs to another check."""
    if file is None:
        return nullcontext(FinishedPages({}, None))
    head = {
        "sitemaps": [without_password(sitemap) for sitemap in sitemaps],
        "robots": [
            [agent, *robot.names, robot.ignores_star, str(robot.dialect)] for agent, robot in robots.items()
        ],
    }
    return _opened(file, json.dumps(head))


@contextmanager
def _opened(file: str, head: str) -> Iterator[FinishedPages]:
    finished: dict[str, PageResult] = {}
    try:
        if os.path.exists(file) and os.path.getsize(file):
            with open(file, encoding="utf-8") as stream:
                if stream.readline().rstrip("\n") != head:
                    raise UnusableInput(
                        f"{display_name(file)}: not the progress of this check; "
                        "name another file with --progress"
                    )
                for line in stream:
                    if (result := _result_in(line)) is not None:
                        finished[result.url] = result
        stream = open(file, "a", encoding="utf-8")  # noqa: SIM115  # closed below
    except (OSError, UnicodeDecodeError) as error:
        raise _unusable(file, error) from None
    with stream:
        # An interruption may have cut the last line short, so new lines begin after an empty one.
        stream.write("\n" if stream.tell() else head + "\n")
        yield FinishedPages(finished, stream)


def _unusable(file: str, error: OSError | UnicodeDecodeError) -> UnusableInput:
    if isinstance(error, OSError):
        return unwritable(file, error)
    return UnusableInput(
        f"{display_name(file)}: not a file of finished pages; name another one with --progress"
    )


def _result_in(line: str) -> PageResult | None:
    """Return the page of a line; None for a line that an interruption cut short."""
    try:
        record = json.loads(line)
        problems = tuple((str(severity), str(code)) for severity, code in record["problems"])
        return PageResult(str(record["url"]), bool(record["allowed"]), problems, "")
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
