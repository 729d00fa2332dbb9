"""Verify a decision log: the chain of its lines, its decisions, and its gaps."""

import json
from collections.abc import Iterable, Iterator
from pathlib import Path

from ...errors import ComityError
from ...protocol.origin import hostname
from .chain import NOTES, ChainCheck, Finding, Problem
from .chained_file import evidence_folder, read_head
from .gaps import GapCheck
from .reading import RawLine
from .replay import EvidenceError, Replay, judged

#: Number of the last lines with a problem that are in memory, so that a line is counted once.
_RECENT = 5000


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
        self._gaps = GapCheck()
        folders = {file: folder or evidence_folder(Path(file)) for file in self._files}
        replays = {folder: Replay(folder) for folder in folders.values()}
        self._replays = {file: replays[folder] for file, folder in folders.items()}
        self._recent: dict[tuple[str, int], None] = {}
        #: the number of lines, and of those that do not hold
        self.lines: int = 0
        self._line = 0  # of the last file
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
                for problem, detail in self._content(raw):
                    yield self._counted(Finding(raw.file, raw.line, chained.link.number, problem, detail))

    def end(self) -> Iterator[Finding]:
        """Yield the findings about the end of the log."""
        for one in self._chain.end():
            yield self._counted(one)
        file = self._files[-1]
        path = Path(file)
        head, last = read_head(path, self._folder), self._chain.last
        if head is not None:
            if last is None or head[0].number > last.number:
                detail = f"{path.name}.head says that number {head[0].number:,} is the last line"
                yield self._counted(Finding(file, self._line, None, Problem.CUT, detail))
            elif head[0].number == last.number and head[0].hash != last.hash:
                detail = f"{path.name}.head has another hash for it"
                yield self._counted(Finding(file, self._line, last.number, Problem.ALTERED, detail))
        for missing in sorted(self._anchors - self._chain.found_anchors):
            detail = f"no line has the hash {missing} of the anchor"
            yield self._counted(Finding(file, self._line, None, Problem.CUT, detail))

    @property
    def holds(self) -> bool:
        """Whether every line holds, and none is missing."""
        return all(problem in NOTES for problem in self.counts)

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
            "gaps": self._gaps.compared,
            "last_number": None if last is None else last.number,
            "last_hash": None if last is None else last.hash,
        }

    def _counted(self, finding: Finding) -> Finding:
        self.counts[finding.problem] = self.counts.get(finding.problem, 0) + 1
        key = finding.file, finding.line
        if finding.problem not in NOTES and finding.problem is not Problem.CUT and key not in self._recent:
            self.failed += 1
            self._recent[key] = None
            if len(self._recent) > _RECENT:
                del self._recent[next(iter(self._recent))]
        return finding

    def _content(self, raw: RawLine) -> list[tuple[Problem, str]]:
        """Return the problems of the content of a line with a correct hash."""
        try:
            record = json.loads(raw.text)
            replay = self._replays[raw.file]
            try:
                rules = replay.rules(record)
            except EvidenceError as error:
                return [(Problem.EVIDENCE, str(error))]
            found = replay.problems(record, rules)
            if record["sent"] is not None:
                early = self._gaps.problem(hostname(judged(record["url"])), record, rules)
                if early is not None:
                    found.append((Problem.GAP, early))
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError, ComityError) as error:
            return [(Problem.DECISION, f"the line cannot be read: {type(error).__name__}: {error}"[:200])]
        return found
