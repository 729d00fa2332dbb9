"""Check the chain of the lines of a decision log: which were altered, removed, inserted or moved.

A line with the wrong hash was altered. If its hash was computed again, the next line still names the hash
that it had. Numbers show where lines are missing. Some answers need the lines that follow, so a few are read
ahead, and the findings come later.
"""

import re
from collections import deque
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from ...politeness.log_files import (
    NO_HASH,
    SCHEMA,
    START,
    Chained,
    ChainLink,
    RawLine,
    chain_fields,
    hash_with,
)
from ...protocol import Choice, counted


class LineProblem(Choice):
    """A problem of a line: its `code`, such as "altered", and its `sentence`.

    >>> LineProblem.CUT.code, LineProblem.CUT.sentence
    ('cut', 'the end of the log is missing')
    """

    ALTERED = "altered", "the line is not as it was written"
    INSERTED = "inserted", "the line is not part of the chain at this place: it was inserted, copied or moved"
    MISSING = "missing", "lines are missing before this one"
    CUT = "cut", "the end of the log is missing"
    NO_HASH = "no-hash", "the line has no hash, so another program wrote or changed it"
    INCOMPLETE = "incomplete", "the process ended while it wrote the line"
    SCHEMA = "schema", "the format of the line is newer than this version of Comity"
    EVIDENCE = "evidence", "the stored robots.txt is missing or damaged"
    DECISION = "decision", "the robots.txt gives another answer"
    GAP = "gap", "the request was sent too early"


#: Problems that are reported, but do not disprove anything.
NOTES = frozenset((LineProblem.INCOMPLETE,))


class ChainFinding(NamedTuple):
    """A problem of one line: `file` and `line` say where, `number` is the number in the chain if known.

    >>> finding = ChainFinding("decisions.jsonl", 2, 2, LineProblem.ALTERED, "its hash differs")
    >>> finding.record()["problem"]
    'altered'
    """

    file: str
    line: int
    number: int | None
    problem: LineProblem
    detail: str

    def record(self) -> dict[str, object]:
        """Return the finding as a dict for JSON."""
        return {
            "file": self.file,
            "line": self.line,
            "number": self.number,
            "problem": self.problem.code,
            "detail": self.detail,
        }


class _Placed(NamedTuple):
    """A line with a correct hash, and its place in a file."""

    raw: RawLine
    chained: Chained

    @property
    def link(self) -> ChainLink:
        return self.chained.link

    @property
    def names(self) -> ChainLink:
        """The line before, as this line names it."""
        return ChainLink(self.link.number - 1, self.chained.previous)

    def follows(self, before: "_Placed") -> bool:
        """Return whether the line is the next one after another."""
        return self.names == before.link

    def finding(self, problem: LineProblem, detail: str) -> ChainFinding:
        return ChainFinding(self.raw.file, self.raw.line, self.link.number, problem, detail)


