"""Verify a decision log: the chain of its lines, its decisions, and its gaps."""

import json
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from ...errors import ComityError, EvidenceError
from ...protocol.origin import hostname
from ..origin_state import AgentRules
from .chain import LOOKAHEAD, NOTES, ChainCheck, Finding, Problem
from .chained_file import evidence_folder, read_head
from .gaps import GapCheck
from .line import Link
from .reading import RawLine
from .replay import Replay, judged
from .version import is_version

#: Number of the last lines with a problem that are in memory, so that a line is counted once.
_RECENT = 5000

#: Number of the last lines whose gaps are not compared yet: the chain may still show that one was altered.
_UNSETTLED = LOOKAHEAD + 4

#: Problems of lines whose times prove nothing about the lines that follow.
_REFUTED = frozenset((Problem.ALTERED, Problem.INSERTED))


class _Unsettled(NamedTuple):
    """A line whose gap is not compared yet."""

    raw: RawLine
    number: int
    record: Mapping[str, object]
    rules: AgentRules | None


class Verification:
    """The verification of the files of one log, from the oldest to the newest.

    `files` are their names, as the lines that are checked have them. `anchors` are hashes of lines that the
    auditor knows from elsewhere. `folder` has the robots.txt files, if it is not next to the files.
    """

    def __init__(
        self, files: Iterable[str], *, anchors: Iterable[str] = (), folder: Path | None = None
    ) -> None:
        self._files = tuple(files)
        self._anchors = frozenset(anchors)
        self._folder = folder
        self._chain = ChainCheck(self._anchors)
        self._head = self._read_head()  # before the lines: a robot may add some meanwhile
        self._gaps = GapCheck()
        folders = {file: folder or evidence_folder(Path(file)) for file in self._files}
        replays = {folder: Replay(folder) for folder in folders.values()}
        self._replays = {file: replays[folder] for file, folder in folders.items()}
        self._recent: dict[tuple[str, int], None] = {}
        self._refuted: dict[tuple[str, int], None] = {}
        self._unsettled: deque[_Unsettled] = deque()
        #: the number of lines, and of those that do not hold
        self.lines: int = 0
        self._line = 0  # of the last file
        #: whether the head or an anchor says which line is the last one; set by `end`
        self.knows_end: bool = False
        self.failed: int = 0
        #: the findings of each problem
        self.counts: dict[Problem, int] = {}

    def check(self, lines: Iterable[RawLine]) -> Iterator[Finding]:
        """Yield the findings about the lines of one file, and count them."""
        for raw in lines:
            self.lines += 1
            self._line = raw.line
            chained, found = self._chain.add(raw)
            for one in found:
                yield self._counted(one)
            if chained is not None:
                for problem, detail in self._content(raw, chained.link.number):
                    yield self._counted(Finding(raw.file, raw.line, chained.link.number, problem, detail))
                if len(self._unsettled) > _UNSETTLED:
                    yield from self._early(self._unsettled.popleft())

    def end(self) -> Iterator[Finding]:
        """Yield the findings about the end of the log."""
        file = self._files[-1]
        path = Path(file)
        head = self._read_head()
        for one in self._chain.end(head):
            yield self._counted(one)
        last = self._chain.last
        if self._head is not None and (last is None or self._head.number > last.number):
            detail = f"{path.name}.head says that number {self._head.number:,} is the last line"
            yield self._counted(Finding(file, self._line, None, Problem.CUT, detail))
        elif head is not None and last is not None and head.number == last.number and head != last:
            detail = f"{path.name}.head has another hash for it"
            yield self._counted(Finding(file, self._line, last.number, Problem.ALTERED, detail))
        if last is not None:
            by_head = head is not None and head.number >= last.number
            self.knows_end = by_head or last.hash in self._anchors
        for unsettled in self._unsettled:
            yield from self._early(unsettled)
        for missing in sorted(self._anchors - self._chain.found_anchors):
            detail = f"no line has the hash {missing} of the anchor"
            yield self._counted(Finding(file, self._line, None, Problem.CUT, detail))

    @property
    def holds(self) -> bool:
        """Whether every line holds, and none is missing."""
        return all(problem in NOTES for problem in self.counts)

    @property
    def assumptions(self) -> tuple[str, ...]:
        """What the robots assumed about themselves in the decisions that were replayed."""
        return tuple(dict.fromkeys(one for each in self._replays.values() for one in each.assumptions))

    def summary(self) -> dict[str, object]:
        """Return the counts, and the place of the last line, as a dict for JSON."""
        last = self._chain.last
        replays = set(self._replays.values())
        return {
            "holds": self.holds,
            "lines": self.lines,
            "failed": self.failed,
            "problems": {problem.code: count for problem, count in self.counts.items()},
            "replayed": sum(replay.replayed for replay in replays),
            "not_replayed": sum(replay.skipped for replay in replays),
            "robots_txt": len(set().union(*(replay.digests for replay in replays))),
            "assumptions": list(self.assumptions),
            "gaps": self._gaps.compared,
            "end_known": self.knows_end,
            "last_number": None if last is None else last.number,
            "last_hash": None if last is None else last.hash,
        }

    def _read_head(self) -> Link | None:
        """Return the place of the last line by the head, None if there is no head."""
        head = read_head(Path(self._files[-1]), self._folder)
        return None if head is None else head[0]

    def _counted(self, finding: Finding) -> Finding:
        self.counts[finding.problem] = self.counts.get(finding.problem, 0) + 1
        key = finding.file, finding.line
        if finding.problem in _REFUTED:
            _remember(self._refuted, key)
        if finding.problem not in NOTES and finding.problem is not Problem.CUT and key not in self._recent:
            self.failed += 1
            _remember(self._recent, key)
        return finding

    def _content(self, raw: RawLine, number: int) -> list[tuple[Problem, str]]:
        """Return the problems of the decision of a line with a correct hash."""
        try:
            record = json.loads(raw.text, object_pairs_hook=_once_each)
            replay = self._replays[raw.file]
            try:
                if is_version(record):
                    replay.check_version(record)
                    return []
                rules = replay.rules(record)
            except EvidenceError as error:
                return [(Problem.EVIDENCE, str(error))]
            found = replay.problems(record, rules)
            if record["sent"] is not None:
                self._unsettled.append(_Unsettled(raw, number, record, rules))
        except _UNREADABLE as error:
            return [(Problem.DECISION, _unreadable(error))]
        return found

    def _early(self, line: _Unsettled) -> Iterator[Finding]:
        """Yield the finding about the gap before a request, unless its line was altered."""
        raw = line.raw
        if (raw.file, raw.line) in self._refuted:
            return
        try:
            host = hostname(judged(str(line.record["url"])))
            problem, detail = Problem.GAP, self._gaps.problem(host, line.record, line.rules)
        except _UNREADABLE as error:
            problem, detail = Problem.DECISION, _unreadable(error)
        if detail is not None:
            yield self._counted(Finding(raw.file, raw.line, line.number, problem, detail))


#: The errors of a line that has a correct hash, and is not a record.
_UNREADABLE = (ValueError, KeyError, TypeError, AttributeError, RecursionError, ComityError)


def _once_each(fields: list[tuple[str, object]]) -> dict[str, object]:
    """Return an object of a line. Raise `ValueError` for a repeated field: programs read different values."""
    record: dict[str, object] = {}
    for name, value in fields:
        if name in record:
            raise ValueError(f"the field {name!r:.50} is repeated")
        record[name] = value
    return record


def _unreadable(error: Exception) -> str:
    return f"the line cannot be read: {type(error).__name__}: {error}"[:200]


def _remember(recent: dict[tuple[str, int], None], key: tuple[str, int]) -> None:
    """Add a line to a table of limited size."""
    recent[key] = None
    if len(recent) > _RECENT:
        del recent[next(iter(recent))]
