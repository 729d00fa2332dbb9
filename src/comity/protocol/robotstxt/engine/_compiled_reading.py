# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
"""The compiled engine, first part: a body -> its fields and groups, as `reference.Reading` reads it.

Rare cases are left to the reference: unusual spellings of fields, names in a dialect that does not compare
tokens, and the groups as values.

Bounds: every pointer is compared with the end of its text before it is read; sizes are checked before they
are narrowed to 32 bits; every allocation is checked. The GIL is held throughout.
"""

import cython

if not cython.compiled:
    raise ImportError("the compiled engine was not built")

from cython.cimports.cpython.bytes import PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from cython.cimports.libc.stdint import uint8_t, uint32_t
from cython.cimports.libc.stdlib import free, realloc
from cython.cimports.libc.string import memchr, memcpy

from ...text import to_bytes
from .. import lexer
from ..grammar import GROUP_FIELDS, IDENTIFIER
from ..groups import grouped
from ..selection import Directory

__all__ = ["KINDS", "SelectedGroups", "Reading"]

#: A field of the file: the byte offsets of its value, its line, and its index in `KINDS`.
Entry = cython.struct(start=uint32_t, end=uint32_t, line=uint32_t, kind=uint32_t)

# Kinds of entries. The first three make up groups.
DISALLOW = cython.declare(cython.uint, 0)
ALLOW = cython.declare(cython.uint, 1)
USER_AGENT = cython.declare(cython.uint, 2)
FIRST_OF_FILE = cython.declare(cython.uint, 0)
CRAWL_DELAY = cython.declare(cython.uint, 0)
NOINDEX = cython.declare(cython.uint, 0)
HOST = cython.declare(cython.uint, 0)
BLANK = cython.declare(cython.uint, 0)
OTHER = cython.declare(cython.uint, 0)
USAGE = cython.declare(cython.uint, 3)
BEGINS_GROUP = cython.declare(cython.uint, 0x100)

KINDS = ("disallow", "allow", "user-agent", *GROUP_FIELDS, "sitemap", "host", "clean-param", lexer.BLANK)
_NUMBERS = {name: number for number, name in enumerate(KINDS)}
FIRST_OF_FILE = _NUMBERS["sitemap"]
CRAWL_DELAY = _NUMBERS["crawl-delay"]
NOINDEX = _NUMBERS["noindex"]
HOST = _NUMBERS["host"]
BLANK = _NUMBERS[lexer.BLANK]
OTHER = len(KINDS)
assert KINDS[3] == "content-usage"

# Tables of bytes, filled below: white space, the first two letters of all fields, identifiers.
_white = cython.declare(uint8_t[256])
_starts = cython.declare(uint8_t[1024])
_identifier = cython.declare(uint8_t[256])


def _fill_tables():
    i: cython.int
    for i in range(256):
        _white[i] = i in b" \t\n\r\x0b\x0c"
        _identifier[i] = i in IDENTIFIER
    for i in range(1024):
        _starts[i] = 0
    for name in lexer._BEGINNINGS:
        _starts[(name[0] & 31) * 32 + (name[1] & 31)] = 1


_fill_tables()


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
def _is(text: cython.p_uchar, end: cython.p_uchar, name: cython.p_char, length: cython.size_t) -> cython.bint:
    """Return whether a text begins with a name in lower case, without regard to the case of the text."""
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
def _frequent_field(text: cython.p_uchar, end: cython.p_uchar, length: cython.p_int) -> cython.uint:
    """Return the kind of the frequent field that a line begins with, or OTHER."""
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
    elif first == 115:
        if _is(text, end, b"sitemap", 7):
            length[0] = 7
            return FIRST_OF_FILE
    elif first == 99:
        if _is(text, end, b"crawl-delay", 11):
            length[0] = 11
            return CRAWL_DELAY
    elif first == 110:
        if _is(text, end, b"noindex", 7):
            length[0] = 7
            return NOINDEX
    elif first == 104 and _is(text, end, b"host", 4):
        length[0] = 4
        return HOST
    return OTHER


