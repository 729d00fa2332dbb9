# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
"""The compiled engine, second part: rules -> answers (`_compiled_reading` reads the rules).

It gives the same answers as the reference, as property tests check; where they could differ, the reference is
right. Rare cases are left to the reference: URLs that are not simply `http://host/path`, and every reason for
an answer.

Bounds: every pointer is compared with the end of its text before it is read; sizes are checked before they
are narrowed to 32 bits; every allocation is checked. The GIL is held throughout. Signal handlers run between
two questions of `allowed_many`, when nothing is half-made.
"""

import os
import sys
from array import array

import cython

if not cython.compiled:
    raise ImportError("the compiled engine was not built")

from cython.cimports.cpython.buffer import PyBUF_SIMPLE, PyBuffer_Release, PyObject_GetBuffer
from cython.cimports.cpython.bytes import PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from cython.cimports.cpython.exc import PyErr_CheckSignals
from cython.cimports.cpython.unicode import PyUnicode_AsUTF8AndSize, PyUnicode_FromObject
from cython.cimports.libc.stdint import int32_t, int64_t, uint8_t, uint32_t, uint64_t
from cython.cimports.libc.stdlib import calloc, free, malloc, realloc
from cython.cimports.libc.string import memchr, memcmp, memcpy

from ...origin import RelativeReference
from ...text import several, to_bytes, to_text
from .. import paths
from ..grammar import UNRESERVED
from ..groups import grouped
from ._compiled_reading import KINDS, Reading, SelectedGroups
from .arrow import is_arrow, strings_of

__all__ = ["RankedRules", "Reading"]

#: A rule or field in the buffer of a `SelectedGroups`.
Entry = cython.struct(start=uint32_t, end=uint32_t, line=uint32_t, kind=uint32_t)

#: A pattern. `body` is its length without a final `$` or `*`, `prefix` the length before its first `*`.
Pattern = cython.struct(
    start=uint32_t,
    body=uint32_t,
    prefix=uint32_t,
    entry=uint32_t,
    flags=uint32_t,
    following=uint32_t,
    key=uint64_t,
)

#: Three bytes that some patterns contain (0 for a free slot of the table), the first of these patterns, their
#: number, and the last question that visited them.
Gram = cython.struct(text=uint32_t, first=uint32_t, count=uint32_t, seen=uint32_t)

#: An edge of the prefix tree: from a node, by the bytes of `word`, to a child or to patterns.
Slot = cython.struct(word=uint64_t, node=uint32_t, length=uint32_t, child=uint32_t, first=uint32_t)

#: A mask of the number of a question: if it leaves nothing, signal handlers run, for example on Ctrl-C.
BETWEEN_SIGNALS = cython.declare(cython.size_t, 15)

ALLOW = cython.declare(cython.uint, 1)
BEGINS_GROUP = cython.declare(cython.uint, 0x100)
assert KINDS[:2] == ("disallow", "allow")
_KIND_COUNT = cython.declare(cython.uint, len(KINDS))

CLOSES = cython.declare(cython.uint, 1)
WILD = cython.declare(cython.uint, 2)
ANCHORED = cython.declare(cython.uint, 4)
IN_ARENA = cython.declare(cython.uint, 8)
BY_GRAM = cython.declare(cython.uint, 16)

NONE = cython.declare(uint32_t, 0xFFFFFFFF)

#: Number of questions that are answered without preparing all rules, number of questions before an index is
#: built, and maximum number of patterns without an index.
UNPREPARED_QUESTIONS = cython.declare(cython.uint, 3)
QUESTIONS_BEFORE_INDEX = cython.declare(cython.uint, 8)
FEW = cython.declare(cython.uint, 16)

#: The states of an index.
BUILDING = cython.declare(cython.uint, 1)
READY = cython.declare(cython.uint, 2)

#: Maximum number of wildcard patterns with one prefix that are tried; more are found by three of their bytes.
CROWD = cython.declare(cython.uint, 12)

# Tables of bytes, filled below: white space, bytes that stay unchanged in a path and in a pattern, and bytes
# that are literal in a pattern of any dialect.
_white = cython.declare(uint8_t[256])
_plain_path = cython.declare(uint8_t[256])
_plain_pattern = cython.declare(uint8_t[256])
_literal = cython.declare(uint8_t[256])
_unreserved = cython.declare(uint8_t[256])
_upper = cython.declare(uint8_t[16])
_little_endian = cython.declare(cython.bint, sys.byteorder == "little")
_multiplier = cython.declare(uint64_t)
_multiplier_of_node = cython.declare(uint64_t)


def _fill_tables():
    global _multiplier, _multiplier_of_node
    i: cython.int
    for i in range(256):
        _white[i] = i in b" \t\n\r\x0b\x0c"
        _unreserved[i] = i in UNRESERVED
        _plain_path[i] = paths._PLAIN_PATH[i] == i
        _plain_pattern[i] = paths._PLAIN_PATTERN[i] == i
        _literal[i] = _plain_pattern[i] and i < 128 and i not in b"*$%?"
    for i in range(16):
        _upper[i] = b"0123456789ABCDEF"[i]
    # The multipliers are random in each process, so that no file can provoke collisions.
    _multiplier = int.from_bytes(os.urandom(8), "little") | 1
    _multiplier_of_node = int.from_bytes(os.urandom(8), "little") | 1


_fill_tables()

#: The ways to compare escapes, in the order of their numbers in `Settings`, and the functions of each.
_ESCAPES = ("rfc9309", "google", "draft1996", "none")
_path_readers: tuple = tuple([paths._PATHS[name] for name in _ESCAPES])
_pattern_readers: tuple = tuple([paths._PATTERNS[name] for name in _ESCAPES])


@cython.cfunc
def _grown(old: cython.p_void, size: cython.size_t) -> cython.p_void:
    """Return memory of another size with the same content. The old memory is freed, unless this raises."""
    new: cython.p_void = realloc(old, size)
    if new == cython.NULL:
        raise MemoryError
    return new


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _digit(byte: cython.uchar) -> cython.int:
    """Return the value of a hexadecimal digit, or -1."""
    if 48 <= byte <= 57:
        return byte - 48
    byte |= 32
    return byte - 87 if 97 <= byte <= 102 else -1


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _escape(byte: cython.uchar, out: cython.p_uchar) -> cython.p_uchar:
    """Write a byte as its escape; return the position after it."""
    out[0] = 37
    out[1] = _upper[byte >> 4]
    out[2] = _upper[byte & 15]
    return out + 3


