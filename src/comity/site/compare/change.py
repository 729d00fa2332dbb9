"""What `comity.diff` answers: what changes for which robots."""

from collections.abc import Sequence

from ...protocol.robotstxt.verdict import printable
from ...protocol.value import Value
from .field_change import FieldChange
from .path_change import Shift

__all__ = ["Change", "Diff"]

#: So many exceptions leave it true that the whole site is closed, or opened.
_FEW = 3

#: So many robots, and so many examples, are named in a sentence.
_NAMED = 8
_EXAMPLES = 3


class Change(Value):
    """What changes for some robots; true if anything does.

    `agents` are the robots, "*" for any that neither file names: the same changes for all of them, and the
    lines that are told are those for the first. `dialects` are those that they were read by. `closed` and
    `opened` are the sets of paths that change, `fields` what else is said to the robots and changes (if these
    are more than 50,000 for all robots, one for each of the last).

    Where `exact` is true, the sets are all there are, and each witness is as short as can be. Where it is
    false, `doubt` says why: what is told is true, and there may be more. `states` is how much of the bound
    was used. `urls_closed` and `urls_opened` count the caller's URLs, `None` where there were none to count;
    `examples_closed` and `examples_opened` are the first of them, 1,000 each at the most.
    """

    __slots__ = (
        "agents",
        "dialects",
        "closed",
        "opened",
        "fields",
        "exact",
        "doubt",
        "states",
        "urls_closed",
        "urls_opened",
        "examples_closed",
        "examples_opened",
    )
    agents: tuple[str, ...]
    dialects: tuple[str, ...]
    closed: tuple[Shift, ...]
    opened: tuple[Shift, ...]
    fields: tuple[FieldChange, ...]
    exact: bool
    doubt: str
    states: int
    urls_closed: int | None
    urls_opened: int | None
    examples_closed: tuple[str, ...]
    examples_opened: tuple[str, ...]

    def __bool__(self) -> bool:
        return bool(self.closed or self.opened or self.fields or self.urls_closed or self.urls_opened)

    @property
    def headline(self) -> str:
        """Say "closes the whole site", or "opens the whole site", where that is so; else it is empty.

        Up to three patterns may be excepted, and are named.
        """
        for shift in (*self.closed, *self.opened):
            if shift.whole and not shift.unlisted and len(shift.spared) <= _FEW:
                but = f" but for {_and([f'`{pattern}`' for pattern in shift.spared])}" if shift.spared else ""
                return printable(f"{'closes' if shift.closes else 'opens'} the whole site{but}")
        return ""

    def counted(self, total: int, who: str, what: str = "URL") -> list[str]:
        """Say how many of the caller's URLs change to whom, and some of them: a sentence each."""
        many = f"{total:,} {what}{'' if total == 1 else 's'}"
        lines = [f"closes {self.urls_closed or 0:,} of {many} to {who}, opens {self.urls_opened or 0:,}"]
        for what, examples in (("closed", self.examples_closed), ("opened", self.examples_opened)):
            if examples:
                lines.append(printable(f"{what} are, for example, {_and(examples[:_EXAMPLES])}"))
        return lines

    def record(self) -> dict[str, object]:
        """Give it as JSON has it."""
        return {
            "agents": [printable(agent) for agent in self.agents],
            "dialects": list(self.dialects),
            "changes": bool(self),
            "headline": self.headline or None,
            "closed": [shift.record() for shift in self.closed],
            "opened": [shift.record() for shift in self.opened],
            "fields": [change.record() for change in self.fields],
            "exact": self.exact,
            "doubt": self.doubt or None,
            "urls_closed": self.urls_closed,
            "urls_opened": self.urls_opened,
            "examples_closed": [printable(url) for url in self.examples_closed],
            "examples_opened": [printable(url) for url in self.examples_opened],
        }


class Diff(Value):
    r"""What changes between two files, robot by robot; true if anything does.

    `dialect` is the one that the files were read by, `None` if each robot was asked for by its own.
    `changes` has a `Change` for all robots that were asked for, those for whom nothing changes included.
    `fields` are the changes of what stands for the whole file: Sitemap, Host and Clean-param. `named` says
    whether a file has rules for robots by name, so that "*" are the others. `doubt` says why there may
    be robots that were not asked for and to whom something else changes; it is empty where there are none.
    `urls` is how many URLs were judged by both files, `not_urls` how many could not be; `None` if none were
    given.

    >>> import comity
    >>> changes = comity.diff("User-agent: A\nDisallow:", "User-agent: A\nDisallow: /a", urls=["/", "/a"])
    >>> [(change.agents, bool(change), change.urls_closed) for change in changes.changes]
    [(('*',), False, 0), (('A',), True, 1)]
    """

    __slots__ = ("dialect", "changes", "fields", "named", "doubt", "urls", "not_urls")
    dialect: str | None
    changes: tuple[Change, ...]
    fields: tuple[FieldChange, ...]
    named: bool
    doubt: str
    urls: int | None
    not_urls: int | None

    def __bool__(self) -> bool:
        return any(self.changes) or bool(self.fields)

    @property
    def exact(self) -> bool:
        """Whether what is told is all, and certain: so a false and exact `Diff` says that nothing changes."""
        return all(change.exact for change in self.changes) and not self.doubt

    def who(self, *changes: Change) -> str:
        """Give the robots of some of the changes in words: the first few by name."""
        reads = ", as Google reads it"
        google = [self.dialect is None and change.dialects == ("google",) for change in changes]
        others = "any other robot" if self.named else "all robots"
        names = [
            (others + (reads if is_google and not all(google) else "")) if agent == "*" else printable(agent)
            for change, is_google in zip(changes, google, strict=True)
            for agent in change.agents
        ]
        more = len(names) - _NAMED
        told = ", ".join(names[:_NAMED]) + (f" and {more:,} more" if more > 0 else "")
        return told + (reads if all(google) else "")

    def explain(self) -> str:
        """Say it for a person: a line for each set of paths, under the robots that it changes for."""
        lines: list[str] = []
        for change in self.changes:
            if change or not change.exact:
                lines.append(f"{self.who(change)}:")
                lines += [f"  {change.headline}"] if change.headline else []
                lines += [f"  {shift.explain()}" for shift in (*change.closed, *change.opened)]
                lines += [f"  {field.explain()}" for field in change.fields]
                if self.urls is not None:
                    lines += [f"  {line}" for line in change.counted(self.urls, self.who(change))]
                if change.doubt:
                    lines.append(f"  not exact: {change.doubt}")
        if self.fields:
            lines.append("the whole file:")
            lines += [f"  {field.explain()}" for field in self.fields]
        if self.doubt:
            lines.append(f"not exact: {self.doubt}")
        return "\n".join(lines) or "nothing changes"

    def record(self) -> dict[str, object]:
        """Give it as JSON has it."""
        return {
            "changes": bool(self),
            "exact": self.exact,
            "doubt": self.doubt or None,
            "dialect": self.dialect,
            "urls": self.urls,
            "not_urls": self.not_urls,
            "agents": [change.record() for change in self.changes],
            "fields": [change.record() for change in self.fields],
        }


def _and(words: Sequence[str]) -> str:
    return " and ".join(filter(None, [", ".join(words[:-1]), *words[-1:]]))