@cython.final
@cython.auto_pickle(False)
@cython.cclass
class Settings:
    """The settings of a dialect for reading."""

    limit: cython.size_t
    nul: cython.bint
    blanks: cython.bint
    allows: cython.bint
    usage_ends: cython.bint
    token: cython.bint
    google_token: cython.bint
    merges_named: cython.bint
    merges_default: cython.bint

    def __cinit__(self, dialect):
        """Copy the settings of a dialect."""
        self.limit = dialect.line_limit or 0
        self.nul = dialect.nul_ends_line
        self.blanks = dialect.blank_line_ends_group
        self.allows = dialect.allow
        self.usage_ends = dialect.usage_ends_header
        self.google_token = dialect.agent_match == "google-token"
        self.token = self.google_token or dialect.agent_match == "token"
        self.merges_named = dialect.merges_named
        self.merges_default = dialect.merges_default


_known_settings: dict = {}
_last: tuple = (None, None)


@cython.cfunc
def _settings_of(dialect) -> Settings:
    """Return the settings of a dialect, found by identity: hashing a dialect is slower than a small file."""
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


@cython.final
@cython.auto_pickle(False)
@cython.cclass
class SelectedGroups:
    """The fields of selected groups, for `RankedRules`. Only a `Reading` creates one.

    `packed` has an entry of four native 32-bit numbers for each field, and then the text that the entries
    refer to. The first entry is a header: the number of entries (`start`) and the length of the text (`end`).
    """

    packed = cython.declare(bytes, visibility="readonly")