@cython.cfunc
@cython.exceptval(check=False)
def _spell(
    text: cython.p_uchar, end: cython.p_uchar, out: cython.p_uchar, plain: cython.p_uchar
) -> cython.p_uchar:
    """Write bytes normalized for the `rfc9309` dialect, as `paths._rewrite` does; return the end.

    The output is at most three times as long.
    """
    high: cython.int
    low: cython.int
    byte: cython.uchar
    while text < end:
        byte = text[0]
        text += 1
        if plain[byte]:
            out[0] = byte
            out += 1
        elif byte != 37:
            out = _escape(byte, out)
        else:
            high = _digit(text[0]) if end - text >= 2 else -1
            low = _digit(text[1]) if high >= 0 else -1
            if low < 0:
                out[0] = 37
                out += 1
                continue
            text += 2
            byte = cython.cast(cython.uchar, 16 * high + low)
            if _unreserved[byte]:
                out[0] = byte
                out += 1
            else:
                out = _escape(byte, out)
    return out


@cython.final
@cython.auto_pickle(False)
@cython.cclass
class Settings:
    """The settings of a dialect for matching."""

    longest: cython.bint
    wildcards: cython.bint
    escapes: cython.int
    empty_allows: cython.bint
    index_pages: cython.bint
    opens: cython.bint

    def __cinit__(self, dialect):
        """Copy the settings of a dialect."""
        self.longest = dialect.precedence == "longest"
        self.wildcards = dialect.wildcards
        self.escapes = _ESCAPES.index(dialect.escapes)
        self.empty_allows = dialect.empty_disallow == "allow"
        self.index_pages = dialect.index_pages
        self.opens = dialect.opens_robots_txt


_known_settings: dict = {}
_last: tuple = (None, None)


@cython.cfunc
def _settings_of(dialect) -> Settings:
    """Return the settings of a dialect, found by identity: hashing a dialect is slower than a question."""
    global _last
    known: tuple = _last
    if dialect is known[0]:
        return known[1]
    known = _known_settings.get(id(dialect))
    if known is None or known[0] is not dialect:
        known = (dialect, Settings(dialect))
        if len(_known_settings) > 64:
            _known_settings.clear()
        _known_settings[id(dialect)] = known
    _last = known
    return known[1]


@cython.cfunc
@cython.exceptval(check=False)
def _stands_as_written(
    text: cython.p_uchar, length: cython.size_t, escapes: cython.int, closes: cython.bint
) -> cython.bint:
    """Return whether a rule is compared only as written, in no other spelling."""
    i: cython.size_t
    query: cython.bint = False
    if escapes == 0:
        for i in range(length):
            if not _plain_pattern[text[i]] and not (text[i] == 36 and i == length - 1):
                return False
            # Only delimiters in the query of a closing rule have another spelling (paths.query_spellings).
            if query and _delimits(text[i]):
                return False
            query = query or (text[i] == 63 and closes)
    elif escapes == 1 or escapes == 2:
        for i in range(length):
            if text[i] == 37 or (text[i] > 127 and escapes == 1):
                return False
    return True


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _delimits(byte: cython.uchar) -> cython.bint:
    """Return whether a byte is a general delimiter, which a query may contain raw or escaped."""
    return byte == 58 or byte == 47 or byte == 63 or byte == 91 or byte == 93 or byte == 64