class ChainCheck:
    """Checks the lines of one log, which may be in several files, from the first to the last.

    `anchors` are hashes that the auditor knows from elsewhere. Call `add` with each line, and `end` after the
    last one.
    """

    def __init__(self, anchors: frozenset[str] = frozenset()) -> None:
        self._anchors = anchors
        # Lines that are not placed yet, each with the line before as it names it.
        self._ahead: deque[tuple[RawLine, Chained | None, ChainLink | None]] = deque()
        self._head: ChainLink | None = None  # the last line by the head, at the end
        #: the anchors that were found
        self.found_anchors: set[str] = set()
        self._last: _Placed | None = None  # the last line that is in its place
        self._is_confirmed = False  # whether a neighbour names the hash and the number of that line
        # Two lines, the second of which names another hash for the first. One of them was altered.
        self._disagreement: tuple[_Placed, _Placed] | None = None
        self._broken: list[tuple[RawLine, Chained | None]] = []  # damaged lines since the last other one
        self._displaced: dict[int, str] = {}  # the hashes of lines that are not in their place, by number
        self._doubtful: _Placed | None = None  # a line whose place depends on the next one
        self._damaged: list[RawLine] = []  # the damaged lines before it

    @property
    def last(self) -> ChainLink | None:
        """The place of the last line, once `end` was called."""
        return None if self._last is None else self._last.link

    def add(self, raw: RawLine) -> tuple[Chained | None, list[ChainFinding]]:
        """Check a line. Return its chain fields if its hash is correct, and the new findings."""
        chained = None if raw.is_cut else chain_fields(raw.text)
        if chained is None or not chained.is_intact:
            self._ahead.append((raw, chained, _named_by(raw)))
            return None, self._check_first(LOOKAHEAD)
        if self._anchors and chained.link.hash in self._anchors:
            self.found_anchors.add(chained.link.hash)
        placed = _Placed(raw, chained)
        self._ahead.append((raw, chained, placed.names))
        found = self._check_first(LOOKAHEAD)
        if chained.schema > SCHEMA:
            found.append(
                placed.finding(LineProblem.SCHEMA, f"schema {chained.schema}; this Comity reads {SCHEMA}")
            )
            return None, found
        return chained, found

    def _check_first(self, left: int) -> list[ChainFinding]:
        """Check the lines ahead until only `left` of them remain."""
        found: list[ChainFinding] = []
        while len(self._ahead) > left:
            raw, chained, _ = self._ahead.popleft()
            if chained is None or not chained.is_intact:
                found += self._add_broken(raw, chained)
            else:
                found += self._place(_Placed(raw, chained))
        return found

    def end(self, head: ChainLink | None = None) -> list[ChainFinding]:
        """Return the findings about the last lines. `head` is the place of the last line by the head."""
        self._head = head
        found = self._check_first(0)
        if self._doubtful is not None:
            found += self._settle_doubtful(None)
        found += self._settle_disagreement(head)
        found += self._report_broken(None)
        return found

    def _add_broken(self, raw: RawLine, chained: Chained | None) -> Iterator[ChainFinding]:
        if chained is None and self._last is None and self._doubtful is None and _has_no_hash(raw):
            yield ChainFinding(raw.file, raw.line, None, LineProblem.NO_HASH, LineProblem.NO_HASH.sentence)
            return
        yield from self._settle_disagreement(_named_by(raw))
        if len(self._broken) >= _MAX_BROKEN:
            if self._doubtful is not None:
                yield from self._settle_doubtful(None)
            yield from self._report_broken(None)
        self._broken.append((raw, chained))

    def _place(self, line: _Placed) -> Iterator[ChainFinding]:
        """Find the place of a line with a correct hash."""
        if self._doubtful is not None:
            yield from self._settle_doubtful(line)
        yield from self._settle_disagreement(line.names)
        before = self._last
        if before is None:
            damaged = _width(raw for raw, _ in self._broken)
            yield from self._report_broken(line)
            yield from self._begin(line, damaged)
            return
        expected = before.link.number + 1
        if line.follows(before):
            yield from self._report_broken(line)
            if self._has_rival(line):
                yield self._displace(line)
            else:
                self._accept(line, is_confirmed=True)
        elif (original := self._original(line)) is not None and original != line.link:
            if not self._broken and original.number == expected and line.chained.previous != before.link.hash:
                yield before.finding(LineProblem.ALTERED, _HASHED_AGAIN)
            detail = f"its number is {line.link.number:,}, and its place is that of {original.number:,}"
            yield line.finding(LineProblem.ALTERED, detail)
            yield from self._place(line._replace(chained=line.chained._replace(link=original)))
        elif expected <= line.link.number <= expected + _width(raw for raw, _ in self._broken):
            yield from self._report_broken(line)
            if line.link.number == expected:
                self._disagreement = before, line
            self._accept(line)
        elif self._fills_gap(expected, line):
            yield from self._report_broken(line)
            self._accept(line)
        else:
            self._damaged = [raw for raw, _ in self._broken]
            yield from self._report_broken(line)
            self._doubtful = line

    def _settle_disagreement(self, witness: ChainLink | None) -> Iterator[ChainFinding]:
        """Decide which of two lines was altered, by the hash that the next line names for the second.

        If only the field `previous` of the second was changed, the first is as it was written.
        """
        pair, self._disagreement = self._disagreement, None
        if pair is None:
            return
        first, second = pair
        is_explained = (
            witness is not None
            and witness.hash != second.link.hash
            and witness.hash == hash_with(second.raw.text, previous=first.link.hash)
        )
        if not is_explained:
            yield first.finding(LineProblem.ALTERED, _HASHED_AGAIN)

    def _next_lines(self) -> Iterator[tuple[Chained | None, ChainLink | None]]:
        """Yield the next lines, None for a damaged one, each with the line before as it names it."""
        for _, chained, named in self._ahead:
            yield (chained if chained is not None and chained.is_intact else None), named
        yield None, self._head

    def _is_named(self, link: ChainLink) -> bool:
        """Return whether one of the next lines names a line as the one before it."""
        return any(named == link for _, named in self._next_lines())

    def _has_next(self, line: _Placed, following: _Placed | None) -> bool:
        """Return whether one of the lines since the doubtful one comes next after another, by its numbers."""
        since = [_named_by(raw) for raw, _ in self._broken] + [named for _, named in self._next_lines()]
        since.append(None if following is None else following.names)
        return any(named is not None and named.number == line.link.number for named in since)

    def _has_rival(self, line: _Placed) -> bool:
        """Return whether the next lines name another line in the place of this one, and not this one."""
        rivals: set[ChainLink] = set()
        for chained, named in self._next_lines():
            if named == line.link:
                return False
            if named in rivals:
                return True
            if chained is not None and named == line.names:
                rivals.add(chained.link)
        return False

    def _original(self, line: _Placed) -> ChainLink | None:
        """Return where a line was before its number was changed, as the next lines name it, or None."""
        for _, named in self._next_lines():
            if named is not None and hash_with(line.raw.text, number=named.number) == named.hash:
                return named
        return None

    def _fills_gap(self, expected: int, line: _Placed) -> bool:
        """Return whether the lines before this one are in the log, but not in their place."""
        number = line.link.number
        return (
            expected < number <= expected + _MAX_DISPLACED
            and self._displaced.get(number - 1) == line.chained.previous
            and all(each in self._displaced for each in range(expected, number))
        )

    def _displace(self, line: _Placed, detail: str = LineProblem.INSERTED.sentence) -> ChainFinding:
        """Report a line that is not in its place."""
        if len(self._displaced) < _MAX_DISPLACED:
            self._displaced[line.link.number] = line.link.hash
        return line.finding(LineProblem.INSERTED, detail)

    def _begin(self, line: _Placed, damaged: int) -> Iterator[ChainFinding]:
        """Accept the first line of a log that is not damaged."""
        self._accept(line)
        number, previous = line.link.number, line.chained.previous
        if previous in self._anchors and previous != NO_HASH:
            self.found_anchors.add(previous)
        elif number > damaged + 1 or (number == 1) != (previous == NO_HASH):
            before = counted(number - 1, "earlier line is", "earlier lines are")
            detail = f"the log begins with number {number:,}: {before} not here"
            yield line.finding(LineProblem.MISSING, detail)

    def _settle_doubtful(self, following: _Placed | None) -> Iterator[ChainFinding]:
        """Decide about the doubtful line by the line that follows; None if that is damaged, or the end."""
        line, before = self._doubtful, self._last
        self._doubtful = None
        assert line is not None  # noqa: S101  # set by `_place`
        assert before is not None  # noqa: S101  # since then
        expected, damaged = before.link.number + 1, _width(raw for raw, _ in self._broken)
        is_followed = following is not None and following.follows(line)
        is_confirmed = following is not None and (is_followed or self._is_named(line.link))
        place = expected if following is None else following.link.number - 1 - damaged
        is_in_place = following is not None and expected <= place <= expected + _width(self._damaged)
        is_early = line.link.number > expected and not is_followed and self._has_next(before, following)
        if is_early or (following is not None and following.follows(before)):
            yield self._displace(line)
        elif following is not None and is_in_place and not is_confirmed:
            # With its own number, the line has the hash that the next line names: only that was changed.
            if (
                place == before.link.number + 1
                and hash_with(line.raw.text, number=place) == following.chained.previous
                and line.chained.previous != before.link.hash
            ):
                yield before.finding(LineProblem.ALTERED, _HASHED_AGAIN)
            detail = f"its number is {line.link.number:,}, and its place is that of {place:,}"
            yield line.finding(LineProblem.ALTERED, detail)
            # If the next line names the hash that the line had, this is reported already.
            link = ChainLink(place, following.chained.previous)
            self._accept(line._replace(chained=line.chained._replace(link=link)))
        elif line.link.number > expected:
            yield self._missing(expected, line)
            self._accept(line, is_confirmed=is_confirmed)
        elif is_confirmed and line.link.number == 1 and line.chained.previous == NO_HASH:
            detail = "a new chain begins here, and nothing connects it with the lines before"
            yield line.finding(LineProblem.MISSING, detail)
            self._accept(line, is_confirmed=True)
        elif is_confirmed and line.link.number == before.link.number and line.link != before.link:
            yield before.finding(LineProblem.INSERTED, LineProblem.INSERTED.sentence)
            self._accept(line, is_confirmed=True)
        elif is_confirmed and not self._is_confirmed:
            detail = f"its number is {before.link.number:,}, and the next line has {line.link.number:,}"
            yield before.finding(LineProblem.ALTERED, detail)
            self._accept(line, is_confirmed=True)
        else:
            yield self._displace(
                line, f"its number is {line.link.number:,}, and its place that of {expected:,}"
            )

    def _missing(self, expected: int, line: _Placed) -> ChainFinding:
        """Report the lines that are missing before a line, or before a damaged line in front of it."""
        count = max(line.link.number - expected - len(self._damaged), 1)
        found, place = line.raw, line.link.number - count
        for before, raw in enumerate(self._damaged):
            named = _named_by(raw)
            if named is not None and named.number + 1 == expected + before + count:
                found, place = raw, expected + before
                break
        last = place + count - 1
        which = f"number {place:,} is" if count == 1 else f"numbers {place:,} to {last:,} are"
        return ChainFinding(
            found.file, found.line, last + 1, LineProblem.MISSING, f"{which} missing before this line"
        )

    def _report_broken(self, following: _Placed | None) -> Iterator[ChainFinding]:
        """Report the damaged lines before a line that is not, or before the end."""
        broken, self._broken = self._broken, []
        if not broken:
            return
        before = self._last
        is_extra = following is not None and (
            following.link.number == 1 and following.chained.previous == NO_HASH
            if before is None
            else following.follows(before)
        )
        if before is not None and not is_extra and _is_accused(before, *broken[0]):
            yield before.finding(LineProblem.ALTERED, _HASHED_AGAIN)
        for raw, chained in broken:
            problem, detail = LineProblem.ALTERED, "its hash is not the hash of its content"
            if raw.is_cut:
                detail = "the line is too long"
            elif chained is None:
                detail = "the line is not complete"
                is_last = following is None and not raw.has_end
                if (is_extra or is_last) and raw.text.startswith(_FIRST_BYTES[: len(raw.text)]):
                    problem, detail = LineProblem.INCOMPLETE, LineProblem.INCOMPLETE.sentence
            if is_extra and problem is LineProblem.ALTERED:
                problem, detail = LineProblem.INSERTED, LineProblem.INSERTED.sentence
            yield ChainFinding(
                raw.file, raw.line, None if chained is None else chained.link.number, problem, detail
            )

    def _accept(self, line: _Placed, *, is_confirmed: bool = False) -> None:
        self._last, self._is_confirmed = line, is_confirmed


