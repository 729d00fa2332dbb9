# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
"""The compiled twin of `reading.Reading` and `policy.Policy`: lexing and matching, typed over octets.

It answers as they do; property tests hold them equal, and where they could differ the reference is
right. What is rare is left to the reference in so many words: lines that are not plainly a field, URLs
that are not plainly `http://host/path`, and every reason for an answer. What is here is what a
crawler pays for at each file and at each question.

Bounds: every pointer is compared with the end of its text before it is read; sizes are checked before
they are narrowed to 32 bits; every allocation is checked. The GIL is held throughout.
"""

import os
import sys

import cython

if not cython.compiled:
    raise ImportError("the compiled engine was not built")

from cython.cimports.cpython.bytes import PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from cython.cimports.cpython.unicode import PyUnicode_AsUTF8AndSize
from cython.cimports.libc.stdint import uint8_t, uint32_t, uint64_t
from cython.cimports.libc.stdlib import calloc, free, malloc, realloc
from cython.cimports.libc.string import memchr, memcmp, memcpy

from ..origin import RelativeReference
from . import lexer, paths
from .grammar import GROUP_FIELDS, IDENTIFIER, UNRESERVED
from .groups import grouped
from .lexer import octets
from .selection import Directory
from .verdict import text_of

__all__ = ["Policy", "Reading"]

Entry = cython.struct(start=uint32_t, end=uint32_t, line=uint32_t, kind=uint32_t)

#: `body` is the pattern without what its end says; `head` is what stands before its first `*`.
Pattern = cython.struct(
    start=uint32_t,
    body=uint32_t,
    head=uint32_t,
    entry=uint32_t,
    flags=uint32_t,
    following=uint32_t,
    key=uint64_t,
)

#: A step of the prefix tree: from a node, over the octets of `word`, to a child or to patterns.
Slot = cython.struct(word=uint64_t, node=uint32_t, length=uint32_t, child=uint32_t, first=uint32_t)

# Kinds of entries. The first three are those that groups are made of.
DISALLOW = cython.declare(cython.uint, 0)
ALLOW = cython.declare(cython.uint, 1)
USER_AGENT = cython.declare(cython.uint, 2)
FIRST_OF_FILE = cython.declare(cython.uint, 0)
BLANK = cython.declare(cython.uint, 0)
OTHER = cython.declare(cython.uint, 0)
USAGE = cython.declare(cython.uint, 3)
BEGINS_GROUP = cython.declare(cython.uint, 0x100)

_KINDS = ("disallow", "allow", "user-agent", *GROUP_FIELDS, "sitemap", "host", "clean-param", lexer.BLANK)
_NUMBERS = {name: number for number, name in enumerate(_KINDS)}
FIRST_OF_FILE = _NUMBERS["sitemap"]
BLANK = _NUMBERS[lexer.BLANK]
OTHER = len(_KINDS)
assert _KINDS[3] == "content-usage"

CLOSES = cython.declare(cython.uint, 1)
WILD = cython.declare(cython.uint, 2)
ANCHORED = cython.declare(cython.uint, 4)
IN_ARENA = cython.declare(cython.uint, 8)

NONE = cython.declare(uint32_t, 0xFFFFFFFF)

#: Patterns up to this many, and the first questions, are answered by trying each.
FEW = cython.declare(cython.uint, 16)
PATIENCE = cython.declare(cython.uint, 6)

# Tables of octets, filled below: white space, the second thoughts of a first letter, identifiers,
# and what stays as it is in a path and in a pattern.
_white = cython.declare(uint8_t[256])
_starts = cython.declare(uint8_t[1024])
_identifier = cython.declare(uint8_t[256])
_plain_path = cython.declare(uint8_t[256])
_plain_pattern = cython.declare(uint8_t[256])
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
        _identifier[i] = i in IDENTIFIER
        _unreserved[i] = i in UNRESERVED
        _plain_path[i] = paths._PLAIN_PATH[i] == i
        _plain_pattern[i] = paths._PLAIN_PATTERN[i] == i
    for i in range(16):
        _upper[i] = b"0123456789ABCDEF"[i]
    for i in range(1024):
        _starts[i] = 0
    for name in lexer._BEGINNINGS:
        _starts[(name[0] & 31) * 32 + (name[1] & 31)] = 1
    # The multipliers are drawn anew in each process, so that no file can be made to collide.
    _multiplier = int.from_bytes(os.urandom(8), "little") | 1
    _multiplier_of_node = int.from_bytes(os.urandom(8), "little") | 1


_fill_tables()