@cython.final
@cython.auto_pickle(False)
@cython.cclass
class Patterns:
    """The rules of a `RankedRules` in the form that is compared, with their index.

    Compiling rules calls Python code, and wherever Python code runs, a signal handler, a finalizer or another
    thread may ask the same rules. So each is compiled by one caller that alone knows it, without a lock, and
    `RankedRules` uses it once it is complete. It keeps the bytes that its pointers refer to.
    """

    packed: bytes
    _text: cython.p_uchar
    _entries: cython.pointer(Entry)
    _count: cython.size_t
    _escapes: cython.int
    _longest: cython.bint
    _wildcards: cython.bint
    _empty_allows: cython.bint
    _index_pages: cython.bint
    _arena: cython.p_uchar
    _arena_size: cython.size_t
    _arena_room: cython.size_t
    _patterns: cython.pointer(Pattern)
    _pattern_count: cython.size_t
    _pattern_room: cython.size_t
    #: the number of questions until an index is built
    scans: cython.uint
    _index_state: cython.uint
    _slots: cython.pointer(Slot)
    _slot_mask: cython.size_t
    _slot_shift: cython.int
    _slot_count: cython.size_t
    _masks: cython.p_uchar
    _node_count: cython.size_t
    _node_room: cython.size_t
    _root: uint32_t
    _grams: cython.pointer(Gram)
    _gram_mask: cython.size_t
    _gram_shift: cython.int
    _asked: uint32_t

    def __cinit__(self):
        self._arena = cython.NULL
        self._patterns = cython.NULL
        self._slots = cython.NULL
        self._masks = cython.NULL
        self._grams = cython.NULL

    def __dealloc__(self):
        free(self._arena)
        free(self._patterns)
        free(self._slots)
        free(self._masks)
        free(self._grams)

    @cython.cfunc
    def _refer(self, packed: bytes, settings: Settings) -> cython.int:
        """Refer to packed rules, and copy the settings of their dialect."""
        first: cython.pointer(Entry) = cython.cast(cython.pointer(Entry), PyBytes_AS_STRING(packed))
        self.packed = packed
        self._count = first.start
        self._entries = first + 1
        self._text = cython.cast(cython.p_uchar, self._entries + self._count)
        self._escapes = settings.escapes
        self._longest = settings.longest
        self._wildcards = settings.wildcards
        self._empty_allows = settings.empty_allows
        self._index_pages = settings.index_pages
        self.scans = QUESTIONS_BEFORE_INDEX - UNPREPARED_QUESTIONS
        return 0

    # Patterns ---------------------------------------------------------------------------------

    @cython.cfunc
    def _store(self, text: cython.p_uchar, room: cython.size_t, length: cython.size_t) -> cython.size_t:
        """Reserve `room` bytes of the arena, copy `length` bytes of `text` there, and return the offset."""
        place: cython.size_t = self._arena_size
        if place + room >= 0x7FFFFFF0:
            raise OverflowError("the compiled engine holds less than 2 GiB of patterns")
        if place + room > self._arena_room:
            wanted: cython.size_t = 2 * (place + room)
            self._arena = cython.cast(cython.p_uchar, _grown(self._arena, wanted))
            self._arena_room = wanted
        memcpy(self._arena + place, text, length)
        self._arena_size += length
        return place

    @cython.cfunc
    def _add(
        self,
        text: cython.p_uchar,
        start: cython.size_t,
        length: cython.size_t,
        counted: cython.size_t,
        place: cython.size_t,
        flags: cython.uint,
    ) -> cython.int:
        """Split a pattern as `compile_pattern` does, and add it if it can match a path."""
        body: cython.size_t = length
        prefix: cython.size_t
        star: cython.p_uchar = cython.NULL
        if self._wildcards:
            if body and text[body - 1] == 36:
                body -= 1
                if not (body and text[body - 1] == 42):
                    flags |= ANCHORED
            if not flags & ANCHORED:
                while body and text[body - 1] == 42:
                    body -= 1
            star = cython.cast(cython.p_uchar, memchr(text, 42, body))
        prefix = body
        if star != cython.NULL:
            flags |= WILD
            prefix = star - text
        if prefix and text[0] != 47:
            return 0
        if self._pattern_count == self._pattern_room:
            room: cython.size_t = 2 * self._pattern_room if self._pattern_room else self._count + 1
            self._patterns = cython.cast(
                cython.pointer(Pattern), _grown(self._patterns, room * cython.sizeof(Pattern))
            )
            self._pattern_room = room
        pattern: cython.pointer(Pattern) = self._patterns + self._pattern_count
        pattern.start = cython.cast(uint32_t, start)
        pattern.body = cython.cast(uint32_t, body)
        pattern.prefix = cython.cast(uint32_t, prefix)
        pattern.entry = cython.cast(uint32_t, place)
        pattern.flags = flags
        pattern.following = NONE
        key: uint64_t = 0xFFFFFFFF - place
        if self._longest:
            key |= cython.cast(uint64_t, counted) << 33
            if (self._entries[place].kind & 0xFF) == ALLOW:
                key |= cython.cast(uint64_t, 1) << 32
        pattern.key = key
        self._pattern_count += 1
        return 0

    @cython.cfunc
    def _add_written(
        self, written: str, counted: cython.size_t, place: cython.size_t, flags: cython.uint
    ) -> cython.int:
        """Add a pattern that the reference has normalized, one character a byte."""
        text: bytes = written.encode("latin-1")
        at: cython.size_t = self._store(
            cython.cast(cython.p_uchar, PyBytes_AS_STRING(text)), len(text), len(text)
        )
        return self._add(self._arena + at, at, len(text), counted, place, flags | IN_ARENA)

    @cython.cfunc
    def _add_spelled(
        self, text: cython.p_uchar, length: cython.size_t, place: cython.size_t, flags: cython.uint
    ) -> cython.int:
        """Add a normalized pattern of the `rfc9309` dialect, and the other spellings of its query."""
        anchored: cython.bint = text[length - 1] == 36
        start: cython.size_t = self._arena_size
        self._store(text, 3 * length, length)
        end: cython.p_uchar = _spell(text, text + length - anchored, self._arena + start, _plain_pattern)
        if anchored:
            end[0] = 36
            end += 1
        counted: cython.size_t = end - (self._arena + start)
        self._arena_size = start + counted
        self._add(self._arena + start, start, counted, counted, place, flags | IN_ARENA)
        if flags & CLOSES and memchr(self._arena + start, 63, counted) != cython.NULL:
            spelled: str = cython.cast(bytes, (self._arena + start)[:counted]).decode("latin-1")
            if "%" in spelled:
                for other in sorted(paths.query_spellings(spelled)):
                    self._add_written(other, counted, place, flags)
            else:
                self._add_escaped(start, counted, place, flags)
        return 0

    @cython.cfunc
    def _add_escaped(
        self, start: cython.size_t, length: cython.size_t, place: cython.size_t, flags: cython.uint
    ) -> cython.int:
        """Add a pattern without escapes, with the general delimiters of its query escaped."""
        written: cython.size_t = self._arena_size
        self._store(self._arena + start, 3 * length, 0)
        text: cython.p_uchar = self._arena + start
        end: cython.p_uchar = text + length
        out: cython.p_uchar = self._arena + written
        query: cython.bint = False
        while text < end:
            byte: cython.uchar = text[0]
            if query and _delimits(byte):
                out = _escape(byte, out)
            else:
                out[0] = byte
                out += 1
                if byte == 63:
                    query = True
            text += 1
        counted: cython.size_t = out - (self._arena + written)
        self._arena_size = written + counted
        if counted > length:
            self._add(self._arena + written, written, counted, length, place, flags | IN_ARENA)
        return 0

    @cython.cfunc
    def _compile_all(self) -> cython.int:
        """Compile every rule."""
        place: cython.size_t
        for place in range(self._count):
            if (self._entries[place].kind & 0xFF) < 2:
                self._compile(place)
        return 0

    @cython.cfunc
    def _compile_candidates(self, path: cython.p_uchar, size: cython.size_t) -> cython.int:
        """Compile only the rules that could match a path; the others differ from it in a literal byte."""
        place: cython.size_t
        i: cython.size_t
        length: cython.size_t
        text: cython.p_uchar
        for place in range(self._count):
            if (self._entries[place].kind & 0xFF) > 1:
                continue
            text = self._text + self._entries[place].start
            length = self._entries[place].end - self._entries[place].start
            i = 0
            while i < length and i < size and text[i] == path[i] and _literal[text[i]]:
                i += 1
            if i == length or not _literal[text[i]] or (i == size and self._index_pages):
                self._compile(place)
        return 0

    @cython.cfunc
    def _compile(self, place: cython.size_t) -> cython.int:
        """Compile a rule, in each of its spellings."""
        text: cython.p_uchar = self._text + self._entries[place].start
        length: cython.size_t = self._entries[place].end - self._entries[place].start
        kind: cython.uint = self._entries[place].kind & 0xFF
        flags: cython.uint = CLOSES if kind == 0 and length else 0
        index_page: cython.bint = kind == 1 and self._index_pages
        if not length:
            if kind == 0 and self._empty_allows:
                self._add(text, self._entries[place].start, 0, 0, place, flags)
            return 0
        if _stands_as_written(text, length, self._escapes, kind == 0):
            self._add(text, self._entries[place].start, length, length, place, flags)
            if index_page:
                self._add_index_page(text[:length].decode("latin-1"), place, flags)
            return 0
        if self._escapes == 0:
            return self._add_spelled(text, length, place, flags)
        written: str = _pattern_readers[self._escapes](cython.cast(bytes, text[:length]))
        self._add_written(written, len(written), place, flags)
        if index_page:
            self._add_index_page(written, place, flags)
        return 0

    @cython.cfunc
    def _add_index_page(self, written: str, place: cython.size_t, flags: cython.uint) -> cython.int:
        slash = written.rfind("/")
        if slash >= 0 and written.startswith("/index.htm", slash):
            return self._add_written(written[: slash + 1] + "$", slash + 2, place, flags)
        return 0

    # The prefix tree --------------------------------------------------------------------------

    @cython.cfunc
    @cython.exceptval(check=False)
    def _find(self, node: uint32_t, word: uint64_t, length: uint32_t) -> cython.pointer(Slot):
        """Return the slot of an edge, or the free slot for it."""
        mixed: uint64_t = (
            word * _multiplier + ((cython.cast(uint64_t, node) << 4) | length) * _multiplier_of_node
        )
        at: cython.size_t = cython.cast(cython.size_t, mixed >> self._slot_shift)
        slot: cython.pointer(Slot)
        while True:
            slot = self._slots + at
            if slot.length == 0 or (slot.word == word and slot.node == node and slot.length == length):
                return slot
            at = (at + 1) & self._slot_mask

    @cython.cfunc
    def _resize(self, bits: cython.int) -> cython.int:
        """Resize the table to 2 to the power of `bits` slots."""
        old: cython.pointer(Slot) = self._slots
        size: cython.size_t = 0 if old == cython.NULL else self._slot_mask + 1
        new: cython.pointer(Slot) = cython.cast(
            cython.pointer(Slot), calloc(cython.cast(cython.size_t, 1) << bits, cython.sizeof(Slot))
        )
        if new == cython.NULL:
            raise MemoryError
        self._slots = new
        self._slot_mask = (cython.cast(cython.size_t, 1) << bits) - 1
        self._slot_shift = 64 - bits
        i: cython.size_t
        for i in range(size):
            if old[i].length:
                self._find(old[i].node, old[i].word, old[i].length)[0] = old[i]
        free(old)
        return 0

    @cython.cfunc
    def _step(self, node: uint32_t, text: cython.p_uchar, length: uint32_t) -> cython.pointer(Slot):
        """Return the slot of an edge from a node; create it if it is missing."""
        word: uint64_t = 0
        memcpy(cython.address(word), text, length)
        slot: cython.pointer(Slot) = self._find(node, word, length)
        if slot.length == 0:
            if 2 * (self._slot_count + 1) > self._slot_mask:
                self._resize(65 - self._slot_shift)
                slot = self._find(node, word, length)
            slot.word = word
            slot.node = node
            slot.length = length
            slot.child = 0
            slot.first = NONE
            self._slot_count += 1
        return slot

    @cython.cfunc
    def _index(self) -> cython.int:
        """Build the prefix tree over the prefixes of all patterns."""
        bits: cython.int = 5
        order: cython.pointer(uint32_t) = cython.cast(
            cython.pointer(uint32_t), malloc((self._pattern_count + 1) * cython.sizeof(uint32_t))
        )
        if order == cython.NULL:
            raise MemoryError
        self._index_state = BUILDING
        try:
            self._sort(order)
            self._build_tree(order, bits)
            self._index_grams(order)
            self._index_state = READY
        except BaseException:
            # An incomplete index would miss rules, so the next question builds it again.
            self._index_state = 0
            free(self._slots)
            free(self._masks)
            free(self._grams)
            self._slots = cython.NULL
            self._masks = cython.NULL
            self._grams = cython.NULL
            raise
        finally:
            free(order)
        return 0

    @cython.cfunc
    @cython.exceptval(check=False)
    def _sort(self, order: cython.pointer(uint32_t)) -> cython.void:
        """Sort the patterns by key, the smallest first; heapsort, because its worst case is not slower."""
        count: cython.size_t = self._pattern_count
        i: cython.size_t
        last: cython.size_t
        place: uint32_t
        for i in range(count):
            order[i] = cython.cast(uint32_t, i)
        i = count // 2
        while i > 0:
            i -= 1
            self._sift(order, i, count)
        last = count
        while last > 1:
            last -= 1
            place = order[0]
            order[0] = order[last]
            order[last] = place
            self._sift(order, 0, last)

    @cython.cfunc
    @cython.exceptval(check=False)
    def _sift(self, order: cython.pointer(uint32_t), at: cython.size_t, count: cython.size_t) -> cython.void:
        moved: uint32_t = order[at]
        key: uint64_t = self._patterns[moved].key
        child: cython.size_t
        while 2 * at + 1 < count:
            child = 2 * at + 1
            if child + 1 < count and self._patterns[order[child]].key < self._patterns[order[child + 1]].key:
                child += 1
            if self._patterns[order[child]].key <= key:
                break
            order[at] = order[child]
            at = child
        order[at] = moved

    @cython.cfunc
    def _build_tree(self, order: cython.pointer(uint32_t), bits: cython.int) -> cython.int:
        i: cython.size_t
        while (cython.cast(cython.size_t, 1) << bits) < 3 * self._pattern_count and bits < 30:
            bits += 1
        self._slot_count = 0
        self._resize(bits)
        self._node_count = 1
        self._node_room = 64
        self._masks = cython.cast(cython.p_uchar, calloc(self._node_room, 1))
        if self._masks == cython.NULL:
            raise MemoryError
        self._root = NONE
        # The best are inserted last, so that each list begins with its best.
        for i in range(self._pattern_count):
            self._insert(order[i])
        return 0

    @cython.cfunc
    def _insert(self, place: uint32_t) -> cython.int:
        pattern: cython.pointer(Pattern) = self._patterns + place
        text: cython.p_uchar = (self._arena if pattern.flags & IN_ARENA else self._text) + pattern.start
        left: uint32_t = pattern.prefix
        node: uint32_t = 0
        slot: cython.pointer(Slot)
        if not left:
            pattern.following = self._root
            self._root = place
            return 0
        while left > 8:
            slot = self._step(node, text, 8)
            if not slot.child:
                if self._node_count >= 0xFFFFFFF:
                    raise OverflowError("too many patterns for the index")
                if self._node_count == self._node_room:
                    self._masks = cython.cast(cython.p_uchar, _grown(self._masks, 2 * self._node_room))
                    self._node_room *= 2
                self._masks[self._node_count] = 0
                slot.child = cython.cast(uint32_t, self._node_count)
                self._node_count += 1
            node = slot.child
            text += 8
            left -= 8
        slot = self._step(node, text, left)
        pattern.following = slot.first
        slot.first = place
        if left < 8:
            self._masks[node] |= cython.cast(cython.uchar, 1 << left)
        return 0

    # Wildcards by three of their bytes --------------------------------------------------------

    @cython.cfunc
    def _index_grams(self, order: cython.pointer(uint32_t)) -> cython.int:
        """Move wildcard patterns out of the tree if too many have one prefix, to find them by their bytes.

        A path that such a pattern matches contains each of its pieces. So one look at every three bytes of a
        path finds all of these patterns, whatever their prefixes.
        """
        i: cython.size_t
        moved: cython.size_t = self._move_to_grams(cython.address(self._root))
        for i in range(self._slot_mask + 1):
            if self._slots[i].length:
                moved += self._move_to_grams(cython.address(self._slots[i].first))
        if not moved:
            return 0
        bits: cython.int = 4
        while (cython.cast(cython.size_t, 1) << bits) < 2 * moved:
            bits += 1
        self._grams = cython.cast(
            cython.pointer(Gram), calloc(cython.cast(cython.size_t, 1) << bits, cython.sizeof(Gram))
        )
        if self._grams == cython.NULL:
            raise MemoryError
        self._gram_mask = (cython.cast(cython.size_t, 1) << bits) - 1
        self._gram_shift = 64 - bits
        # The best are inserted last, so that each list begins with its best.
        for i in range(self._pattern_count):
            if self._patterns[order[i]].flags & BY_GRAM:
                gram: cython.pointer(Gram) = self._rarest(self._patterns + order[i])
                self._patterns[order[i]].following = gram.first if gram.count else NONE
                gram.first = order[i]
                gram.count += 1
        return 0

    @cython.cfunc
    @cython.exceptval(check=False)
    def _move_to_grams(self, first: cython.pointer(uint32_t)) -> cython.size_t:
        """Move patterns that three bytes can find out of a long list; return their number."""
        count: cython.size_t = 0
        place: uint32_t = first[0]
        while place != NONE:
            count += self._has_gram(self._patterns + place)
            place = self._patterns[place].following
        if count <= CROWD:
            return 0
        place = first[0]
        while place != NONE:
            pattern: cython.pointer(Pattern) = self._patterns + place
            place = pattern.following
            if self._has_gram(pattern):
                pattern.flags |= BY_GRAM
                first[0] = place
            else:
                first = cython.address(pattern.following)
        return count

    @cython.cfunc
    @cython.exceptval(check=False)
    def _has_gram(self, pattern: cython.pointer(Pattern)) -> cython.bint:
        """Return whether a pattern has three bytes without a `*` after its prefix."""
        text: cython.p_uchar = (self._arena if pattern.flags & IN_ARENA else self._text) + pattern.start
        at: cython.size_t
        run: cython.int = 0
        for at in range(pattern.prefix, pattern.body):
            run = 0 if text[at] == 42 else run + 1
            if run == 3:
                return True
        return False

    @cython.cfunc
    @cython.exceptval(check=False)
    def _rarest(self, pattern: cython.pointer(Pattern)) -> cython.pointer(Gram):
        """Return the slot of the three bytes of a pattern that the fewest other patterns use."""
        text: cython.p_uchar = (self._arena if pattern.flags & IN_ARENA else self._text) + pattern.start
        at: cython.size_t
        run: cython.int = 0
        word: uint32_t = 0
        chosen: uint32_t = 0
        gram: cython.pointer(Gram)
        best: cython.pointer(Gram) = cython.NULL
        for at in range(pattern.prefix, pattern.body):
            word = ((word << 8) | text[at]) & 0xFFFFFF
            run = 0 if text[at] == 42 else run + 1
            if run >= 3:
                gram = self._gram_of(word)
                if best == cython.NULL or gram.count < best.count:
                    best = gram
                    chosen = word
                    if not gram.count:
                        break
        best.text = chosen + 1
        return best

    @cython.cfunc
    @cython.inline
    @cython.exceptval(check=False)
    def _gram_of(self, word: uint32_t) -> cython.pointer(Gram):
        """Return the slot of three bytes, or the free slot for them."""
        at: cython.size_t = cython.cast(
            cython.size_t, (cython.cast(uint64_t, word + 1) * _multiplier) >> self._gram_shift
        )
        while self._grams[at].text and self._grams[at].text != word + 1:
            at = (at + 1) & self._gram_mask
        return self._grams + at

    @cython.cfunc
    @cython.exceptval(check=False)
    def _best_by_gram(self, best: uint32_t, path: cython.p_uchar, size: cython.size_t) -> uint32_t:
        """Return the better of `best` and the best of the patterns that the bytes of the path find."""
        at: cython.size_t
        word: uint32_t = 0
        gram: cython.pointer(Gram)
        place: uint32_t
        self._asked += 1
        if not self._asked:  # so many questions that the count began anew
            for at in range(self._gram_mask + 1):
                self._grams[at].seen = 0
            self._asked = 1
        for at in range(size):
            word = ((word << 8) | path[at]) & 0xFFFFFF
            if at < 2:
                continue
            gram = self._gram_of(word)
            if gram.text and gram.seen != self._asked:
                gram.seen = self._asked
                place = gram.first
                while place != NONE:
                    pattern: cython.pointer(Pattern) = self._patterns + place
                    if best != NONE and pattern.key <= self._patterns[best].key:
                        break
                    if self._begins(pattern, path, size) and self._matches(pattern, path, size):
                        best = place
                        break
                    place = pattern.following
        return best

    # Questions --------------------------------------------------------------------------------

    @cython.cfunc
    @cython.inline
    @cython.exceptval(check=False)
    def _begins(
        self, pattern: cython.pointer(Pattern), path: cython.p_uchar, size: cython.size_t
    ) -> cython.bint:
        """Return whether a path begins with the prefix of a pattern."""
        text: cython.p_uchar = (self._arena if pattern.flags & IN_ARENA else self._text) + pattern.start
        return pattern.prefix <= size and memcmp(path, text, pattern.prefix) == 0

    @cython.cfunc
    @cython.exceptval(check=False)
    def _matches(
        self, pattern: cython.pointer(Pattern), path: cython.p_uchar, size: cython.size_t
    ) -> cython.bint:
        """Return whether a path that begins with the prefix of a pattern matches it."""
        if not pattern.flags & WILD:
            return not pattern.flags & ANCHORED or size == pattern.prefix
        text: cython.p_uchar = (self._arena if pattern.flags & IN_ARENA else self._text) + pattern.start
        end: cython.p_uchar = text + pattern.body
        piece: cython.p_uchar = text + pattern.prefix
        stop: cython.p_uchar
        at: cython.p_uchar = path + pattern.prefix
        last: cython.p_uchar = path + size
        length: cython.size_t
        while piece < end:
            while piece < end and piece[0] == 42:
                piece += 1
            stop = cython.cast(cython.p_uchar, memchr(piece, 42, end - piece)) if piece < end else end
            if stop == cython.NULL:
                stop = end
            length = stop - piece
            if stop == end and pattern.flags & ANCHORED:
                return (
                    cython.cast(cython.size_t, last - at) >= length
                    and memcmp(last - length, piece, length) == 0
                )
            at = _search(at, last, piece, length)
            if at == cython.NULL:
                return False
            at += length
            piece = stop
        return True

    @cython.cfunc
    @cython.exceptval(check=False)
    def _best_of(
        self, first: uint32_t, best: uint32_t, path: cython.p_uchar, size: cython.size_t
    ) -> uint32_t:
        """Return the better of `best` and the best pattern of a list that the path matches."""
        while first != NONE:
            pattern: cython.pointer(Pattern) = self._patterns + first
            if best != NONE and pattern.key <= self._patterns[best].key:
                break
            if self._matches(pattern, path, size):
                return first
            first = pattern.following
        return best

    @cython.cfunc
    @cython.exceptval(check=False)
    def _best_of_all(self, path: cython.p_uchar, size: cython.size_t) -> uint32_t:
        """Return the pattern that wins a path, or NONE, by trying each."""
        best: uint32_t = NONE
        i: cython.size_t
        for i in range(self._pattern_count):
            pattern: cython.pointer(Pattern) = self._patterns + i
            if (
                (best == NONE or pattern.key > self._patterns[best].key)
                and self._begins(pattern, path, size)
                and self._matches(pattern, path, size)
            ):
                best = cython.cast(uint32_t, i)
        return best

    @cython.cfunc
    def winner(self, path: cython.p_uchar, size: cython.size_t) -> uint32_t:
        """Return the entry of the rule that wins a path, or NONE."""
        found: uint32_t = self._best_indexed(path, size)
        return found if found == NONE else self._patterns[found].entry

    @cython.cfunc
    def _best_indexed(self, path: cython.p_uchar, size: cython.size_t) -> uint32_t:
        """Return the pattern that wins a path, or NONE."""
        best: uint32_t = NONE
        if self._index_state != READY:
            # Another question may come while the index is built, from a finalizer: it does without.
            if self._index_state == BUILDING or self._pattern_count <= FEW or self.scans:
                self.scans -= self.scans > 0
                return self._best_of_all(path, size)
            self._index()
        node: uint32_t = 0
        at: cython.p_uchar = path
        left: cython.size_t = size
        slot: cython.pointer(Slot)
        word: uint64_t
        mask: cython.uint
        length: uint32_t
        if self._grams != cython.NULL:
            best = self._best_by_gram(best, path, size)
        best = self._best_of(self._root, best, path, size)
        while left:
            mask = self._masks[node]
            length = 1
            while mask >> length and length <= left:
                if (mask >> length) & 1:
                    word = 0
                    memcpy(cython.address(word), at, length)
                    slot = self._find(node, word, length)
                    if slot.length:
                        best = self._best_of(slot.first, best, path, size)
                length += 1
            if left < 8:
                break
            memcpy(cython.address(word), at, 8)
            slot = self._find(node, word, 8)
            if not slot.length:
                break
            best = self._best_of(slot.first, best, path, size)
            if not slot.child:
                break
            node = slot.child
            at += 8
            left -= 8
        return best


