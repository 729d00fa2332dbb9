"""A job: which pages are wanted, under way and done, and what became of each; the door to its homes.

A `SQLiteJob` is a file of one machine, on which one process works; a `RedisJob` is on a Redis server, and any
number of machines work on it. Whoever is killed at any moment leaves each change made or not made; what was
under way then is wanted again, and what was stored is stored once.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Protocol

from ...errors import ComityError
from ...politeness.pace import Demand, Wait
from .entry import Entry, Omission, Result, Want

__all__ = ["CUT_OFF", "LEASE", "OMISSIONS", "Job", "JobUnusable"]

#: So many links of each reason that were left out are kept with it; of the others there is the count.
OMISSIONS = 20_000

#: Seconds for which a server is taken to go on with a request whose crawl was killed.
CUT_OFF = 1.0

#: Seconds after which others take what is under way somewhere, unless that is renewed.
LEASE = 30.0


class JobUnusable(ComityError, OSError):
    """A job that cannot be worked on: its home is not to be had, or somebody else's."""


class Job(Protocol):
    """What a crawl asks of its job. Any method raises `JobUnusable` where its home is not to be had."""

    #: seconds after which others take what is under way here, unless it is renewed
    lease: float

    def close(self) -> None:
        """Let go of the job; what is under way here is wanted again."""

    # What the job is ------------------------------------------------------------------------------

    def facts(self) -> dict[str, object]:
        """Give what was written down of the job itself."""

    def create(self, wants: Iterable[Want], hosts: Iterable[str], **facts: object) -> bool:
        """Begin a job, at once or not at all; `False` if it was begun before, which leaves it as it is."""

    def tell(self, **facts: object) -> None:
        """Write down something of the job itself."""

    def hosts(self) -> set[str]:
        """Give the hosts that the crawl began at."""

    def mine(self) -> dict[str, object]:
        """Give what was written down of what this folder has of the job."""

    def keep(self, **mine: object) -> None:
        """Write down something of what this folder has of the job."""

    # What is wanted -------------------------------------------------------------------------------

    def add(self, wants: Iterable[Want]) -> None:
        """Want pages that are not wanted yet, nor were; one that is, counts by the shortest way there."""

    def knows(self, url: str) -> bool:
        """Say whether a page is wanted, or was."""

    def due(self) -> tuple[str | None, float]:
        """Give an origin that is to be looked at now, or `None` and the seconds until there may be one."""

    def postpone(self, origin: str, seconds: float) -> None:
        """Have an origin looked at after so many seconds, and not before."""

    def begin(self, origin: str, demand: Demand, limit: int | None) -> Entry | Wait | None:
        """Take the page of an origin that is next, the one with the fewest links from the start.

        `Wait` says that others keep the origin busy, or leave it alone; `None`, that there is none, or that
        with those under way there are `limit` pages stored.
        """

    def renew(self) -> set[str]:
        """Say that what is under way here is so still; to be called several times in `LEASE` seconds.

        Gives the origins of which that is true: a page of any other is somebody else's by now.
        """

    def visit(self, origin: str, demand: Demand) -> str | Wait:
        """Ask for the turn at an origin for one request that is for no page: the holder, or a wait."""

    def visited(self, origin: str, holder: str, pause: float) -> None:
        """Give such a turn back; the origin is left alone for `pause` seconds."""

    def leave(self, origin: str, until: float, why: str) -> None:
        """Leave an origin that has nothing under way for the next run; `until` is in seconds since 1970."""

    def left(self) -> dict[str, tuple[float, str]]:
        """Give the origins that were left, each with the time that it waits for and why."""

    def pending(self, limit: int | None) -> bool:
        """Say whether there is more to be done in this run."""

    def is_full(self, limit: int | None) -> bool:
        """Say whether so many pages are stored, with those that are under way."""

    # What became of it ----------------------------------------------------------------------------

    def finish(
        self,
        entry: Entry,
        result: Result,
        *,
        wants: Iterable[Want] = (),
        omissions: Iterable[Omission] = (),
        hosts: Iterable[str] = (),
        mine: Mapping[str, object] | None = None,
        pause: float = 0.0,
        sent: bool = True,
    ) -> bool:
        """Take what became of a page, with all that it led to; all of that, or nothing.

        The crawl began at `hosts` too; `mine` is written down with it. The origin is left alone for `pause`
        seconds; if nothing was `sent` to it, no gap is due. `False` says that somebody else has the page by
        now, and nothing was taken.
        """

    def defer(
        self,
        entry: Entry,
        *,
        count: bool,
        force: bool = False,
        pause: float = 0.0,
        sent: bool = True,
        leave: tuple[float, str] | None = None,
    ) -> None:
        """Take that a page is wanted still; with `count` it was one of the times that it may be tried.

        With `leave`, which is until when and why, so is all of its origin, in the next run.
        """

    def failed(self, origin: str) -> int:
        """Take that an origin could not be had, and give how many times in a row that is.

        A page that is finished with a status below 500 ends the row.
        """

    def paces(self) -> list[tuple[str, float, float | None]]:
        """Give each origin that was asked: when that ended, and before when it is left alone, since 1970.

        What is shared with others is not among them: `begin` sees to that.
        """

    def reserve(self, entry: Entry, name: str) -> bool:
        """Say whether the file of a page may have a name, and have it kept for it.

        So it is if no other page has it, in whatever case, nor one in its way.
        """

    # What there is to tell ------------------------------------------------------------------------

    def outcomes(self) -> dict[str, int]:
        """Give how many pages had each outcome; those that are wanted still are `"wanted"`."""

    def wanted(self) -> list[tuple[str, int]]:
        """Give the origins that have pages wanted or under way, and how many."""

    def octets(self) -> int:
        """Give the octets of all pages that are stored."""

    def omitted(self) -> dict[str, int]:
        """Give how many links were not followed, by reason."""

    def omissions(self, most: int) -> list[Omission]:
        """Give the links that were not followed and lead to no page that is known otherwise."""

    def results(self) -> Iterator[tuple[str, int, bool, float | None, Result]]:
        """Give each page that is done, in the order of its wish: URL, depth, whether it began, when, what."""
