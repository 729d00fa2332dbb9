"""Find the causes of different answers, and check them: without the cause, the other parser must agree."""

import time
from collections.abc import Iterator, Sequence
from typing import TypeAlias

from ...protocol.robotstxt.engine.dialect import Dialect
from .asking import answers_of
from .clauses import Candidate, Clauses
from .edits import Question

#: The section of a standard, and its sentence about the case.
Cause: TypeAlias = tuple[str | None, str]

#: The cause of a difference that no clause explains.
NOT_FOUND: Cause = None, "the cause was not found"

#: Maximum number of different questions whose causes are looked up, and of candidates for each.
_QUESTIONS, _CANDIDATES = 100, 10

#: Maximum size in bytes of the files of one process.
_BYTES = 8 << 20


class Causes:
    """Finds causes with one parser, in limited time."""

    def __init__(self, parser: str, timeout: float | None) -> None:
        self._parser = parser
        self._ends = None if timeout is None else time.monotonic() + timeout
        self._clauses: dict[Dialect, Clauses] = {}

    def of(self, questions: Sequence[Question]) -> dict[tuple[str, str], Cause]:
        """Return the causes of different answers, by robot and URL, as far as they are found."""
        kinds: dict[object, list[Question]] = {}
        for question in questions:
            kinds.setdefault(_kind(question), []).append(question)
        found: dict[tuple[str, str], Cause] = {}
        unexplained = [(same[0], self._candidates(same[0])) for same in list(kinds.values())[:_QUESTIONS]]
        for _ in range(_CANDIDATES):
            tried = [(question, next(candidates, None)) for question, candidates in unexplained]
            found |= self._confirmed(tried)
            unexplained = [
                pair
                for pair, (question, candidate) in zip(unexplained, tried, strict=True)
                if candidate is not None and question.key not in found
            ]
        # The others of a kind probably have the same cause; each of them is checked.
        likely = [
            (other, self._candidate(other, found[same[0].key]))
            for same in kinds.values()
            for other in same[1:]
            if same[0].key in found
        ]
        return found | self._confirmed(likely)

    def _candidates(self, question: Question) -> Iterator[Candidate]:
        dialect = question.robots.dialect
        clauses = self._clauses.get(dialect) or self._clauses.setdefault(dialect, Clauses(dialect))
        for candidate in clauses.candidates(question):
            if self._is_over:
                return
            yield candidate

    def _candidate(self, question: Question, cause: Cause) -> Candidate | None:
        """Return the candidate for a question that has this cause."""
        return next((one for one in self._candidates(question) if (one.section, one.sentence) == cause), None)

    def _confirmed(self, tried: Sequence[tuple[Question, Candidate | None]]) -> dict[tuple[str, str], Cause]:
        """Return the causes without which the other parser agrees."""
        files: dict[bytes, list[tuple[Question, Candidate]]] = {}
        size = 0
        for question, candidate in tried:
            if candidate is not None and size < _BYTES:
                size += 0 if candidate.body in files else len(candidate.body)
                files.setdefault(candidate.body, []).append((question, candidate))
        if not files or self._is_over:
            return {}
        asked = [(body, [(q.agent, one.url) for q, one in each]) for body, each in files.items()]
        left = None if self._ends is None else max(self._ends - time.monotonic(), 0.1)
        answers, _ = answers_of(self._parser, asked, left)
        pairs = [pair for each in files.values() for pair in each]
        return {
            question.key: (candidate.section, candidate.sentence)
            for (question, candidate), answer in zip(pairs, answers, strict=False)
            if answer == question.verdict.allowed
        }

    @property
    def _is_over(self) -> bool:
        return self._ends is not None and time.monotonic() >= self._ends


def _kind(question: Question) -> object:
    """Return what questions with the same cause have in common."""
    return question.agent, question.verdict.line, "//" in question.path, "%" in question.path