def _packed(groups: list) -> bytes:
    """Pack the records of groups, such as those from a pickle, in the format of `SelectedGroups`."""
    # Each record is read once: it could be a list, or hold objects that change.
    texts: list = []
    numbers = array("I", (0, 0, 0, 0))
    count: cython.size_t = 0
    size: cython.size_t = 0
    begins: cython.uint
    value: bytes
    for group in groups:
        begins = BEGINS_GROUP
        for line, name, value in group:
            if value is None:
                raise TypeError("the value of a field is bytes, not None")
            number: cython.uint = KINDS.index(name)
            if size + PyBytes_GET_SIZE(value) >= 0x7FFFFFF0:
                raise OverflowError("the compiled engine holds less than 2 GiB of rules")
            numbers.extend((size, size + PyBytes_GET_SIZE(value), line, number | begins))
            texts.append(value)
            size += PyBytes_GET_SIZE(value)
            count += 1
            begins = 0
    numbers[0], numbers[1] = count, size
    return numbers.tobytes() + b"".join(texts)


@cython.cfunc
def _verify(packed: bytes) -> cython.int:
    """Check that packed rules refer only to their own bytes."""
    size: cython.size_t = PyBytes_GET_SIZE(packed)
    first: cython.pointer(Entry) = cython.cast(cython.pointer(Entry), PyBytes_AS_STRING(packed))
    entry: cython.pointer(Entry) = first
    count: cython.size_t = 0
    length: cython.size_t = 0
    place: cython.size_t
    valid: cython.bint = size >= cython.sizeof(Entry)
    if valid:
        count, length = entry.start, entry.end
        valid = (1 + count) * cython.sizeof(Entry) + length == size
    for place in range(1, 1 + count if valid else 0):
        entry = first + place
        valid = valid and entry.start <= entry.end <= length and (entry.kind & 0xFF) < _KIND_COUNT
    if not valid:
        raise ValueError("the packed rules are damaged")
    return 0