@cython.cfunc
def _grown(old: cython.p_void, size: cython.size_t) -> cython.p_void:
    """Give memory of another size with the same content; the old is gone, unless this raises."""
    new: cython.p_void = realloc(old, size)
    if new == cython.NULL:
        raise MemoryError
    return new


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _is(text: cython.p_uchar, end: cython.p_uchar, name: cython.p_char, length: cython.size_t) -> cython.bint:
    """Compare with a name in lower case, whatever the case of the text."""
    i: cython.size_t
    if cython.cast(cython.size_t, end - text) < length:
        return False
    for i in range(length):
        if (text[i] | 32) != cython.cast(cython.uchar, name[i]):
            return False
    return True


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _known(text: cython.p_uchar, end: cython.p_uchar, length: cython.p_int) -> cython.uint:
    """Give the kind of the usual field that a line begins with, or OTHER."""
    first: cython.uchar = text[0] | 32
    if first == 100:
        if _is(text, end, b"disallow", 8):
            length[0] = 8
            return DISALLOW
    elif first == 97:
        if _is(text, end, b"allow", 5):
            length[0] = 5
            return ALLOW
    elif first == 117:
        if _is(text, end, b"user-agent", 10):
            length[0] = 10
            return USER_AGENT
    elif first == 115 and _is(text, end, b"sitemap", 7):
        length[0] = 7
        return FIRST_OF_FILE
    return OTHER


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _digit(octet: cython.uchar) -> cython.int:
    """Give the value of a hexadecimal digit, or -1."""
    if 48 <= octet <= 57:
        return octet - 48
    octet |= 32
    return octet - 87 if 97 <= octet <= 102 else -1


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _escape(octet: cython.uchar, out: cython.p_uchar) -> cython.p_uchar:
    """Write an octet as its escape; give where the next goes."""
    out[0] = 37
    out[1] = _upper[octet >> 4]
    out[2] = _upper[octet & 15]
    return out + 3


@cython.cfunc
@cython.exceptval(check=False)
def _spell(
    text: cython.p_uchar, end: cython.p_uchar, out: cython.p_uchar, plain: cython.p_uchar
) -> cython.p_uchar:
    """Spell octets as the `rfc9309` dialect compares them, as `paths._rewrite` does; give the end.

    What is written is at most three times as long.
    """
    high: cython.int
    low: cython.int
    octet: cython.uchar
    while text < end:
        octet = text[0]
        text += 1
        if plain[octet]:
            out[0] = octet
            out += 1
        elif octet != 37:
            out = _escape(octet, out)
        else:
            high = _digit(text[0]) if end - text >= 2 else -1
            low = _digit(text[1]) if high >= 0 else -1
            if low < 0:
                out[0] = 37
                out += 1
                continue
            text += 2
            octet = cython.cast(cython.uchar, 16 * high + low)
            if _unreserved[octet]:
                out[0] = octet
                out += 1
            else:
                out = _escape(octet, out)
    return out


@cython.cclass
class Settings:
    """The answers of a dialect, as the engine asks for them."""

    limit: cython.size_t
    nul: cython.bint
    blanks: cython.bint
    allows: cython.bint
    usage_ends: cython.bint
    token: cython.bint
    google_token: cython.bint
    merges_named: cython.bint
    merges_default: cython.bint
    longest: cython.bint
    wildcards: cython.bint
    escapes: cython.int
    empty_allows: cython.bint
    index_pages: cython.bint
    opens: cython.bint

    def __init__(self, dialect):
        """Ask a dialect once."""
        self.limit = dialect.line_limit or 0
        self.nul = dialect.nul_ends_line
        self.blanks = dialect.blank_line_ends_group
        self.allows = dialect.allow
        self.usage_ends = dialect.usage_ends_header
        self.google_token = dialect.agents == "google-token"
        self.token = self.google_token or dialect.agents == "token"
        self.merges_named = dialect.merges_named
        self.merges_default = dialect.merges_default
        self.longest = dialect.precedence == "longest"
        self.wildcards = dialect.wildcards
        self.escapes = ("rfc9309", "google", "draft1996", "none").index(dialect.escapes)
        self.empty_allows = dialect.empty_disallow == "allow"
        self.index_pages = dialect.index_pages
        self.opens = dialect.opens_robots_txt


_settings: dict = {}


@cython.cfunc
def _settings_of(dialect) -> Settings:
    # By identity first: hashing a dialect takes longer than reading a small file.
    known: tuple = _settings.get(id(dialect))
    if known is not None and known[0] is dialect:
        return known[1]
    made: Settings = Settings(dialect)
    if len(_settings) > 64:
        _settings.clear()
    _settings[id(dialect)] = (dialect, made)
    return made


@cython.cclass
class Chosen:
    """Some groups of a reading, to be made a policy of."""

    reading: object
    numbers: list

    def __init__(self, reading, numbers: list):
        """Choose groups by their numbers, in file order."""
        self.reading = reading
        self.numbers = numbers