#: Number of lines that are read ahead: they say which of two lines with the same place is the right one.
LOOKAHEAD = 8

#: Maximum number of damaged lines in a row that are held until the next line that is not damaged.
_MAX_BROKEN = 1000

#: Maximum number of lines whose place is wrong that are remembered.
_MAX_DISPLACED = 10_000

#: The detail of a line that was altered and has the hash of its new content.
_HASHED_AGAIN = "its hash was computed again: the next line names another hash for it"

#: The beginning of each line of this format.
_FIRST_BYTES = b'{"schema": '

#: The fields of a line that name the line before, wherever they are.
_NAMES = re.compile(rb'"number": (\d{1,18}), .*?"previous": "([0-9a-f]{64})"', re.DOTALL)


def _named_by(raw: RawLine) -> ChainLink | None:
    """Return the line before, as a damaged line names it; None if it does not."""
    found = None if raw.is_cut else _NAMES.search(raw.text)
    return None if found is None else ChainLink(int(found[1]) - 1, found[2].decode("ascii"))


def _is_accused(before: _Placed, raw: RawLine, chained: Chained | None) -> bool:
    """Return whether a damaged line names another hash for the line before it.

    If only its field `previous` was changed, the line before is as it was written.
    """
    named = _named_by(raw)
    if named is None or named.hash == before.link.hash:
        return False
    if named.number != before.link.number:  # if only its own number was changed, what it names is right
        number = before.link.number + 1
        return chained is not None and hash_with(raw.text, number=number) == chained.link.hash
    return chained is None or hash_with(raw.text, previous=before.link.hash) != chained.link.hash


def _width(damaged: Iterable[RawLine]) -> int:
    """Return the number of lines that damaged lines were at most: two that were joined count twice."""
    return sum(max(raw.text.count(_FIRST_BYTES), 1) for raw in damaged)


def begins_chain(raw: RawLine) -> bool:
    """Return whether a line names itself as the first of a chain, even if it was altered."""
    return _named_by(raw) == START


def begins_like_record(raw: RawLine) -> bool:
    """Return whether a line may be one of a decision log, altered or cut, rather than of another file."""
    if raw.text.startswith((_FIRST_BYTES, b'{"time": ')) or b'"made"' in raw.text:
        return True
    return not raw.has_end and _FIRST_BYTES.startswith(raw.text)


def _has_no_hash(raw: RawLine) -> bool:
    """Return whether a line looks like one of a log without hashes."""
    return raw.text.startswith(b'{"time": ') and raw.text.endswith(b"}")