@cython.no_gc_clear
@cython.auto_pickle(False)
@cython.cclass
class RankedRules:
    """The rules of merged groups, ready for questions; answers as `reference.RankedRules` does."""

    dialect = cython.declare(object, visibility="readonly")
    _packed: bytes
    _entries: cython.pointer(Entry)
    _raw: tuple
    _settings: Settings
    _escapes: cython.int
    _opens: cython.bint
    _unprepared: cython.uint
    _patterns: Patterns

    def __init__(self, dialect, groups):
        """Merge groups, in file order."""
        raw: tuple = None
        packed: bytes
        settings: Settings = _settings_of(dialect)
        if type(groups) is SelectedGroups:
            packed = groups.packed
            if packed is None:
                raise TypeError("only a Reading creates SelectedGroups")
        else:
            raw = tuple(groups)
            packed = _packed(
                [sorted([*g.agents, *g.rules, *(field for field, _, _ in g.fields)]) for g in raw]
            )
        _verify(packed)
        # The rules are immutable: answers refer to their bytes. No Python code runs from here on.
        if self._packed is not None:
            raise TypeError(f"{type(self).__name__} was initialized before; create another one")
        self.dialect = dialect
        self._settings = settings
        self._escapes = settings.escapes
        self._opens = settings.opens
        self._raw = raw
        self._entries = cython.cast(cython.pointer(Entry), PyBytes_AS_STRING(packed)) + 1
        self._packed = packed

    @cython.cfunc
    def _require(self) -> cython.int:
        """Raise `TypeError` if `__init__` has not run to its end."""
        if self._packed is None:
            raise TypeError(f"{type(self).__name__} was not initialized: call its class, not __new__")
        return 0

    @property
    def raw_groups(self):
        """The groups as the reference engine has them, created on first use."""
        self._require()
        if self._raw is None:
            place: cython.size_t
            entry: cython.pointer(Entry)
            text: cython.p_char = cython.cast(cython.p_char, self._entries + (self._entries - 1).start)
            groups: list = []
            records: list = []
            for place in range((self._entries - 1).start):
                entry = self._entries + place
                if entry.kind & BEGINS_GROUP:
                    records = []
                    groups.append(records)
                value = PyBytes_FromStringAndSize(text + entry.start, entry.end - entry.start)
                records.append((entry.line, KINDS[entry.kind & 0xFF], value))
            self._raw = tuple([grouped(group, self.dialect)[0][0] for group in groups])
        return self._raw

    @cython.cfunc
    @cython.inline
    @cython.exceptval(check=False)
    def _closes(self, place: uint32_t) -> cython.bint:
        """Return whether the rule of an entry disallows; NONE does not."""
        if place == NONE:
            return False
        entry: cython.pointer(Entry) = self._entries + place
        return (entry.kind & 0xFF) == 0 and entry.end > entry.start

    @cython.cfunc
    def _winner(self, path: cython.p_uchar, size: cython.size_t) -> uint32_t:
        """Return the entry of the rule that wins a path, or NONE."""
        if self._patterns is None:
            built: Patterns = Patterns()
            built._refer(self._packed, self._settings)
            if self._unprepared < UNPREPARED_QUESTIONS:
                self._unprepared += 1
                built._compile_candidates(path, size)
                built.scans = 1
                return built.winner(path, size)
            built._compile_all()
            if self._patterns is None:  # the code that it called may have asked the same rules
                self._patterns = built
        return self._patterns.winner(path, size)

    @cython.cfunc
    def _ask(self, url) -> uint32_t:
        """Return the entry of the rule that wins a URL; NONE for a robots.txt that is always open."""
        self._require()
        size: cython.Py_ssize_t = 0
        text: cython.p_uchar
        kept: bytes
        if isinstance(url, str):
            try:
                text = cython.cast(cython.p_uchar, PyUnicode_AsUTF8AndSize(url, cython.address(size)))
            except UnicodeEncodeError:
                kept = to_bytes(PyUnicode_FromObject(url))  # a subclass could have an `encode` of its own
                text = cython.cast(cython.p_uchar, PyBytes_AS_STRING(kept))
                size = PyBytes_GET_SIZE(kept)
        elif isinstance(url, bytes):
            text = cython.cast(cython.p_uchar, PyBytes_AS_STRING(url))
            size = PyBytes_GET_SIZE(url)
        else:
            raise TypeError(f"a URL is str or bytes, not {type(url).__name__}")
        return self._ask_bytes(text, size, url)

    @cython.cfunc
    def _ask_bytes(self, text: cython.p_uchar, size: cython.size_t, url) -> uint32_t:
        """Return the winner for the bytes of a URL; `url` is the Python object, or `None`."""
        end: cython.p_uchar = text + size
        path: cython.p_uchar = _path_of(text, end, self._escapes == 1)
        found: cython.p_uchar
        if path == cython.NULL:
            return self._ask_otherwise(text[:size] if url is None else url)
        found = cython.cast(cython.p_uchar, memchr(path, 35, end - path))
        if found != cython.NULL:
            end = found
        if self._escapes == 1:
            found = cython.cast(cython.p_uchar, memchr(path, 0, end - path))
            if found != cython.NULL:
                end = found
        elif self._escapes == 0:
            found = path
            while found < end and _plain_path[found[0]]:
                found += 1
            if found < end:
                return self._ask_spelled(path, end)
        elif self._escapes == 2 and memchr(path, 37, end - path) != cython.NULL:
            return self._ask_rewritten(paths._draft_pattern(path[: end - path]))
        return self._answer(path, end - path)

    @cython.cfunc
    def _ask_spelled(self, path: cython.p_uchar, end: cython.p_uchar) -> uint32_t:
        """Return the winner for a path that has to be normalized for the `rfc9309` dialect."""
        while end > path and _white[(end - 1)[0]] and (end - 1)[0] != 32:
            end -= 1  # line ends are not part of a URL (paths.rewritten)
        out: cython.p_uchar = cython.cast(cython.p_uchar, malloc(3 * (end - path) + 1))
        if out == cython.NULL:
            raise MemoryError
        try:
            last: cython.p_uchar = _spell(path, end, out, _plain_path)
            return self._answer(out, last - out)
        finally:
            free(out)

    @cython.cfunc
    def _ask_otherwise(self, url) -> uint32_t:
        """Return the winner for a URL that the reference parses, or raises for."""
        first: uint32_t
        second: uint32_t
        try:
            path = _path_readers[self._escapes](to_text(url) if isinstance(url, bytes) else url)
        except RelativeReference as doubt:
            readings = doubt.readings
        else:
            return self._ask_rewritten(path)
        first = self._ask(readings[0])
        if self._closes(first):
            return first
        second = self._ask(readings[1])
        return second if self._closes(second) else first

    @cython.cfunc
    def _ask_rewritten(self, path: str) -> uint32_t:
        rewritten: bytes = path.encode("latin-1")
        return self._answer(
            cython.cast(cython.p_uchar, PyBytes_AS_STRING(rewritten)), PyBytes_GET_SIZE(rewritten)
        )

    @cython.cfunc
    def _answer(self, path: cython.p_uchar, size: cython.size_t) -> uint32_t:
        if size == 11 and self._opens and memcmp(path, b"/robots.txt", 11) == 0:
            return NONE
        return self._winner(path, size)

    def allowed(self, url) -> bool:
        """Return whether the robot may fetch a URL.

        `url` is an absolute URL or a path that begins with a slash. A reference with neither scheme nor
        slash could be a path or a host, so it is allowed only if both readings are. Raises `InvalidURL` for
        a URL that has a scheme and no host, such as `mailto:`.
        """
        return not self._closes(self._ask(url))

    def allowed_many(self, urls) -> tuple:
        """Return, for each URL in order, whether the robot may fetch it.

        `urls` are as for `allowed`; a lone URL is one of them. They may also be a pyarrow array of strings,
        which is not copied; the answer for a null is `False`. Raises `InvalidURL` as `allowed` does, at the
        first such URL.
        """
        answers: list = []
        number: cython.size_t = 0
        self._require()
        if is_arrow(urls):
            for strings in strings_of(urls):
                self._answer_strings(answers, strings)
            return tuple(answers)
        for url in several(urls, "urls"):
            number += 1
            if not number & BETWEEN_SIGNALS:
                PyErr_CheckSignals()
            answers.append(not self._closes(self._ask(url)))
        return tuple(answers)

    @cython.cfunc
    def _answer_strings(self, answers: list, strings: tuple):
        """Append an answer for each string of an Arrow array, without copying it; see `arrow.bytes_of`."""
        data, offsets, width, valid, first, count = strings
        text: Py_buffer
        places: Py_buffer
        bits: Py_buffer
        PyObject_GetBuffer(data, cython.address(text), PyBUF_SIMPLE)
        try:
            PyObject_GetBuffer(offsets, cython.address(places), PyBUF_SIMPLE)
            try:
                PyObject_GetBuffer(valid or b"", cython.address(bits), PyBUF_SIMPLE)
                try:
                    self._answer_buffers(
                        answers,
                        cython.address(text),
                        cython.address(places),
                        cython.address(bits),
                        width,
                        first,
                        count,
                    )
                finally:
                    PyBuffer_Release(cython.address(bits))
            finally:
                PyBuffer_Release(cython.address(places))
        finally:
            PyBuffer_Release(cython.address(text))

    @cython.cfunc
    def _answer_buffers(
        self,
        answers: list,
        text: cython.pointer(Py_buffer),
        places: cython.pointer(Py_buffer),
        bits: cython.pointer(Py_buffer),
        width: cython.size_t,
        first: cython.size_t,
        count: cython.size_t,
    ):
        place: cython.size_t
        beginning: int64_t
        end: int64_t
        start: cython.p_uchar = cython.cast(cython.p_uchar, text.buf)
        limit: cython.size_t = 0x7FFFFFFFFFFFFFF
        # `strings_of` has checked this, but the object only claims to be an array of pyarrow.
        if (
            (width != 4 and width != 8)
            or first > limit
            or count > limit
            or (count and (first + count + 1) > cython.cast(cython.size_t, places.len) // width)
            or (bits.len and first + count > cython.cast(cython.size_t, bits.len) * 8)
        ):
            raise ValueError("the Arrow array is shorter than it says")
        for place in range(first, first + count):
            if not place & BETWEEN_SIGNALS:
                PyErr_CheckSignals()
            if bits.len and not (cython.cast(cython.p_uchar, bits.buf)[place >> 3] >> (place & 7)) & 1:
                answers.append(False)
                continue
            beginning = _offset(cython.cast(cython.p_uchar, places.buf), place, width)
            end = _offset(cython.cast(cython.p_uchar, places.buf), place + 1, width)
            if not 0 <= beginning <= end <= text.len:
                raise ValueError("the Arrow array points outside of its buffer")
            best: uint32_t = self._ask_bytes(
                start + beginning, cython.cast(cython.size_t, end - beginning), None
            )
            answers.append(not self._closes(best))

    def winning_line(self, url):
        """Return the line of the rule that decides about a URL, or `None`."""
        best: uint32_t = self._ask(url)
        return None if best == NONE else self._entries[best].line


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _offset(offsets: cython.p_uchar, place: cython.size_t, width: cython.size_t) -> int64_t:
    """Return an offset of an Arrow array, which may be unaligned in memory."""
    narrow: int32_t = 0
    wide: int64_t = 0
    if width == 4:
        memcpy(cython.address(narrow), offsets + 4 * place, 4)
        return narrow
    memcpy(cython.address(wide), offsets + 8 * place, 8)
    return wide


@cython.cfunc
@cython.exceptval(check=False)
def _search(
    at: cython.p_uchar, end: cython.p_uchar, piece: cython.p_uchar, length: cython.size_t
) -> cython.p_uchar:
    """Return the first position of a piece, or NULL."""
    tries: cython.int = 0
    word: uint64_t = 0
    here: uint64_t
    mask: uint64_t
    if not length:
        return at
    while cython.cast(cython.size_t, end - at) >= length:
        at = cython.cast(cython.p_uchar, memchr(at, piece[0], end - at - length + 1))
        if at == cython.NULL:
            return cython.NULL
        if memcmp(at, piece, length) == 0:
            return at
        at += 1
        tries += 1
        if tries == 4 and length > 1:
            break
    if tries < 4 or length == 1:
        return cython.NULL
    # The first byte is frequent: compare up to eight bytes at once at each position.
    memcpy(cython.address(word), piece, length if length < 8 else 8)
    mask = ~cython.cast(uint64_t, 0) if length >= 8 else (cython.cast(uint64_t, 1) << (8 * length)) - 1
    if not _little_endian:
        mask = ~cython.cast(uint64_t, 0) << (64 - 8 * length) if length < 8 else mask
    while cython.cast(cython.size_t, end - at) >= length:
        if end - at >= 8:
            memcpy(cython.address(here), at, 8)
            if (here & mask) != word:
                at += 1
                continue
        if memcmp(at, piece, length) == 0:
            return at
        at += 1
    return cython.NULL


@cython.cfunc
@cython.exceptval(check=False)
def _path_of(text: cython.p_uchar, end: cython.p_uchar, google: cython.bint) -> cython.p_uchar:
    """Return the start of the path in a simple URL, or NULL if the reference must parse it."""
    at: cython.p_uchar
    if text < end and text[0] == 47:
        return text if text + 1 == end or text[1] != 47 else cython.NULL
    if end - text < 9 or memcmp(text, b"http", 4) != 0:
        return cython.NULL
    if memcmp(text + 4, b"://", 3) == 0:
        at = text + 7
    elif memcmp(text + 4, b"s://", 4) == 0:
        at = text + 8
    else:
        return cython.NULL
    while at < end:
        if at[0] == 47:
            return at
        if at[0] == 63 or at[0] == 35 or (google and at[0] == 59):
            return cython.NULL
        at += 1
    return cython.NULL