@cython.cclass
class Reading:
    """What a body says, read once; the twin of `reading.Reading`."""

    dialect = cython.declare(object, visibility="readonly")
    _settings: Settings
    _body: bytes
    _entries: cython.pointer(Entry)
    _count: cython.size_t
    _room: cython.size_t
    _spans: cython.p_uint
    _group_count: cython.size_t
    _group_room: cython.size_t
    _others: dict
    _directory: object
    _sorted: tuple

    def __cinit__(self):
        self._entries = cython.NULL
        self._spans = cython.NULL

    def __dealloc__(self):
        free(self._entries)
        free(self._spans)

    def __init__(self, body: bytes, dialect):
        """Read a body in a dialect, in time proportional to it."""
        if PyBytes_GET_SIZE(body) >= 0x7FFFFFF0:
            raise OverflowError("the compiled engine reads less than 2 GiB; COMITY_PURE=1 reads more")
        self.dialect = dialect
        self._settings = _settings_of(dialect)
        self._body = body
        self._read(dialect)

    @cython.cfunc
    def _resize(self, room: cython.size_t) -> cython.int:
        """Make room for so many entries; more than there are, or just as many."""
        self._entries = cython.cast(
            cython.pointer(Entry), _grown(self._entries, (room + 1) * cython.sizeof(Entry))
        )
        self._room = room
        return 0

    @cython.cfunc
    def _begin_group(self) -> cython.int:
        if self._group_count == self._group_room:
            room: cython.size_t = 2 * self._group_room if self._group_room else 4
            self._spans = cython.cast(
                cython.p_uint, _grown(self._spans, room * 2 * cython.sizeof(cython.uint))
            )
            self._group_room = room
        self._spans[2 * self._group_count] = cython.cast(cython.uint, self._count)
        self._group_count += 1
        return 0

    @cython.cfunc
    def _read(self, dialect) -> cython.int:
        body: cython.p_uchar = cython.cast(cython.p_uchar, PyBytes_AS_STRING(self._body))
        size: cython.size_t = PyBytes_GET_SIZE(self._body)
        end: cython.p_uchar = body + size
        at: cython.p_uchar = body
        settings: Settings = self._settings
        limit: cython.size_t = settings.limit
        nul: cython.bint = settings.nul and memchr(body, 0, size) != cython.NULL
        returns: cython.bint = memchr(body, 13, size) != cython.NULL
        blanks: cython.bint = settings.blanks
        entry: cython.pointer(Entry)
        if size and body[0] == 0xEF:
            at += cython.cast(cython.size_t, lexer._mark(self._body, dialect))
        self._resize(size // 24 + 4)
        number: cython.size_t = 0
        feed: cython.p_uchar = cython.NULL
        stop: cython.p_uchar
        following: cython.p_uchar
        found: cython.p_uchar
        start: cython.p_uchar
        value: cython.p_uchar
        kind: cython.uint
        length: cython.int
        grouping: cython.bint = False
        header: cython.bint = False
        while at < end:
            number += 1
            if feed == cython.NULL or feed < at:
                feed = cython.cast(cython.p_uchar, memchr(at, 10, end - at))
                if feed == cython.NULL:
                    feed = end
            stop = feed
            following = feed + 1
            if returns:
                found = cython.cast(cython.p_uchar, memchr(at, 13, stop - at))
                if found != cython.NULL:
                    stop = found
                    following = stop + 1
                    if following < end and following[0] == 10:
                        following += 1
            start = at
            at = following
            if limit and cython.cast(cython.size_t, stop - start) > limit:
                stop = start + limit
            if nul:
                found = cython.cast(cython.p_uchar, memchr(start, 0, stop - start))
                if found != cython.NULL:
                    stop = found
            value = start
            while value < stop and _white[value[0]]:
                value += 1
            if value == stop:
                if blanks:
                    if grouping:
                        self._spans[2 * self._group_count - 1] = cython.cast(cython.uint, self._count)
                        grouping = False
                    value = stop = start
                    kind = BLANK
                else:
                    continue
            elif not _starts[(value[0] & 31) * 32 + ((value[1] & 31) if value + 1 < stop else 0)]:
                continue
            else:
                kind = _known(value, stop, cython.address(length))
            if kind != OTHER and kind != BLANK:
                value += length
                while value < stop and _white[value[0]]:
                    value += 1
                if value == stop or value[0] != 58 or (kind == ALLOW and not settings.allows):
                    kind = OTHER
                else:
                    value += 1
                    found = cython.cast(cython.p_uchar, memchr(value, 35, stop - value))
                    if found != cython.NULL:
                        stop = found
                    while value < stop and _white[value[0]]:
                        value += 1
                    while stop > value and _white[(stop - 1)[0]]:
                        stop -= 1
            if kind == OTHER:
                # The reference reads what is not plainly one of the usual fields.
                text: bytes = PyBytes_FromStringAndSize(cython.cast(cython.p_char, start), stop - start)
                field, _, _, first, last = lexer._read(text, dialect)
                if field is None:
                    continue
                value = start + cython.cast(cython.size_t, first)
                stop = start + cython.cast(cython.size_t, last)
                kind = _NUMBERS.get(field, OTHER)
                if kind == OTHER:
                    if self._others is None:
                        self._others = {}
                    self._others[self._count] = field
            if kind == USER_AGENT:
                if not header or not grouping:
                    if grouping:
                        self._spans[2 * self._group_count - 1] = cython.cast(cython.uint, self._count)
                    self._begin_group()
                    grouping = header = True
            elif kind < 2 or (kind == USAGE and settings.usage_ends):
                header = False
            if self._count == self._room:
                self._resize(2 * self._room)
            entry = self._entries + self._count
            entry.start = cython.cast(uint32_t, value - body)
            entry.end = cython.cast(uint32_t, stop - body)
            entry.line = cython.cast(uint32_t, number)
            entry.kind = kind
            self._count += 1
        if grouping:
            self._spans[2 * self._group_count - 1] = cython.cast(cython.uint, self._count)
        if self._count < self._room:
            self._resize(self._count)
        return 0

    @cython.cfunc
    def _record(self, place: cython.size_t):
        entry: cython.pointer(Entry) = self._entries + place
        name = self._others[place] if entry.kind == OTHER else _KINDS[entry.kind]
        return entry.line, name, self._body[entry.start : entry.end]

    @cython.cfunc
    def _sort_out(self) -> tuple:
        if self._sorted is None:
            place: cython.size_t
            records = [self._record(place) for place in range(self._count)]
            self._sorted = grouped(records, self.dialect)
        return self._sorted

    @property
    def groups(self):
        """The groups, in file order."""
        return self._sort_out()[0]

    @property
    def whole_file(self):
        """The fields that stand for the whole file."""
        return self._sort_out()[1]

    @property
    def strays(self):
        """The rules and fields that stand in no group."""
        return self._sort_out()[2]

    @property
    def has_groups(self):
        """Whether the body names any robot at all."""
        return self._group_count > 0

    def select(self, names):
        """Give the name by which groups speak to a robot, and those groups, in file order."""
        settings: Settings = self._settings
        if not settings.token:
            if self._directory is None:
                self._directory = Directory([group.names for group in self.groups], self.dialect)
            selection = self._directory.select(names)
            return selection.name, Chosen(self, list(dict.fromkeys(group for group, _ in selection.mentions)))
        google: cython.bint = settings.google_token
        for name in names:
            encoded: bytes = octets(name).lower()
            numbers = self._groups_for(encoded, google)
            if numbers:
                return name, Chosen(self, numbers if settings.merges_named else numbers[:1])
        numbers = self._groups_for(None, google)
        if numbers:
            return "*", Chosen(self, numbers if settings.merges_default else numbers[:1])
        return None, Chosen(self, [])

    @cython.cfunc
    def _groups_for(self, name, google: cython.bint) -> list:
        """Give the groups that have a name among their `User-agent` lines; the default groups for `None`."""
        found: list = []
        body: cython.p_uchar = cython.cast(cython.p_uchar, PyBytes_AS_STRING(self._body))
        default: cython.bint = name is None
        wanted: cython.p_uchar = cython.NULL
        length: cython.size_t = 0
        group: cython.size_t
        place: cython.uint
        entry: cython.pointer(Entry)
        if not default:
            wanted = cython.cast(cython.p_uchar, PyBytes_AS_STRING(name))
            length = PyBytes_GET_SIZE(name)
            if not length and not google:
                return found
        for group in range(self._group_count):
            for place in range(self._spans[2 * group], self._spans[2 * group + 1]):
                entry = self._entries + place
                if (
                    entry.kind == USER_AGENT
                    and _is_default(body + entry.start, body + entry.end, google) == default
                    and (default or _is_named(body + entry.start, body + entry.end, wanted, length, google))
                ):
                    found.append(group)
                    break
        return found


@cython.cfunc
@cython.exceptval(check=False)
def _is_default(value: cython.p_uchar, end: cython.p_uchar, google: cython.bint) -> cython.bint:
    if value == end or value[0] != 42:
        return False
    return value + 1 == end or (google and _white[value[1]])


@cython.cfunc
@cython.exceptval(check=False)
def _same(value: cython.p_uchar, wanted: cython.p_uchar, length: cython.size_t) -> cython.bint:
    """Compare with octets in lower case, in which only ASCII has case."""
    i: cython.size_t
    octet: cython.uchar
    for i in range(length):
        octet = value[i]
        if 65 <= octet <= 90:
            octet += 32
        if octet != wanted[i]:
            return False
    return True


@cython.cfunc
@cython.exceptval(check=False)
def _is_named(
    value: cython.p_uchar,
    end: cython.p_uchar,
    wanted: cython.p_uchar,
    length: cython.size_t,
    google: cython.bint,
) -> cython.bint:
    at: cython.p_uchar = value
    while at < end and _identifier[at[0]]:
        at += 1
    if cython.cast(cython.size_t, at - value) == length and _same(value, wanted, length):
        return True
    if google:
        return False
    at = value
    while at < end and at[0] != 32 and at[0] != 9 and at[0] != 47 and at[0] != 44:
        at += 1
    return cython.cast(cython.size_t, at - value) == length and _same(value, wanted, length)


@cython.cclass
class Policy:
    """The rules of some groups as one, ready for questions; the twin of `policy.Policy`."""

    dialect = cython.declare(object, visibility="readonly")
    _text: cython.p_uchar
    _entries: cython.pointer(Entry)
    _count: cython.size_t
    _raw: tuple
    _settings: Settings
    _escapes: cython.int
    _arena: cython.p_uchar
    _arena_size: cython.size_t
    _arena_room: cython.size_t
    _patterns: cython.pointer(Pattern)
    _pattern_count: cython.size_t
    _pattern_room: cython.size_t
    _prepared: cython.bint
    _questions: cython.uint
    _slots: cython.pointer(Slot)
    _slot_mask: cython.size_t
    _slot_shift: cython.int
    _slot_count: cython.size_t
    _masks: cython.p_uchar
    _node_count: cython.size_t
    _node_room: cython.size_t
    _root: uint32_t

    def __cinit__(self):
        self._text = cython.NULL
        self._entries = cython.NULL
        self._arena = cython.NULL
        self._patterns = cython.NULL
        self._slots = cython.NULL
        self._masks = cython.NULL

    def __dealloc__(self):
        free(self._text)
        free(self._entries)
        free(self._arena)
        free(self._patterns)
        free(self._slots)
        free(self._masks)

    def __init__(self, dialect, groups):
        """Merge groups, in file order."""
        self.dialect = dialect
        self._settings = _settings_of(dialect)
        self._escapes = self._settings.escapes
        if isinstance(groups, Chosen):
            self._take(groups)
        else:
            self._raw = tuple(groups)
            self._copy([sorted([*g.agents, *g.rules, *(field for field, _, _ in g.fields)]) for g in groups])

    @cython.cfunc
    def _take(self, chosen: Chosen) -> cython.int:
        """Copy what the chosen groups say, and nothing else of the file."""
        reading: Reading = chosen.reading
        body: cython.p_uchar = cython.cast(cython.p_uchar, PyBytes_AS_STRING(reading._body))
        count: cython.size_t = 0
        size: cython.size_t = 0
        entry: cython.pointer(Entry)
        group: cython.size_t
        place: cython.uint
        for group in chosen.numbers:
            for place in range(reading._spans[2 * group], reading._spans[2 * group + 1]):
                entry = reading._entries + place
                if entry.kind < FIRST_OF_FILE:
                    count += 1
                    size += entry.end - entry.start
        self._make_room(count, size)
        size = 0
        for group in chosen.numbers:
            for place in range(reading._spans[2 * group], reading._spans[2 * group + 1]):
                entry = reading._entries + place
                if entry.kind < FIRST_OF_FILE:
                    kept: cython.pointer(Entry) = self._entries + self._count
                    length: cython.size_t = entry.end - entry.start
                    memcpy(self._text + size, body + entry.start, length)
                    kept.start = cython.cast(uint32_t, size)
                    size += length
                    kept.end = cython.cast(uint32_t, size)
                    kept.line = entry.line
                    kept.kind = entry.kind | (BEGINS_GROUP if place == reading._spans[2 * group] else 0)
                    self._count += 1
        return 0

    @cython.cfunc
    def _copy(self, groups: list) -> cython.int:
        """Copy records that come from elsewhere, as from a pickle."""
        values: list = [value for group in groups for _, _, value in group]
        text: bytes = b"".join(values)
        self._make_room(len(values), len(text))
        memcpy(self._text, cython.cast(cython.p_uchar, PyBytes_AS_STRING(text)), len(text))
        size: cython.size_t = 0
        for group in groups:
            begins: cython.uint = BEGINS_GROUP
            for line, name, value in group:
                kept: cython.pointer(Entry) = self._entries + self._count
                kept.start = cython.cast(uint32_t, size)
                size += len(value)
                kept.end = cython.cast(uint32_t, size)
                kept.line = line
                kept.kind = cython.cast(cython.uint, _NUMBERS[name]) | begins
                begins = 0
                self._count += 1
        return 0

    @cython.cfunc
    def _make_room(self, count: cython.size_t, size: cython.size_t) -> cython.int:
        if size >= 0x7FFFFFF0:
            raise OverflowError("the compiled engine keeps less than 2 GiB of rules")
        self._entries = cython.cast(cython.pointer(Entry), malloc((count + 1) * cython.sizeof(Entry)))
        self._text = cython.cast(cython.p_uchar, malloc(size + 1))
        if self._entries == cython.NULL or self._text == cython.NULL:
            raise MemoryError
        return 0

    @property
    def raw_groups(self):
        """The groups as the reference has them, made when they are asked for."""
        if self._raw is None:
            place: cython.size_t
            groups: list = []
            records: list = []
            for place in range(self._count):
                entry: cython.pointer(Entry) = self._entries + place
                if entry.kind & BEGINS_GROUP:
                    records = []
                    groups.append(records)
                value = PyBytes_FromStringAndSize(
                    cython.cast(cython.p_char, self._text + entry.start), entry.end - entry.start
                )
                records.append((entry.line, _KINDS[entry.kind & 0xFF], value))
            self._raw = tuple([grouped(group, self.dialect)[0][0] for group in groups])
        return self._raw

    # Patterns ---------------------------------------------------------------------------------

    @cython.cfunc
    def _store(self, text: cython.p_uchar, room: cython.size_t, length: cython.size_t) -> cython.size_t:
        """Make room for octets of our own and put some there; give where. `text` may lie elsewhere only
        if `length` is not 0."""
        place: cython.size_t = self._arena_size
        if place + room >= 0x7FFFFFF0:
            raise OverflowError("the compiled engine keeps less than 2 GiB of patterns")
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
        octets_counted: cython.size_t,
        place: cython.size_t,
        flags: cython.uint,
    ) -> cython.int:
        """Take a pattern apart, as `compile_pattern` does, and keep it if it can match anything."""
        body: cython.size_t = length
        head: cython.size_t
        star: cython.p_uchar = cython.NULL
        if self._settings.wildcards:
            if body and text[body - 1] == 36:
                body -= 1
                if not (body and text[body - 1] == 42):
                    flags |= ANCHORED
            if not flags & ANCHORED:
                while body and text[body - 1] == 42:
                    body -= 1
            star = cython.cast(cython.p_uchar, memchr(text, 42, body))
        head = body
        if star != cython.NULL:
            flags |= WILD
            head = star - text
        if head and text[0] != 47:
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
        pattern.head = cython.cast(uint32_t, head)
        pattern.entry = cython.cast(uint32_t, place)
        pattern.flags = flags
        pattern.following = NONE
        key: uint64_t = 0xFFFFFFFF - place
        if self._settings.longest:
            key |= cython.cast(uint64_t, octets_counted) << 33
            if (self._entries[place].kind & 0xFF) == ALLOW:
                key |= cython.cast(uint64_t, 1) << 32
        pattern.key = key
        self._pattern_count += 1
        return 0

    @cython.cfunc
    def _add_written(
        self, written: str, counted: cython.size_t, place: cython.size_t, flags: cython.uint
    ) -> cython.int:
        """Keep a pattern that the reference has spelled, an octet a character."""
        text: bytes = written.encode("latin-1")
        at: cython.size_t = self._store(
            cython.cast(cython.p_uchar, PyBytes_AS_STRING(text)), len(text), len(text)
        )
        return self._add(self._arena + at, at, len(text), counted, place, flags | IN_ARENA)

    @cython.cfunc
    def _add_spelled(
        self, text: cython.p_uchar, length: cython.size_t, place: cython.size_t, flags: cython.uint
    ) -> cython.int:
        """Keep a pattern of the `rfc9309` dialect as it is compared, and its query's other spellings."""
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
        """Keep a pattern without escapes with its query's general delimiters escaped."""
        written: cython.size_t = self._arena_size
        self._store(self._arena + start, 3 * length, 0)
        text: cython.p_uchar = self._arena + start
        end: cython.p_uchar = text + length
        out: cython.p_uchar = self._arena + written
        query: cython.bint = False
        while text < end:
            octet: cython.uchar = text[0]
            if query and (
                octet == 58 or octet == 47 or octet == 63 or octet == 91 or octet == 93 or octet == 64
            ):
                out = _escape(octet, out)
            else:
                out[0] = octet
                out += 1
                if octet == 63:
                    query = True
            text += 1
        counted: cython.size_t = out - (self._arena + written)
        self._arena_size = written + counted
        if counted > length:
            self._add(self._arena + written, written, counted, length, place, flags | IN_ARENA)
        return 0

    @cython.cfunc
    def _prepare(self) -> cython.int:
        """Make the rules ready to be matched: once, at the first question."""
        place: cython.size_t
        i: cython.size_t
        length: cython.size_t
        flags: cython.uint
        kind: cython.uint
        plain: cython.bint
        question: cython.bint
        text: cython.p_uchar
        read = paths.pattern_reader(self.dialect)
        empty_allows: cython.bint = self._settings.empty_allows
        index_pages: cython.bint = self._settings.index_pages
        self._pattern_count = 0
        self._arena_size = 0
        for place in range(self._count):
            kind = self._entries[place].kind & 0xFF
            if kind > 1:
                continue
            text = self._text + self._entries[place].start
            length = self._entries[place].end - self._entries[place].start
            flags = CLOSES if kind == 0 and length else 0
            if not length:
                if kind == 0 and empty_allows:
                    self._add(text, self._entries[place].start, 0, 0, place, flags)
                continue
            plain = True
            question = False
            if self._escapes == 0:
                for i in range(length):
                    if not _plain_pattern[text[i]] and not (text[i] == 36 and i == length - 1):
                        plain = False
                        break
                    if text[i] == 63 and kind == 0:
                        question = True
                if plain and question:
                    # Only delimiters after the `?` have another spelling (paths.query_spellings).
                    question = False
                    i = cython.cast(cython.p_uchar, memchr(text, 63, length)) - text + 1
                    while i < length:
                        if (
                            text[i] == 58
                            or text[i] == 47
                            or text[i] == 63
                            or text[i] == 91
                            or text[i] == 93
                            or text[i] == 64
                        ):
                            question = True
                            break
                        i += 1
            elif self._escapes == 1 or self._escapes == 2:
                for i in range(length):
                    if text[i] == 37 or (text[i] > 127 and self._escapes == 1):
                        plain = False
                        break
            if plain and not question:
                self._add(text, self._entries[place].start, length, length, place, flags)
                if index_pages and kind == 1:
                    self._add_index_page(text[:length].decode("latin-1"), place, flags)
                continue
            if self._escapes == 0:
                self._add_spelled(text, length, place, flags)
                continue
            written: str = read(cython.cast(bytes, text[:length]))
            self._add_written(written, len(written), place, flags)
            if index_pages and kind == 1:
                self._add_index_page(written, place, flags)
        self._prepared = True
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
        """Give the slot of a step, or the free one where it would stand."""
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
        """Make the table 2 to the power of `bits` slots."""
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
        """Give the slot of a step from a node, made if there is none."""
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
        """Build the prefix tree over the heads of all patterns."""
        bits: cython.int = 5
        order: cython.pointer(uint32_t) = cython.cast(
            cython.pointer(uint32_t), malloc((self._pattern_count + 1) * cython.sizeof(uint32_t))
        )
        if order == cython.NULL:
            raise MemoryError
        try:
            self._sort(order)
            self._plant(order, bits)
        except BaseException:
            # Half an index would leave rules out: the next question builds it anew.
            free(self._slots)
            free(self._masks)
            self._slots = cython.NULL
            self._masks = cython.NULL
            raise
        finally:
            free(order)
        return 0

    @cython.cfunc
    @cython.exceptval(check=False)
    def _sort(self, order: cython.pointer(uint32_t)) -> cython.void:
        """Order the patterns by key, the least first; by a heap, whose worst case is no worse."""
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
    def _plant(self, order: cython.pointer(uint32_t), bits: cython.int) -> cython.int:
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
        # The best come last, so that each is put before those that it wins over.
        for i in range(self._pattern_count):
            self._insert(order[i])
        return 0

    @cython.cfunc
    def _insert(self, place: uint32_t) -> cython.int:
        pattern: cython.pointer(Pattern) = self._patterns + place
        text: cython.p_uchar = (self._arena if pattern.flags & IN_ARENA else self._text) + pattern.start
        left: uint32_t = pattern.head
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

    # Questions --------------------------------------------------------------------------------

    @cython.cfunc
    @cython.exceptval(check=False)
    def _matches(
        self, pattern: cython.pointer(Pattern), path: cython.p_uchar, size: cython.size_t
    ) -> cython.bint:
        """Say whether a path whose beginning is the pattern's head matches it."""
        if not pattern.flags & WILD:
            return not pattern.flags & ANCHORED or size == pattern.head
        text: cython.p_uchar = (self._arena if pattern.flags & IN_ARENA else self._text) + pattern.start
        end: cython.p_uchar = text + pattern.body
        piece: cython.p_uchar = text + pattern.head
        stop: cython.p_uchar
        at: cython.p_uchar = path + pattern.head
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
        """Give the better of `best` and the best of a list of patterns that the path matches."""
        while first != NONE:
            pattern: cython.pointer(Pattern) = self._patterns + first
            if best != NONE and pattern.key <= self._patterns[best].key:
                break
            if self._matches(pattern, path, size):
                return first
            first = pattern.following
        return best

    @cython.cfunc
    def _winner(self, path: cython.p_uchar, size: cython.size_t) -> uint32_t:
        """Give the pattern that wins a path, or NONE."""
        best: uint32_t = NONE
        if not self._prepared:
            self._prepare()
        if self._slots == cython.NULL:
            self._questions += 1
            if self._pattern_count <= FEW or self._questions <= PATIENCE:
                i: cython.size_t
                for i in range(self._pattern_count):
                    pattern: cython.pointer(Pattern) = self._patterns + i
                    if (
                        pattern.head <= size
                        and (best == NONE or pattern.key > self._patterns[best].key)
                        and memcmp(
                            path,
                            (self._arena if pattern.flags & IN_ARENA else self._text) + pattern.start,
                            pattern.head,
                        )
                        == 0
                        and self._matches(pattern, path, size)
                    ):
                        best = cython.cast(uint32_t, i)
                return best
            self._index()
        node: uint32_t = 0
        at: cython.p_uchar = path
        left: cython.size_t = size
        slot: cython.pointer(Slot)
        word: uint64_t
        mask: cython.uint
        length: uint32_t
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

    @cython.cfunc
    def _ask(self, url) -> uint32_t:
        """Give the pattern that wins a URL, or NONE; also for a robots.txt that is always open."""
        size: cython.Py_ssize_t = 0
        text: cython.p_uchar
        kept: object = url
        if isinstance(url, str):
            try:
                text = cython.cast(cython.p_uchar, PyUnicode_AsUTF8AndSize(url, cython.address(size)))
            except UnicodeEncodeError:
                kept = octets(url)
                text = cython.cast(cython.p_uchar, PyBytes_AS_STRING(kept))
                size = PyBytes_GET_SIZE(kept)
        elif isinstance(url, bytes):
            text = cython.cast(cython.p_uchar, PyBytes_AS_STRING(url))
            size = PyBytes_GET_SIZE(url)
        else:
            raise TypeError(f"a URL is str or bytes, not {type(url).__name__}")
        end: cython.p_uchar = text + size
        path: cython.p_uchar = _path_of(text, end, self._escapes == 1)
        found: cython.p_uchar
        if path == cython.NULL:
            return self._ask_otherwise(url)
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
        """Ask about a path that has to be spelled as the `rfc9309` dialect compares it."""
        while end > path and _white[(end - 1)[0]] and (end - 1)[0] != 32:
            end -= 1  # ends of lines do not belong to a URL (paths.rewritten)
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
        """Ask about a URL that the reference takes apart, or refuses."""
        first: uint32_t
        second: uint32_t
        try:
            path = paths.path_reader(self.dialect)(text_of(url) if isinstance(url, bytes) else url)
        except RelativeReference as doubt:
            readings = doubt.readings
        else:
            return self._ask_rewritten(path)
        first = self._ask(readings[0])
        if first != NONE and self._patterns[first].flags & CLOSES:
            return first
        second = self._ask(readings[1])
        return second if second != NONE and self._patterns[second].flags & CLOSES else first

    @cython.cfunc
    def _ask_rewritten(self, path: str) -> uint32_t:
        rewritten: bytes = path.encode("latin-1")
        return self._answer(
            cython.cast(cython.p_uchar, PyBytes_AS_STRING(rewritten)), PyBytes_GET_SIZE(rewritten)
        )

    @cython.cfunc
    def _answer(self, path: cython.p_uchar, size: cython.size_t) -> uint32_t:
        if size == 11 and self._settings.opens and memcmp(path, b"/robots.txt", 11) == 0:
            return NONE
        return self._winner(path, size)

    def allowed(self, url) -> bool:
        """Say whether a URL is allowed.

        Raises `InvalidURL` for a URL with a scheme and no host, as `mailto:`.
        """
        best: uint32_t = self._ask(url)
        return best == NONE or not self._patterns[best].flags & CLOSES

    def allowed_many(self, urls) -> list:
        """Say of each URL, in order, whether it is allowed."""
        best: uint32_t
        answers: list = []
        if isinstance(urls, (str, bytes)):
            raise TypeError("allowed_many takes several URLs; for one there is allowed")
        for url in urls:
            best = self._ask(url)
            answers.append(best == NONE or not self._patterns[best].flags & CLOSES)
        return answers

    def winning_line(self, url):
        """Give the line of the rule that decides about a URL, or `None`."""
        best: uint32_t = self._ask(url)
        return None if best == NONE else self._entries[self._patterns[best].entry].line


@cython.cfunc
@cython.exceptval(check=False)
def _search(
    at: cython.p_uchar, end: cython.p_uchar, piece: cython.p_uchar, length: cython.size_t
) -> cython.p_uchar:
    """Find a piece as early as it can be, or NULL."""
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
    # The first octet is everywhere: compare up to eight octets at once at each place.
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
    """Find where the path begins in a plain URL, or NULL if the reference must look."""
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