@cython.no_gc_clear
@cython.auto_pickle(False)
@cython.cclass
class Reading:
    """The groups and the other fields of a body; answers as `reference.Reading` does."""

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

    def __cinit__(self, body: bytes, dialect):
        # `__init__` could be called again, and `__cinit__` cannot.
        self._entries = cython.NULL
        self._spans = cython.NULL
        if PyBytes_GET_SIZE(body) >= 0x7FFFFFF0:
            raise OverflowError("the compiled engine reads less than 2 GiB; COMITY_PURE=1 reads more")
        settings: Settings = _settings_of(dialect)
        self.dialect = dialect
        self._body = body
        self._read(dialect, settings)
        self._settings = settings

    def __dealloc__(self):
        free(self._entries)
        free(self._spans)

    def __init__(self, body: bytes, dialect):
        """Read a body in a dialect, in time proportional to its length."""

    @cython.cfunc
    def _require(self) -> cython.int:
        """Raise `TypeError` while the body is read: a signal handler finds the object with `gc`."""
        if self._settings is None:
            raise TypeError("the body has not been read")
        return 0

    @cython.cfunc
    def _resize(self, room: cython.size_t) -> cython.int:
        """Resize the array of entries; `room` is at least the current number."""
        self._entries = cython.cast(
            cython.pointer(Entry), _grown(self._entries, (room + 1) * cython.sizeof(Entry))
        )
        self._room = room
        return 0

    @cython.cfunc
    def _begin_group(self, count: cython.size_t) -> cython.int:
        """Begin a group with the entry of this index."""
        if self._group_count == self._group_room:
            room: cython.size_t = 2 * self._group_room if self._group_room else 4
            self._spans = cython.cast(
                cython.p_uint, _grown(self._spans, room * 2 * cython.sizeof(cython.uint))
            )
            self._group_room = room
        self._spans[2 * self._group_count] = cython.cast(cython.uint, count)
        self._group_count += 1
        return 0

    @cython.cfunc
    def _read(self, dialect, settings: Settings) -> cython.int:
        body: cython.p_uchar = cython.cast(cython.p_uchar, PyBytes_AS_STRING(self._body))
        size: cython.size_t = PyBytes_GET_SIZE(self._body)
        end: cython.p_uchar = body + size
        at: cython.p_uchar = body
        limit: cython.size_t = settings.limit
        nul: cython.bint = settings.nul and memchr(body, 0, size) != cython.NULL
        blanks: cython.bint = settings.blanks
        entry: cython.pointer(Entry)
        if size and body[0] == 0xEF:
            skipped: cython.size_t = lexer._mark(self._body, dialect)
            at += min(skipped, size)
        self._resize(size // 24 + 4)
        number: cython.size_t = 0
        count: cython.size_t = 0
        # The next line feed, carriage return and `#`; each is searched for again once it is passed.
        feed: cython.p_uchar = cython.NULL
        turn: cython.p_uchar = at
        mark: cython.p_uchar = at
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
            if turn < stop:
                if turn <= at:
                    turn = cython.cast(cython.p_uchar, memchr(at, 13, end - at))
                    if turn == cython.NULL:
                        turn = end
                if turn < stop:
                    stop = turn
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
                        self._spans[2 * self._group_count - 1] = cython.cast(cython.uint, count)
                        grouping = False
                    value = stop = start
                    kind = BLANK
                else:
                    continue
            elif not _starts[(value[0] & 31) * 32 + ((value[1] & 31) if value + 1 < stop else 0)]:
                continue
            else:
                kind = _frequent_field(value, stop, cython.address(length))
            if kind != OTHER and kind != BLANK:
                value += length
                while value < stop and _white[value[0]]:
                    value += 1
                if value == stop or value[0] != 58 or (kind == ALLOW and not settings.allows):
                    kind = OTHER
                else:
                    value += 1
                    if mark < value:
                        mark = cython.cast(cython.p_uchar, memchr(value, 35, end - value))
                        if mark == cython.NULL:
                            mark = end
                    if mark < stop:
                        stop = mark
                    while value < stop and _white[value[0]]:
                        value += 1
                    while stop > value and _white[(stop - 1)[0]]:
                        stop -= 1
            if kind == OTHER:
                # The reference reads unusual lines.
                text: bytes = PyBytes_FromStringAndSize(cython.cast(cython.p_char, start), stop - start)
                field, _, _, first, last = lexer._read(text, dialect)
                if field is None:
                    continue
                if not 0 <= first <= last <= stop - start:
                    raise ValueError("the reference returned a value outside of the line")
                value = start + cython.cast(cython.size_t, first)
                stop = start + cython.cast(cython.size_t, last)
                kind = _NUMBERS.get(field, OTHER)
                if kind == OTHER:
                    if self._others is None:
                        self._others = {}
                    self._others[count] = field
            if kind == USER_AGENT:
                if not header or not grouping:
                    if grouping:
                        self._spans[2 * self._group_count - 1] = cython.cast(cython.uint, count)
                    self._begin_group(count)
                    grouping = header = True
            elif kind < 2 or (kind == USAGE and settings.usage_ends):
                header = False
            if count == self._room:
                self._resize(2 * self._room)
            entry = self._entries + count
            entry.start = cython.cast(uint32_t, value - body)
            entry.end = cython.cast(uint32_t, stop - body)
            entry.line = cython.cast(uint32_t, number)
            entry.kind = kind
            count += 1
        if grouping:
            self._spans[2 * self._group_count - 1] = cython.cast(cython.uint, count)
        self._count = count
        if count < self._room:
            self._resize(count)
        return 0

    @cython.cfunc
    def _record(self, place: cython.size_t):
        entry: cython.pointer(Entry) = self._entries + place
        name = self._others[place] if entry.kind == OTHER else KINDS[entry.kind]
        return entry.line, name, self._body[entry.start : entry.end]

    @cython.cfunc
    def _grouped(self) -> tuple:
        self._require()
        if self._sorted is None:
            place: cython.size_t
            records = [self._record(place) for place in range(self._count)]
            self._sorted = grouped(records, self.dialect)
        return self._sorted

    @property
    def groups(self):
        """The groups, in file order."""
        return self._grouped()[0]

    @property
    def whole_file(self):
        """The fields of the whole file."""
        return self._grouped()[1]

    @property
    def strays(self):
        """The rules and fields outside of any group."""
        return self._grouped()[2]

    @property
    def has_groups(self):
        """Whether the body has any group."""
        self._require()
        return self._group_count > 0

    def select(self, names):
        """Return the name that selected groups for a robot, and those groups in file order."""
        self._require()
        settings: Settings = self._settings
        if not settings.token:
            if self._directory is None:
                self._directory = Directory([group.names for group in self.groups], self.dialect)
            selection = self._directory.select(names)
            return selection.name, self._select(list(dict.fromkeys(group for group, _ in selection.mentions)))
        google: cython.bint = settings.google_token
        for name in names:
            # Not the method of `name`, which may be an instance of a subclass.
            key = bytes.lower(to_bytes(name))
            if key == b"" or key == b"*":
                continue  # a robot without a name, see `Directory.select`
            numbers = self._groups_for(key, False, google)
            if numbers:
                return name, self._select(numbers if settings.merges_named else numbers[:1])
        numbers = self._groups_for(b"", True, google)
        if numbers:
            return "*", self._select(numbers if settings.merges_default else numbers[:1])
        return None, self._select(numbers)

    @cython.cfunc
    def _select(self, numbers: list):
        """Copy the fields of some groups, so that the rest of the file can be freed."""
        body: cython.p_uchar = cython.cast(cython.p_uchar, PyBytes_AS_STRING(self._body))
        count: cython.size_t = 0
        size: cython.size_t = 0
        entry: cython.pointer(Entry)
        group: cython.size_t
        place: cython.uint
        for group in numbers:
            if group >= self._group_count:
                raise IndexError("no such group")
            for place in range(self._spans[2 * group], self._spans[2 * group + 1]):
                entry = self._entries + place
                if entry.kind < FIRST_OF_FILE:
                    count += 1
                    size += entry.end - entry.start
        # No entry is shorter than the name of its field, so this is less than six times the body.
        chosen: SelectedGroups = SelectedGroups.__new__(SelectedGroups)
        chosen.packed = PyBytes_FromStringAndSize(cython.NULL, (1 + count) * cython.sizeof(Entry) + size)
        kept: cython.pointer(Entry) = cython.cast(cython.pointer(Entry), PyBytes_AS_STRING(chosen.packed))
        text: cython.p_uchar = cython.cast(cython.p_uchar, kept + 1 + count)
        kept.start = cython.cast(uint32_t, count)
        kept.end = cython.cast(uint32_t, size)
        kept.line = kept.kind = 0
        size = 0
        for group in numbers:
            for place in range(self._spans[2 * group], self._spans[2 * group + 1]):
                entry = self._entries + place
                if entry.kind < FIRST_OF_FILE:
                    kept += 1
                    kept.start = cython.cast(uint32_t, size)
                    memcpy(text + size, body + entry.start, entry.end - entry.start)
                    size += entry.end - entry.start
                    kept.end = cython.cast(uint32_t, size)
                    kept.line = entry.line
                    kept.kind = entry.kind | (BEGINS_GROUP if place == self._spans[2 * group] else 0)
        return chosen

    @cython.cfunc
    def _groups_for(self, name: bytes, default: cython.bint, google: cython.bint) -> list:
        """Return the groups that have a name in their `User-agent` lines, or the default groups."""
        found: list = []
        body: cython.p_uchar = cython.cast(cython.p_uchar, PyBytes_AS_STRING(self._body))
        wanted: cython.p_uchar = cython.cast(cython.p_uchar, PyBytes_AS_STRING(name))
        length: cython.size_t = PyBytes_GET_SIZE(name)
        group: cython.size_t
        place: cython.uint
        entry: cython.pointer(Entry)
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
    """Compare with bytes in lower case; only ASCII letters have case."""
    i: cython.size_t
    byte: cython.uchar
    for i in range(length):
        byte = value[i]
        if 65 <= byte <= 90:
            byte += 32
        if byte != wanted[i]:
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
