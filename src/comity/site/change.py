"""What `comity.diff` answers: what changes for which robots."""

from ..protocol.robotstxt.verdict import printable
from ..protocol.value import Value
from .shift import Shift

__all__ = ["Change", "Diff"]


class Change(Value):
    """What changes for some robots; true if anything does.

    `agents` are the robots, "*" for any that neither file names: both files say the same to all of them, so
    the lines that are told are those for the first. `closed` and `opened` are the sets of paths that change.
    Where `exact` is true they are all there are, and each witness is as short as can be. Where it is
    false, `doubt` says why: what is told is true, and there may be more. `states` is how much of the bound
    was used. `urls_closed` and `urls_opened` count the caller's URLs, `None` where there were none to count.
    """

    __slots__ = ("agents", "closed", "opened", "exact", "doubt", "states", "urls_closed", "urls_opened")
    agents: tuple[str, ...]
    closed: tuple[Shift, ...]
    opened: tuple[Shift, ...]
    exact: bool
    doubt: str
    states: int
    urls_closed: int | None
    urls_opened: int | None

    def __bool__(self) -> bool:
        return bool(self.closed or self.opened or self.urls_closed or self.urls_opened)

    @property
    def who(self) -> str:
        """The robots in words."""
        return ", ".join("any other robot" if agent == "*" else printable(agent) for agent in self.agents)

    def record(self) -> dict[str, object]:
        """Give it as JSON has it."""
        return {
            "agents": [printable(agent) for agent in self.agents],
            "changes": bool(self),
            "closed": [shift.record() for shift in self.closed],
            "opened": [shift.record() for shift in self.opened],
            "exact": self.exact,
            "doubt": self.doubt or None,
            "urls_closed": self.urls_closed,
            "urls_opened": self.urls_opened,
        }


class Diff(Value):
    r"""What changes between two files, robot by robot; true if anything does.

    `changes` has a `Change` for all robots that were asked for, those for whom nothing changes included.
    `urls` is how many URLs were judged by both files, `not_urls` how many could not be; `None` if none were
    given.

    >>> import comity
    >>> changes = comity.diff("User-agent: A\nDisallow:", "User-agent: A\nDisallow: /a", urls=["/", "/a"])
    >>> [(change.agents, bool(change), change.urls_closed) for change in changes.changes]
    [(('*',), False, 0), (('A',), True, 1)]
    """

    __slots__ = ("dialect", "changes", "urls", "not_urls")
    dialect: str
    changes: tuple[Change, ...]
    urls: int | None
    not_urls: int | None

    def __bool__(self) -> bool:
        return any(self.changes)

    @property
    def exact(self) -> bool:
        """Whether what is told is all, and certain: so a false and exact `Diff` says that nothing changes."""
        return all(change.exact for change in self.changes)

    def explain(self) -> str:
        """Say it for a person: a line for each set of paths, under the robots that it changes for."""
        lines: list[str] = []
        for change in self.changes:
            if change or not change.exact:
                lines.append(f"{change.who}:")
                lines += [f"  {shift.explain()}" for shift in (*change.closed, *change.opened)]
                if self.urls is not None:
                    lines.append(
                        f"  of {self.urls:,} URLs, {change.urls_closed:,} are closed and "
                        f"{change.urls_opened:,} are opened"
                    )
                if change.doubt:
                    lines.append(f"  not exact: {change.doubt}")
        return "\n".join(lines) or "nothing changes"

    def record(self) -> dict[str, object]:
        """Give it as JSON has it."""
        return {
            "changes": bool(self),
            "exact": self.exact,
            "dialect": self.dialect,
            "urls": self.urls,
            "not_urls": self.not_urls,
            "agents": [change.record() for change in self.changes],
        }
