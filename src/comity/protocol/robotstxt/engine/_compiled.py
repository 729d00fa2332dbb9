# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
"""The compiled engine: a body -> its fields and groups, and rules -> answers.

It gives the same answers as the reference, as property tests check; where they could differ, the reference is
right. Rare cases are left to the reference: unusual spellings of fields, names in a dialect that does not
compare tokens, and URLs that are not simply `http://host/path`.

Bounds: every pointer is compared with the end of its text before it is read; sizes are checked before they
are narrowed to 32 bits; every allocation is checked. Signal handlers run between
two questions of `allowed_many`, when nothing is half-made. Values that threads share are published complete,
by one thread, and never replaced.
"""

import os
import sys
from array import array
from bisect import bisect_right

import cython

if not cython.compiled:
    raise ImportError("the compiled engine was not built")

from cython.cimports.cpython.buffer import PyBUF_SIMPLE, PyBuffer_Release, PyObject_GetBuffer
from cython.cimports.cpython.bytes import PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from cython.cimports.cpython.exc import PyErr_CheckSignals
from cython.cimports.cpython.object import Py_TYPE
from cython.cimports.cpython.type import PyType_GenericNew
from cython.cimports.cpython.unicode import (
    PyUnicode_AsUTF8AndSize,
    PyUnicode_DecodeUTF8,
    PyUnicode_FromObject,
)
from cython.cimports.libc.stdint import int32_t, int64_t, uint8_t, uint32_t, uint64_t
from cython.cimports.libc.stdlib import calloc, free, malloc, realloc
from cython.cimports.libc.string import memchr, memcmp, memcpy, memset

from ...origin import RelativeReference
from ...text import several, to_bytes, to_text
from .. import lexer, paths
from ..grammar import FIELDS, GROUP_FIELDS, IDENTIFIER, TYPOS, UNRESERVED
from ..groups import grouped
from ..selection import Directory
from ..verdict import Field, Group, Reason, Rule, Verdict
from .arrow import is_arrow, strings_of

__all__ = ["FileAnswers", "RankedRules", "Reading", "RulesAnswers"]

#: A field of a file: the offsets of its value in the text, its line, and its index in `KINDS`.
Entry = cython.struct(start=uint32_t, end=uint32_t, line=uint32_t, kind=uint32_t)

#: A place in a body, and the field that was read last. `feed`, `turn` and `mark` are the next line feed,
#: carriage return and `#`; each is searched for again once it is passed.
Scan = cython.struct(
    at=cython.p_uchar,
    end=cython.p_uchar,
    feed=cython.p_uchar,
    turn=cython.p_uchar,
    mark=cython.p_uchar,
    start=cython.p_uchar,
    value=cython.p_uchar,
    stop=cython.p_uchar,
    number=cython.size_t,
    kind=cython.uint,
    nul=cython.bint,
)

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

#: An edge of the prefix tree: from a node, by the bytes of `word`, to a child or to patterns.
Slot = cython.struct(word=uint64_t, node=uint32_t, length=uint32_t, child=uint32_t, first=uint32_t)

#: A node of the prefix tree: its parent, and of its edges of less than eight bytes, the lengths as bits and
#: the best pattern.
Node = cython.struct(parent=uint32_t, lengths=uint32_t, best=uint32_t)

#: A question about a path. `grams` has a bit for each three bytes in the path, or is NULL; `places` are the
#: patterns that match, if all are wanted, and otherwise NULL.
Question = cython.struct(
    path=cython.p_uchar,
    size=cython.size_t,
    grams=cython.p_uchar,
    places=cython.pointer(uint32_t),
    count=cython.size_t,
)

#: A mask of the number of a question: if it leaves nothing, signal handlers run, for example on Ctrl-C.
BETWEEN_SIGNALS = cython.declare(cython.size_t, 15)

# Kinds of entries. The first three make up groups.
KINDS = ("disallow", "allow", "user-agent", *GROUP_FIELDS, "sitemap", "host", "clean-param", lexer.BLANK)
_NUMBERS = {name: number for number, name in enumerate(KINDS)}
DISALLOW = cython.declare(cython.uint, 0)
ALLOW = cython.declare(cython.uint, 1)
USER_AGENT = cython.declare(cython.uint, 2)
USAGE = cython.declare(cython.uint, _NUMBERS["content-usage"])
FIRST_OF_FILE = cython.declare(cython.uint, _NUMBERS["sitemap"])
BLANK = cython.declare(cython.uint, _NUMBERS[lexer.BLANK])
OTHER = cython.declare(cython.uint, len(KINDS))
BEGINS_GROUP = cython.declare(cython.uint, 0x100)

WILD = cython.declare(cython.uint, 2)
ANCHORED = cython.declare(cython.uint, 4)
IN_ARENA = cython.declare(cython.uint, 8)
INDEX_PAGE = cython.declare(cython.uint, 16)
#: Whether a path that matches contains the three bytes whose number is in the upper half of the flags.
HAS_GRAM = cython.declare(cython.uint, 32)

NONE = cython.declare(uint32_t, 0xFFFFFFFF)

#: Number of questions to rules before they are compiled, as many rules are asked only once or twice.
QUESTIONS_BEFORE_PATTERNS = cython.declare(cython.uint, 3)

#: Number of questions before an index is built, and maximum number of patterns without an index.
QUESTIONS_BEFORE_INDEX = cython.declare(cython.uint, 8)
FEW = cython.declare(cython.uint, 16)

#: Number of questions before threads use rules without counting references to them, see `defer_counting`.
#: Rules that are asked less often are freed at once, and not by the garbage collector.
QUESTIONS_BEFORE_DEFERRAL = cython.declare(cython.uint, 1000)

#: Maximum number of patterns with a `*` that are tried without looking for three of their bytes first.
CROWD = cython.declare(cython.size_t, 64)
_GRAMS = cython.declare(cython.size_t, 8192)

#: The states of an index.
BUILDING = cython.declare(cython.uint, 1)
READY = cython.declare(cython.uint, 2)

# Tables of bytes, filled below: white space, lower case, identifiers, the beginnings of fields, bytes that
# stay unchanged in a path and in a pattern, and bytes that are literal in a pattern of any dialect.
_white = cython.declare(uint8_t[256])
_lower = cython.declare(uint8_t[256])
_identifier = cython.declare(uint8_t[256])
_begins_field = cython.declare(uint8_t[4096])
_frequent = cython.declare(uint8_t[32])
_names = cython.declare(uint8_t[32][16])
_plain_path = cython.declare(uint8_t[256])
_plain_pattern = cython.declare(uint8_t[256])
_literal = cython.declare(uint8_t[256])
_unreserved = cython.declare(uint8_t[256])
_upper = cython.declare(uint8_t[16])
# The multipliers are random in each process, so that no file can provoke collisions.
_multiplier = cython.declare(uint64_t, int.from_bytes(os.urandom(8), "little") | 1)
_multiplier_of_node = cython.declare(uint64_t, int.from_bytes(os.urandom(8), "little") | 1)


def _fill_tables():
    i: cython.int
    for i in range(256):
        _white[i] = i in b" \t\n\r\x0b\x0c"
        _lower[i] = i + 32 if 65 <= i <= 90 else i
        _identifier[i] = i in IDENTIFIER
        _unreserved[i] = i in UNRESERVED
        _plain_path[i] = paths._PLAIN_PATH[i] == i
        _plain_pattern[i] = paths._PLAIN_PATTERN[i] == i
        _literal[i] = _plain_pattern[i] and i < 128 and i not in b"*$%?"
    for i in range(16):
        _upper[i] = b"0123456789ABCDEF"[i]
    for i in range(32):
        _frequent[i] = OTHER
    for name in ("disallow", "allow", "user-agent", "sitemap", "crawl-delay", "noindex", "host"):
        _frequent[ord(name[0]) & 31] = _NUMBERS[name]
        memcpy(
            cython.address(_names[cython.cast(cython.int, _NUMBERS[name])][0]),
            _chars(name.encode()),
            len(name) + 1,
        )
    for name in (*FIELDS, *TYPOS, "acap-"):
        _begins_field[_beginning(_chars(name.encode()))] = 1


_LONGEST_MATCH = cython.declare(object, Reason.LONGEST_MATCH)
_ALLOW_WINS_TIE = cython.declare(object, Reason.ALLOW_WINS_TIE)
_FIRST_MATCH = cython.declare(object, Reason.FIRST_MATCH)
_INDEX_PAGE = cython.declare(object, Reason.INDEX_PAGE)
_NO_RULE_MATCHES = cython.declare(object, Reason.NO_RULE_MATCHES)
_GROUP_WITHOUT_RULES = cython.declare(object, Reason.GROUP_WITHOUT_RULES)
_NO_GROUP_APPLIES = cython.declare(object, Reason.NO_GROUP_APPLIES)

#: The ways to compare escapes, in the order of their numbers in `Settings`, and the functions of each.
_ESCAPES = ("rfc9309", "google", "draft1996", "none")
_path_readers: tuple = tuple([paths._PATHS[name] for name in _ESCAPES])
_pattern_readers: tuple = tuple([paths._PATTERNS[name] for name in _ESCAPES])


@cython.cfunc
@cython.exceptval(check=False)
def _chars(text: bytes) -> cython.p_uchar:
    """Return the bytes of an object; they live as long as it."""
    return cython.cast(cython.p_uchar, PyBytes_AS_STRING(text))


@cython.cfunc
def _utf8(text, size: cython.pointer(cython.Py_ssize_t)) -> cython.p_uchar:
    """Return the UTF-8 of a text, which it keeps; raise `UnicodeEncodeError` for lone surrogates."""
    return cython.cast(cython.p_uchar, PyUnicode_AsUTF8AndSize(text, size))


@cython.cfunc
def _grown(old: cython.p_void, size: cython.size_t) -> cython.p_void:
    """Return memory of another size with the same content. The old memory is freed, unless this raises."""
    new: cython.p_void = realloc(old, size)
    if new == cython.NULL:
        raise MemoryError
    return new


@cython.cfunc
@cython.exceptval(check=False)
def _beginning(text: cython.p_uchar) -> cython.uint:
    """Return a number for the first four bytes of a text, whatever their case."""
    return (
        (text[0] | 32)
        + 37 * (text[1] | 32)
        + 331 * (text[2] | 32)
        + 1031 * cython.cast(cython.uint, text[3] | 32)
    ) & 4095


_fill_tables()


@cython.final
@cython.auto_pickle(False)
@cython.cclass
class Settings:
    """The settings of a dialect, for reading and for matching."""

    dialect: object
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
    #: whether a question can be answered by reading the file once, see `_ask_file`
    one_pass: cython.bint

    def __cinit__(self, dialect):
        """Copy the settings of a dialect."""
        self.dialect = dialect
        self.limit = dialect.line_limit or 0
        self.nul = dialect.nul_ends_line
        self.blanks = dialect.blank_line_ends_group
        self.allows = dialect.allow
        self.usage_ends = dialect.usage_ends_header
        self.google_token = dialect.agent_match == "google-token"
        self.token = self.google_token or dialect.agent_match == "token"
        self.merges_named = dialect.merges_named
        self.merges_default = dialect.merges_default
        self.longest = dialect.precedence == "longest"
        self.wildcards = dialect.wildcards
        self.escapes = _ESCAPES.index(dialect.escapes)
        self.empty_allows = dialect.empty_disallow == "allow"
        self.index_pages = dialect.index_pages
        self.opens = dialect.opens_robots_txt
        merges: cython.bint = self.merges_named and self.merges_default
        whole: cython.bint = self.token and merges and not self.blanks
        self.one_pass = whole and self.longest and self.escapes < 2 and not self.empty_allows


#: Whether the GIL keeps threads apart. Without it, a finished value is published once and never replaced.
_gil = cython.declare(cython.bint, "free-threading" not in sys.version)

_known_settings = cython.declare(dict, {})
_last = cython.declare(Settings, None)


@cython.cfunc
def _settings_of(dialect) -> Settings:
    """Return the settings of a dialect, found by identity: hashing a dialect is slower than a question."""
    global _last
    with cython.critical_section(_known_settings):
        found: Settings = _last  # another thread may replace `_last` at any time
        if found is None or found.dialect is not dialect:
            found = _known_settings.get(id(dialect))
            if found is None or found.dialect is not dialect:
                found = Settings(dialect)
                if len(_known_settings) > 64:
                    _known_settings.clear()
                _known_settings[id(dialect)] = found
            _last = found
        return found


# Values ---------------------------------------------------------------------------------------


_slots_of_verdict: tuple = tuple([Verdict.__dict__[name] for name in Verdict.__slots__])
_slots_of_group: tuple = tuple([Group.__dict__[name] for name in Group.__slots__])
_slots_of_rule: tuple = tuple([Rule.__dict__[name] for name in Rule.__slots__])
_slots_of_field: tuple = tuple([Field.__dict__[name] for name in Field.__slots__])


@cython.cfunc
def _created(kind, slots: tuple, values: tuple):
    """Create a `Value` from all its fields, without its `__init__`, which takes several times as long."""
    value = PyType_GenericNew(kind, None, None)
    place: cython.Py_ssize_t
    for place in range(len(values)):
        Py_TYPE(slots[place]).tp_descr_set(slots[place], value, values[place])
    return value


@cython.cfunc
def _verdict(about: tuple, path, reason, octets, rules: tuple, allowed: cython.bint):
    """Return the `Verdict` about a path; the first of the `rules` decided, and `about` is an `About`."""
    groups: tuple
    group_agents: tuple
    lines: tuple
    agent, matched, without, groups, group_agents, lines = about
    rule = rules[0] if rules else None
    number: cython.Py_ssize_t = bisect_right(lines, rule.line) - 1 if rules and len(lines) > 1 else 0
    group = None
    group_agent = matched
    if 0 <= number < len(groups) and number < len(group_agents):
        group = groups[number]
        group_agent = group_agents[number]
    if reason is _NO_GROUP_APPLIES:
        reason = without
    overruled: tuple = rules[1:]
    # fmt: off
    fields: tuple = (
        allowed, reason, rule, group, overruled, agent, matched, group_agent, octets, path, ""
    )
    # fmt: on
    return _created(Verdict, _slots_of_verdict, fields)


@cython.cfunc
def _text_of(text: cython.p_uchar, length: cython.size_t):
    """Decode a text as `to_text` does."""
    return PyUnicode_DecodeUTF8(cython.cast(cython.p_char, text), length, "surrogateescape")


@cython.cfunc
def _line_value(entry: cython.pointer(Entry), text: cython.p_uchar):
    """Return the `Rule` or `Field` of an entry, whose offsets are in `text`."""
    kind: cython.uint = entry.kind & 0xFF
    written = _text_of(text + entry.start, entry.end - entry.start)
    if kind < USER_AGENT:
        return _created(Rule, _slots_of_rule, (kind == ALLOW, written, entry.line))
    return _created(Field, _slots_of_field, (KINDS[kind], written, entry.line))


@cython.cfunc
def _group_value(entry: cython.pointer(Entry), count: cython.size_t, text: cython.p_uchar):
    """Return the `Group` of some entries, which begin with a `User-agent` line."""
    agents: list = []
    rules: list = []
    fields: list = []
    first: uint32_t = entry.line
    last: uint32_t = first
    end: cython.pointer(Entry) = entry + count
    while entry < end:
        kind: cython.uint = entry.kind & 0xFF
        if kind < FIRST_OF_FILE:
            last = entry.line
            if kind == USER_AGENT:
                agents.append(_text_of(text + entry.start, entry.end - entry.start))
            else:
                (rules if kind < USER_AGENT else fields).append(_line_value(entry, text))
        entry += 1
    return _created(Group, _slots_of_group, (tuple(agents), tuple(rules), tuple(fields), first, last))


@cython.cfunc
@cython.exceptval(check=False)
def _group_end(entries: cython.pointer(Entry), place: cython.size_t, count: cython.size_t) -> cython.size_t:
    """Return the index after the last entry of the group that begins at an index."""
    place += 1
    while place < count and not entries[place].kind & BEGINS_GROUP and entries[place].kind != BLANK:
        place += 1
    return place


@cython.cfunc
def _group_values(entries: cython.pointer(Entry), count: cython.size_t, text: cython.p_uchar) -> tuple:
    """Return the groups of some entries."""
    found: list = []
    place: cython.size_t
    for place in range(count):
        if entries[place].kind & BEGINS_GROUP:
            end: cython.size_t = _group_end(entries, place, count)
            found.append(_group_value(entries + place, end - place, text))
    return tuple(found)


# Reading --------------------------------------------------------------------------------------


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _frequent_field(text: cython.p_uchar, end: cython.p_uchar, length: cython.p_int) -> cython.uint:
    """Return the kind of the frequent field that a line begins with, and its length; or OTHER."""
    kind: cython.uint = _frequent[text[0] & 31]
    if kind == OTHER:
        return OTHER
    name: cython.p_uchar = cython.address(_names[kind][0])
    i: cython.int = 0
    while name[i]:
        if text + i == end or (text[i] | 32) != name[i]:
            return OTHER
        i += 1
    length[0] = i
    return kind


@cython.cfunc
def _begin(scan: cython.pointer(Scan), body: bytes, settings: Settings) -> cython.int:
    """Begin to read a body."""
    text: cython.p_uchar = _chars(body)
    size: cython.size_t = PyBytes_GET_SIZE(body)
    skipped: cython.size_t = 0
    if size and text[0] == 0xEF:
        skipped = lexer._mark(body, settings.dialect)
    scan.end = text + size
    scan.at = scan.turn = scan.mark = text + min(skipped, size)
    scan.feed = cython.NULL
    scan.nul = settings.nul and memchr(text, 0, size) != cython.NULL
    scan.number = 0
    return 0


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _passed(at: cython.p_uchar, byte: cython.int, end: cython.p_uchar) -> cython.p_uchar:
    """Return the next place of a byte, or the end."""
    found: cython.p_uchar = cython.cast(cython.p_uchar, memchr(at, byte, end - at))
    return end if found == cython.NULL else found


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _next_field(scan: cython.pointer(Scan), settings: Settings) -> cython.bint:
    """Read on to the next line that may have a meaning; return whether there is one.

    For a line of the kind OTHER, `_read_otherwise` finds the field; for others, `_trim` the value.
    """
    at: cython.p_uchar = scan.at
    end: cython.p_uchar = scan.end
    value: cython.p_uchar
    stop: cython.p_uchar
    length: cython.int = 0
    while at < end:
        scan.number += 1
        if scan.feed < at:
            scan.feed = _passed(at, 10, end)
        stop = scan.feed
        scan.at = stop + 1
        if scan.turn < stop:
            if scan.turn <= at:
                scan.turn = _passed(at, 13, end)
            if scan.turn < stop:
                stop = scan.turn
                scan.at = stop + (2 if stop + 1 < end and stop[1] == 10 else 1)
        if settings.limit and cython.cast(cython.size_t, stop - at) > settings.limit:
            stop = at + settings.limit
        if scan.nul:
            stop = _passed(at, 0, stop)
        value = at
        while value < stop and _white[value[0]]:
            value += 1
        if value == stop:
            if settings.blanks:
                scan.start = scan.value = scan.stop = at
                scan.kind = BLANK
                return True
        elif stop - value >= 4 and _begins_field[_beginning(value)]:
            scan.start = at
            scan.stop = stop
            scan.kind = _frequent_field(value, stop, cython.address(length))
            if scan.kind != OTHER:
                value += length
                while value < stop and _white[value[0]]:
                    value += 1
                if value == stop or value[0] != 58 or (scan.kind == ALLOW and not settings.allows):
                    scan.kind = OTHER
                scan.value = value + 1
            return True
        at = scan.at
    return False


@cython.cfunc
def _read_otherwise(scan: cython.pointer(Scan), dialect):
    """Return the field that the reference reads in an unusual line, or `None`; set its kind and value."""
    size: cython.size_t = scan.stop - scan.start
    text: bytes = PyBytes_FromStringAndSize(cython.cast(cython.p_char, scan.start), size)
    field, _, _, first, last = lexer._read(text, dialect)
    if field is not None:
        if not 0 <= first <= last <= size:
            raise ValueError("the reference returned a value outside of the line")
        scan.value = scan.start + cython.cast(cython.size_t, first)
        scan.stop = scan.start + cython.cast(cython.size_t, last)
        scan.kind = _NUMBERS.get(field, OTHER)
    return field


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _trim(scan: cython.pointer(Scan)) -> cython.void:
    """Remove the comment and white space around a value."""
    value: cython.p_uchar = scan.value
    stop: cython.p_uchar = scan.stop
    if scan.mark < value:
        scan.mark = _passed(value, 35, scan.end)
    if scan.mark < stop:
        stop = scan.mark
    while value < stop and _white[value[0]]:
        value += 1
    while stop > value and _white[(stop - 1)[0]]:
        stop -= 1
    scan.value = value
    scan.stop = stop


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
@cython.final
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
    _has_groups: cython.bint
    _others: dict
    _directory: object
    _sorted: tuple
    _values: tuple

    def __cinit__(self, body: bytes, dialect):
        # `__init__` could be called again, and `__cinit__` cannot.
        _check_size(body)
        settings: Settings = _settings_of(dialect)
        self.dialect = dialect
        self._body = body
        self._read(dialect, settings)
        self._settings = settings

    def __dealloc__(self):
        free(self._entries)

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
    def _read(self, dialect, settings: Settings) -> cython.int:
        body: cython.p_uchar = _chars(self._body)
        scan: Scan
        entry: cython.pointer(Entry)
        count: cython.size_t = 0
        grouping: cython.bint = False
        header: cython.bint = False
        _begin(cython.address(scan), self._body, settings)
        self._resize(PyBytes_GET_SIZE(self._body) // 24 + 4)
        while _next_field(cython.address(scan), settings):
            if scan.kind == OTHER:
                field = _read_otherwise(cython.address(scan), dialect)
                if field is None:
                    continue
                if scan.kind == OTHER:
                    if self._others is None:
                        self._others = {}
                    self._others[count] = field
            elif scan.kind != BLANK:
                _trim(cython.address(scan))
            if scan.kind == USER_AGENT:
                if not header or not grouping:
                    scan.kind |= BEGINS_GROUP
                    self._has_groups = grouping = header = True
            elif scan.kind < 2 or (scan.kind == USAGE and settings.usage_ends):
                header = False
            elif scan.kind == BLANK:
                grouping = False
            if count == self._room:
                self._resize(2 * self._room)
            entry = self._entries + count
            entry.start = cython.cast(uint32_t, scan.value - body)
            entry.end = cython.cast(uint32_t, scan.stop - body)
            entry.line = cython.cast(uint32_t, scan.number)
            entry.kind = scan.kind
            count += 1
        self._count = count
        if count < self._room:
            self._resize(count)
        return 0

    @cython.cfunc
    def _record(self, place: cython.size_t):
        entry: cython.pointer(Entry) = self._entries + place
        kind: cython.uint = entry.kind & 0xFF
        name = self._others[place] if kind == OTHER else KINDS[kind]
        return entry.line, name, self._body[entry.start : entry.end]

    @cython.cfunc
    def _grouped(self) -> tuple:
        self._require()
        if self._sorted is None:
            place: cython.size_t
            records = [self._record(place) for place in range(self._count)]
            found: tuple = grouped(records, self.dialect)
            with cython.critical_section(self):
                if self._sorted is None:
                    self._sorted = found
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
        return self._has_groups

    @property
    def values(self):
        """The groups as public values."""
        self._require()
        if self._values is None:
            found: tuple = _group_values(self._entries, self._count, _chars(self._body))
            with cython.critical_section(self):
                if self._values is None:
                    self._values = found
        return self._values

    def select(self, names):
        """Return the name that selected groups for a robot, and those groups in file order."""
        self._require()
        place: cython.size_t
        settings: Settings = self._settings
        if not settings.token:
            if self._directory is None:
                directory = Directory([group.names for group in self.groups], self.dialect)
                with cython.critical_section(self):
                    if self._directory is None:
                        self._directory = directory
            selection = self._directory.select(names)
            chosen = {group for group, _ in selection.mentions}
            begins = [place for place in range(self._count) if self._entries[place].kind & BEGINS_GROUP]
            return selection.name, self._select([at for n, at in enumerate(begins) if n in chosen])
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
    def _select(self, begins: list):
        """Copy the fields of the groups that begin at some entries, so that the rest can be freed."""
        body: cython.p_uchar = _chars(self._body)
        count: cython.size_t = 0
        size: cython.size_t = 0
        entry: cython.pointer(Entry)
        first: cython.size_t
        place: cython.size_t
        for first in begins:
            for place in range(first, _group_end(self._entries, first, self._count)):
                entry = self._entries + place
                if (entry.kind & 0xFF) < FIRST_OF_FILE:
                    count += 1
                    size += entry.end - entry.start
        # No entry is shorter than the name of its field, so this is less than six times the body.
        chosen: SelectedGroups = SelectedGroups.__new__(SelectedGroups)
        packed: bytes = PyBytes_FromStringAndSize(cython.NULL, (1 + count) * cython.sizeof(Entry) + size)
        kept: cython.pointer(Entry) = cython.cast(cython.pointer(Entry), _chars(packed))
        text: cython.p_uchar = cython.cast(cython.p_uchar, kept + 1 + count)
        kept.start = count
        kept.end = size
        kept.line = kept.kind = 0
        size = 0
        for first in begins:
            for place in range(first, _group_end(self._entries, first, self._count)):
                entry = self._entries + place
                if (entry.kind & 0xFF) < FIRST_OF_FILE:
                    kept += 1
                    kept.start = size
                    memcpy(text + size, body + entry.start, entry.end - entry.start)
                    size += entry.end - entry.start
                    kept.end = size
                    kept.line = entry.line
                    kept.kind = entry.kind
        chosen.packed = packed
        return chosen

    @cython.cfunc
    def _groups_for(self, name: bytes, default: cython.bint, google: cython.bint) -> list:
        """Return the first entries of the groups that have a name, or of the default groups."""
        found: list = []
        body: cython.p_uchar = _chars(self._body)
        wanted: cython.p_uchar = _chars(name)
        length: cython.size_t = PyBytes_GET_SIZE(name)
        first: cython.size_t = 0
        last: cython.size_t = self._count
        place: cython.size_t
        for place in range(self._count):
            entry: cython.pointer(Entry) = self._entries + place
            if entry.kind & BEGINS_GROUP:
                first = place
            if (
                (entry.kind & 0xFF) == USER_AGENT
                and first != last
                and _is_default(body + entry.start, body + entry.end, google) == default
                and (default or _is_named(body + entry.start, body + entry.end, wanted, length, google))
            ):
                found.append(first)
                last = first
        return found


@cython.cfunc
def _check_size(body: bytes) -> cython.int:
    """Raise `OverflowError` for a body whose offsets do not fit into 32 bits."""
    if PyBytes_GET_SIZE(body) >= 0x7FFFFFF0:
        raise OverflowError("the compiled engine reads less than 2 GiB; COMITY_PURE=1 reads more")
    return 0


@cython.cfunc
@cython.exceptval(check=False)
def _is_default(value: cython.p_uchar, end: cython.p_uchar, google: cython.bint) -> cython.bint:
    if value == end or value[0] != 42:
        return False
    return value + 1 == end or (google and _white[value[1]])


@cython.cfunc
@cython.exceptval(check=False)
def _same(value: cython.p_uchar, wanted: cython.p_uchar, length: cython.size_t) -> cython.bint:
    """Compare bytes; only ASCII letters have case."""
    i: cython.size_t
    for i in range(length):
        if _lower[value[i]] != _lower[wanted[i]]:
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


# Paths ----------------------------------------------------------------------------------------


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
def _spelled(text: cython.p_uchar, end: cython.p_uchar, plain: cython.p_uchar) -> bytes:
    """Return bytes normalized for the `rfc9309` dialect, as `paths._rewrite` does."""
    # Each byte becomes at most three.
    spelled: bytes = PyBytes_FromStringAndSize(cython.NULL, 3 * (end - text))
    start: cython.p_uchar = _chars(spelled)
    out: cython.p_uchar = start
    high: cython.int
    low: cython.int
    byte: cython.uchar
    while text < end:
        byte = text[0]
        text += 1
        literal: cython.bint = plain[byte]
        if byte == 37:
            high = _digit(text[0]) if end - text >= 2 else -1
            low = _digit(text[1]) if high >= 0 else -1
            literal = low < 0
            if low >= 0:
                text += 2
                byte = cython.cast(cython.uchar, 16 * high + low)
                literal = _unreserved[byte]
        if literal:
            out[0] = byte
            out += 1
        else:
            out[0] = 37
            out[1] = _upper[byte >> 4]
            out[2] = _upper[byte & 15]
            out += 3
    return spelled[: out - start]


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


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _path_end(path: cython.p_uchar, end: cython.p_uchar, escapes: cython.int) -> cython.p_uchar:
    """Return the end of a path that is compared as written, or NULL if it has to be normalized."""
    end = _passed(path, 35, end)
    if escapes == 0:
        while path < end and _plain_path[path[0]]:
            path += 1
        return path if path == end else cython.NULL
    if escapes == 1:
        return _passed(path, 0, end)
    return cython.NULL if escapes == 2 and memchr(path, 37, end - path) != cython.NULL else end


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _is_robots_txt(path: cython.p_uchar, size: cython.size_t, opens: cython.bint) -> cython.bint:
    """Return whether a path is that of the robots.txt, and the dialect always `opens` it."""
    return size == 11 and opens and memcmp(path, b"/robots.txt", 11) == 0


# Patterns -------------------------------------------------------------------------------------


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
            if query and memchr(b":/?[]@", text[i], 6) != cython.NULL:
                return False
            query = query or (text[i] == 63 and closes)
    elif escapes == 1 or escapes == 2:
        for i in range(length):
            if text[i] == 37 or (text[i] > 127 and escapes == 1):
                return False
    return True


@cython.cfunc
@cython.exceptval(check=False)
def _split(
    pattern: cython.pointer(Pattern), text: cython.p_uchar, length: cython.size_t, wildcards: cython.bint
) -> cython.bint:
    """Split a pattern as `compile_pattern` does; return whether it can match a path."""
    body: cython.size_t = length
    star: cython.p_uchar = cython.NULL
    pattern.flags = 0
    if wildcards:
        if body and text[body - 1] == 36:
            body -= 1
            if not (body and text[body - 1] == 42):
                pattern.flags = ANCHORED
        if not pattern.flags:
            while body and text[body - 1] == 42:
                body -= 1
        star = cython.cast(cython.p_uchar, memchr(text, 42, body))
    pattern.body = pattern.prefix = cython.cast(uint32_t, body)
    if star != cython.NULL:
        pattern.flags |= WILD
        pattern.prefix = cython.cast(uint32_t, star - text)
    return pattern.prefix == 0 or text[0] == 47


@cython.cfunc
@cython.exceptval(check=False)
def _fits(
    pattern: cython.pointer(Pattern), text: cython.p_uchar, path: cython.p_uchar, size: cython.size_t
) -> cython.bint:
    """Return whether a path that begins with the prefix of a pattern matches it; `text` is the pattern's."""
    if not pattern.flags & WILD:
        return not pattern.flags & ANCHORED or size == pattern.prefix
    end: cython.p_uchar = text + pattern.body
    piece: cython.p_uchar = text + pattern.prefix
    stop: cython.p_uchar
    at: cython.p_uchar = path + pattern.prefix
    last: cython.p_uchar = path + size
    length: cython.size_t
    while piece < end:
        while piece < end and piece[0] == 42:
            piece += 1
        stop = _passed(piece, 42, end)
        length = stop - piece
        if stop == end and pattern.flags & ANCHORED:
            return (
                cython.cast(cython.size_t, last - at) >= length and memcmp(last - length, piece, length) == 0
            )
        at = _search(at, last, piece, length)
        if at == cython.NULL:
            return False
        at += length
        piece = stop
    return True


@cython.cfunc
@cython.exceptval(check=False)
def _ask(question: cython.pointer(Question), path: cython.p_uchar, size: cython.size_t) -> cython.void:
    """Begin a question."""
    question.path = path
    question.size = size
    question.grams = cython.NULL
    question.places = cython.NULL
    question.count = 0


@cython.cfunc
@cython.exceptval(check=False)
def _gram(text: cython.p_uchar) -> cython.uint:
    """Return a number below 65,536 for three bytes."""
    word: uint64_t = (text[0] << 16) | (text[1] << 8) | text[2]
    return cython.cast(cython.uint, ((word + 1) * _multiplier) >> 48)


@cython.cfunc
@cython.exceptval(check=False)
def _collect_grams(question: cython.pointer(Question)) -> cython.void:
    """Set the bits of the three bytes at each place of a path."""
    at: cython.size_t
    memset(question.grams, 0, _GRAMS)
    for at in range(2, question.size):
        gram: cython.uint = _gram(question.path + at - 2)
        question.grams[gram >> 3] |= 1 << (gram & 7)


@cython.cfunc
@cython.exceptval(check=False)
def _search(
    at: cython.p_uchar, end: cython.p_uchar, piece: cython.p_uchar, length: cython.size_t
) -> cython.p_uchar:
    """Return the first position of a piece, or NULL."""
    if not length:
        return at
    while cython.cast(cython.size_t, end - at) >= length:
        if at[0] != piece[0]:
            at = _passed(at, piece[0], end)
        elif at[length - 1] == piece[length - 1] and memcmp(at, piece, length) == 0:
            return at
        else:
            at += 1
    return cython.NULL


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _differs(
    text: cython.p_uchar, length: cython.size_t, path: cython.p_uchar, size: cython.size_t, settings: Settings
) -> cython.bint:
    """Return whether a path cannot match a pattern, because they differ before any `*`."""
    i: cython.size_t = 0
    low: cython.int = -1
    while i < length and i < size and text[i] == path[i] and _literal[text[i]]:
        i += 1
    if i == length or text[i] == 42 or (text[i] == 36 and i == length - 1):
        return False
    # Every other byte matches at least one byte, a literal byte and the first `?` only themselves.
    if _literal[text[i]] or i == size or text[i] == 63:
        return i == size or text[i] != path[i]
    if settings.escapes or text[i] != 37:
        return settings.escapes == 0  # becomes an escape, and a path without escapes is compared as written
    if length - i > 2 and _digit(text[i + 1]) >= 0:
        low = _digit(text[i + 2])
    return low < 0 or path[i] != 16 * _digit(text[i + 1]) + low


@cython.cfunc
@cython.exceptval(0xFFFFFFFE)
def _octets(
    text: cython.p_uchar,
    length: cython.size_t,
    allow: cython.bint,
    path: cython.p_uchar,
    size: cython.size_t,
    settings: Settings,
) -> uint32_t:
    """Return the octets of a rule that a path matches, or NONE if it does not."""
    pattern: Pattern
    entry: Entry
    if not (allow and settings.index_pages):
        if _differs(text, length, path, size, settings):
            return NONE
        if _stands_as_written(text, length, settings.escapes, not allow):
            if (
                _split(cython.address(pattern), text, length, settings.wildcards)
                and pattern.prefix <= size
                and memcmp(path, text, pattern.prefix) == 0
                and _fits(cython.address(pattern), text, path, size)
            ):
                return length
            return NONE
    entry.start = entry.line = 0
    entry.end = length
    entry.kind = ALLOW if allow else DISALLOW
    compiled: Patterns = Patterns()
    compiled.compile(cython.address(entry), 1, text, settings)
    question: Question
    _ask(cython.address(question), path, size)
    best: uint32_t = compiled.best(cython.address(question))
    return NONE if best == NONE else compiled._counted(compiled._patterns + best)


@cython.cfunc
def _ask_file(
    body: bytes,
    settings: Settings,
    name: cython.p_uchar,
    length: cython.size_t,
    path: cython.p_uchar,
    size: cython.size_t,
) -> cython.int:
    """Return whether a robot may fetch a path, by reading the file once and storing nothing.

    The best match is remembered twice: in the groups that name the robot, and in the default groups.
    """
    scan: Scan
    header: cython.bint = False
    seen: cython.uint = 0  # 1 if a group names the robot, 2 if there is a default group
    applies: cython.uint = 0  # the same for the current group
    best: uint32_t[2]
    closed: cython.bint[2]
    number: cython.uint
    found: uint32_t
    allow: cython.bint
    best[0] = best[1] = 0
    closed[0] = closed[1] = False
    _begin(cython.address(scan), body, settings)
    while _next_field(cython.address(scan), settings):
        if scan.kind == OTHER:
            if _read_otherwise(cython.address(scan), settings.dialect) is None:
                continue
        elif scan.kind == USER_AGENT or (scan.kind < 2 and applies):
            _trim(cython.address(scan))
        if scan.kind == USER_AGENT:
            if not header:
                applies = 0
                header = True
            if _is_default(scan.value, scan.stop, settings.google_token):
                applies |= 2
            elif length and _is_named(scan.value, scan.stop, name, length, settings.google_token):
                applies |= 1
            seen |= applies
        elif scan.kind < 2:
            header = False
            if applies and scan.stop > scan.value:
                allow = scan.kind == ALLOW
                found = _octets(scan.value, scan.stop - scan.value, allow, path, size, settings)
                for number in range(2):
                    if (
                        found != NONE
                        and (applies >> number) & 1
                        and (found > best[number] or (found == best[number] and allow))
                    ):
                        best[number] = found
                        closed[number] = not allow
        elif scan.kind == USAGE and settings.usage_ends:
            header = False
    return not closed[0 if seen & 1 else 1]


@cython.final
@cython.auto_pickle(False)
@cython.cclass
class Patterns:
    """The rules of a `RankedRules` in the form that is compared, with their index.

    Compiling rules calls Python code, and wherever Python code runs, a signal handler, a finalizer or another
    thread may ask the same rules. So each is compiled by one caller that alone knows it, without a lock, and
    `RankedRules` uses it once it is complete, and keeps the bytes that its pointers refer to.
    """

    _text: cython.p_uchar
    _entries: cython.pointer(Entry)
    _count: cython.size_t
    _settings: Settings
    _longest: cython.bint
    _arena: cython.p_uchar
    _arena_size: cython.size_t
    _arena_room: cython.size_t
    _patterns: cython.pointer(Pattern)
    _pattern_count: cython.size_t
    _pattern_room: cython.size_t
    _gram_count: cython.size_t
    #: the number of questions until an index is built
    _scans: cython.uint
    _index_state: cython.uint
    _slots: cython.pointer(Slot)
    _slot_mask: cython.size_t
    _slot_shift: cython.int
    _slot_count: cython.size_t
    _nodes: cython.pointer(Node)
    _node_count: cython.size_t
    _node_room: cython.size_t
    _root: uint32_t

    def __dealloc__(self):
        free(self._arena)
        free(self._patterns)
        free(self._slots)
        free(self._nodes)

    @cython.cfunc
    def compile(
        self, entries: cython.pointer(Entry), count: cython.size_t, text: cython.p_uchar, settings: Settings
    ) -> cython.int:
        """Compile the rules of some entries, which refer to a text."""
        place: cython.size_t
        self._text = text
        self._entries = entries
        self._count = count
        self._settings = settings
        self._longest = settings.longest
        self._scans = QUESTIONS_BEFORE_INDEX
        for place in range(count):
            if (entries[place].kind & 0xFF) < 2:
                self._compile(place)
        if not _gil and self._pattern_count > FEW:
            self._index()  # now, while no other thread knows the patterns
        return 0

    @cython.cfunc
    def _compile(self, place: cython.size_t) -> cython.int:
        """Compile a rule, in each of its spellings."""
        start: cython.size_t = self._entries[place].start
        text: cython.p_uchar = self._text + start
        length: cython.size_t = self._entries[place].end - start
        escapes: cython.int = self._settings.escapes
        allow: cython.bint = (self._entries[place].kind & 0xFF) == ALLOW
        index_page: cython.bint = allow and self._settings.index_pages
        written: bytes
        if not length:
            if not allow and self._settings.empty_allows:
                self._add(text, start, 0, 0, place, 0)
            return 0
        if _stands_as_written(text, length, escapes, not allow):
            self._add(text, start, length, length, place, 0)
            if index_page:
                self._add_index_page(text[:length], place)
            return 0
        if escapes:
            written = _pattern_readers[escapes](cython.cast(bytes, text[:length])).encode("latin-1")
        elif text[length - 1] == 36:
            written = _spelled(text, text + length - 1, _plain_pattern) + b"$"
        else:
            written = _spelled(text, text + length, _plain_pattern)
        self._add_written(written, len(written), place, 0)
        if index_page:
            self._add_index_page(written, place)
        elif escapes == 0 and not allow and b"?" in written:
            for other in sorted(paths.query_spellings(written.decode("latin-1"))):
                self._add_written(other.encode("latin-1"), len(written), place, 0)
        return 0

    @cython.cfunc
    def _add_index_page(self, written: bytes, place: cython.size_t) -> cython.int:
        slash = written.rfind(b"/")
        if slash >= 0 and written.startswith(b"/index.htm", slash):
            return self._add_written(written[: slash + 1] + b"$", slash + 2, place, INDEX_PAGE)
        return 0

    @cython.cfunc
    def _add_written(
        self, written: bytes, counted: cython.size_t, place: cython.size_t, flags: cython.uint
    ) -> cython.int:
        """Add a normalized pattern, and keep its text."""
        length: cython.size_t = PyBytes_GET_SIZE(written)
        start: cython.size_t = self._arena_size
        if start + length >= 0x7FFFFFF0:
            raise OverflowError("the compiled engine holds less than 2 GiB of patterns")
        if start + length > self._arena_room:
            room: cython.size_t = 2 * (start + length)
            self._arena = cython.cast(cython.p_uchar, _grown(self._arena, room))
            self._arena_room = room
        memcpy(self._arena + start, _chars(written), length)
        self._arena_size = start + length
        return self._add(self._arena + start, start, length, counted, place, flags | IN_ARENA)

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
        """Add a pattern if it can match a path."""
        pattern: Pattern
        if not _split(cython.address(pattern), text, length, self._settings.wildcards):
            return 0
        pattern.flags |= flags
        pattern.start = cython.cast(uint32_t, start)
        pattern.entry = cython.cast(uint32_t, place)
        pattern.following = NONE
        at: cython.size_t = pattern.body
        while pattern.flags & WILD and at >= pattern.prefix + 3:
            if memchr(text + at - 3, 42, 3) == cython.NULL:
                pattern.flags |= HAS_GRAM | (_gram(text + at - 3) << 16)
                self._gram_count += 1
                break
            at -= 1
        # The better pattern has the greater key, and `_counted` reads the octets from it.
        earlier: uint64_t = 0xFFFFFFFF - place
        if self._longest:
            allow: uint64_t = (self._entries[place].kind & 0xFF) == ALLOW
            pattern.key = (cython.cast(uint64_t, counted) << 33) | (allow << 32) | earlier
        else:
            pattern.key = (earlier << 32) | counted
        if self._pattern_count == self._pattern_room:
            room: cython.size_t = 2 * self._pattern_room if self._pattern_room else self._count + 1
            self._patterns = cython.cast(
                cython.pointer(Pattern), _grown(self._patterns, room * cython.sizeof(Pattern))
            )
            self._pattern_room = room
        self._patterns[self._pattern_count] = pattern
        self._pattern_count += 1
        return 0

    @cython.cfunc
    @cython.exceptval(check=False)
    def _counted(self, pattern: cython.pointer(Pattern)) -> uint64_t:
        """Return the octets of a pattern, as precedence counts them."""
        return pattern.key >> 33 if self._longest else pattern.key & 0xFFFFFFFF

    @cython.cfunc
    @cython.inline
    @cython.exceptval(check=False)
    def _key(self, place: uint32_t) -> uint64_t:
        """Return the key of a pattern; NONE has the least."""
        return 0 if place == NONE else self._patterns[place].key

    @cython.cfunc
    @cython.inline
    @cython.exceptval(check=False)
    def _text_of(self, pattern: cython.pointer(Pattern)) -> cython.p_uchar:
        return (self._arena if pattern.flags & IN_ARENA else self._text) + pattern.start

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
            for i in range(self._pattern_count):
                order[i] = i
            self._sort(order, self._pattern_count)
            self._build_tree(order, bits)
            self._index_state = READY
        except BaseException:
            # An incomplete index would miss rules, so the next question builds it again.
            self._index_state = 0
            free(self._slots)
            free(self._nodes)
            self._slots = cython.NULL
            self._nodes = cython.NULL
            raise
        finally:
            free(order)
        return 0

    @cython.cfunc
    @cython.exceptval(check=False)
    def _sort(self, order: cython.pointer(uint32_t), count: cython.size_t) -> cython.void:
        """Sort patterns by key, the smallest first; heapsort, because its worst case is not slower."""
        first: cython.size_t = count // 2
        at: cython.size_t
        child: cython.size_t
        moved: uint32_t
        while count > 1:
            if first:
                first -= 1
                moved = order[first]
            else:
                count -= 1
                moved = order[count]
                order[count] = order[0]
            at = first
            while 2 * at + 1 < count:
                child = 2 * at + 1
                if child + 1 < count and self._key(order[child]) < self._key(order[child + 1]):
                    child += 1
                if self._key(order[child]) <= self._key(moved):
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
        self._node_count = self._node_room = 0
        self._add_node(0)
        self._root = NONE
        # The best are inserted last, so that each list begins with its best.
        for i in range(self._pattern_count):
            self._insert(order[i])
        return 0

    @cython.cfunc
    def _add_node(self, parent: uint32_t) -> cython.int:
        if self._node_count >= 0xFFFFFFF:
            raise OverflowError("too many patterns for the index")
        if self._node_count == self._node_room:
            room: cython.size_t = 2 * self._node_room + 16
            self._nodes = cython.cast(cython.pointer(Node), _grown(self._nodes, room * cython.sizeof(Node)))
            self._node_room = room
        node: cython.pointer(Node) = self._nodes + self._node_count
        node.parent = parent
        node.lengths = 0
        node.best = NONE
        self._node_count += 1
        return 0

    @cython.cfunc
    def _insert(self, place: uint32_t) -> cython.int:
        pattern: cython.pointer(Pattern) = self._patterns + place
        text: cython.p_uchar = self._text_of(pattern)
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
                self._add_node(node)
                slot.child = cython.cast(uint32_t, self._node_count - 1)
            node = slot.child
            text += 8
            left -= 8
        slot = self._step(node, text, left)
        pattern.following = slot.first
        slot.first = place
        if left < 8:
            self._nodes[node].lengths |= cython.cast(uint32_t, 1) << left
            self._nodes[node].best = place
        return 0

    # Questions --------------------------------------------------------------------------------

    @cython.cfunc
    @cython.inline
    @cython.exceptval(check=False)
    def _is_match(self, place: uint32_t, question: cython.pointer(Question)) -> cython.bint:
        """Return whether a pattern matches a path that begins with its prefix; collect it if wanted."""
        pattern: cython.pointer(Pattern) = self._patterns + place
        if question.grams != cython.NULL and pattern.flags & HAS_GRAM:
            gram: cython.uint = pattern.flags >> 16
            if not (question.grams[gram >> 3] >> (gram & 7)) & 1:
                return False
        if not _fits(pattern, self._text_of(pattern), question.path, question.size):
            return False
        if question.places != cython.NULL:
            question.places[question.count] = place
            question.count += 1
        return True

    @cython.cfunc
    @cython.inline
    @cython.exceptval(check=False)
    def _best_of(self, first: uint32_t, best: uint32_t, question: cython.pointer(Question)) -> uint32_t:
        """Return the better of `best` and the best match of a list, whose prefix the path begins with."""
        while first != NONE:
            if question.places == cython.NULL and self._key(first) <= self._key(best):
                break
            if self._is_match(first, question) and question.places == cython.NULL:
                return first
            first = self._patterns[first].following
        return best

    @cython.cfunc
    @cython.exceptval(0xFFFFFFFE)
    def best(self, question: cython.pointer(Question)) -> uint32_t:
        """Return the pattern that wins a path, or NONE; or collect all that it matches."""
        best: uint32_t = NONE
        place: uint32_t
        grams: uint8_t[8192]
        if self._gram_count > CROWD:
            question.grams = cython.address(grams[0])
            _collect_grams(question)
        if self._index_state != READY:
            # Another question may come while the index is built, from a finalizer: it does without.
            if self._index_state == BUILDING or self._pattern_count <= FEW or self._scans:
                if self._scans:  # no other write: threads would wait for each other
                    self._scans -= 1
                for place in range(self._pattern_count):
                    pattern: cython.pointer(Pattern) = self._patterns + place
                    if (
                        (question.places != cython.NULL or pattern.key > self._key(best))
                        and pattern.prefix <= question.size
                        and memcmp(question.path, self._text_of(pattern), pattern.prefix) == 0
                        and self._is_match(place, question)
                    ):
                        best = place
                return best
            self._index()
        return self._best_in_tree(self._best_of(self._root, best, question), question)

    @cython.cfunc
    @cython.exceptval(check=False)
    def _best_in_tree(self, best: uint32_t, question: cython.pointer(Question)) -> uint32_t:
        """Walk down the tree by eight bytes at a time, and up again: the longest prefixes win most often."""
        node: uint32_t = 0
        place: cython.size_t = 0
        slot: cython.pointer(Slot)
        word: uint64_t
        length: uint32_t
        while question.size - place >= 8:
            memcpy(cython.address(word), question.path + place, 8)
            slot = self._find(node, word, 8)
            if not slot.length:
                break
            best = self._best_of(slot.first, best, question)
            if not slot.child:
                break
            node = slot.child
            place += 8
        while True:
            if question.places != cython.NULL or self._key(self._nodes[node].best) > self._key(best):
                for length in range(1, 8):
                    if (self._nodes[node].lengths >> length) & 1 and length <= question.size - place:
                        word = 0
                        memcpy(cython.address(word), question.path + place, length)
                        slot = self._find(node, word, length)
                        if slot.length:
                            best = self._best_of(slot.first, best, question)
            if not node:
                return best
            node = self._nodes[node].parent
            place -= 8

    @cython.cfunc
    @cython.exceptval(0xFFFFFFFE)
    def winner(self, path: cython.p_uchar, size: cython.size_t) -> uint32_t:
        """Return the entry of the rule that wins a path, or NONE."""
        question: Question
        _ask(cython.address(question), path, size)
        found: uint32_t = self.best(cython.address(question))
        return found if found == NONE else self._patterns[found].entry

    @cython.cfunc
    def verdict(self, path: cython.p_uchar, size: cython.size_t, about: tuple):
        """Return the verdict about a path."""
        question: Question
        _ask(cython.address(question), path, size)
        question.places = cython.cast(
            cython.pointer(uint32_t), malloc((self._pattern_count + 1) * cython.sizeof(uint32_t))
        )
        if question.places == cython.NULL:
            raise MemoryError
        try:
            self.best(cython.address(question))
            if not question.count:
                return _verdict(about, _text_of(path, size), self._reason_of_none(), 0, (), True)
            self._sort(question.places, question.count)
            return self._decided(cython.address(question), _text_of(path, size), about)
        finally:
            free(question.places)

    @cython.cfunc
    def _reason_of_none(self):
        """Return the reason if no rule matches."""
        place: cython.size_t
        for place in range(self._count):
            if (self._entries[place].kind & 0xFF) < 2 and self._entries[place].end > self._entries[
                place
            ].start:
                return _NO_RULE_MATCHES
        return _GROUP_WITHOUT_RULES if self._count else _NO_GROUP_APPLIES

    @cython.cfunc
    @cython.exceptval(check=False)
    def _is_repeated(self, found: cython.pointer(Question), place: cython.size_t) -> cython.bint:
        """Return whether a better matching pattern is of the same rule, in another spelling."""
        number: uint32_t = found.places[place]
        pattern: cython.pointer(Pattern) = self._patterns + number
        if pattern.flags & INDEX_PAGE and number:
            # The pattern before that of its directory is the index page, which is longer, so it is better.
            pattern -= 1
            return (
                pattern.entry == self._patterns[number].entry
                and pattern.prefix <= found.size
                and memcmp(found.path, self._text_of(pattern), pattern.prefix) == 0
                and _fits(pattern, self._text_of(pattern), found.path, found.size)
            )
        # All other spellings of a rule have the same key, so they are neighbours.
        return place + 1 < found.count and self._patterns[found.places[place + 1]].entry == pattern.entry

    @cython.cfunc
    def _decided(self, found: cython.pointer(Question), path, about: tuple):
        """Return the verdict by matching patterns, the best last."""
        winner: cython.pointer(Pattern) = self._patterns + found.places[found.count - 1]
        octets: uint64_t = self._counted(winner)
        reason = _LONGEST_MATCH
        rules: list = []
        place: cython.size_t = found.count
        while place > 0:
            place -= 1
            pattern: cython.pointer(Pattern) = self._patterns + found.places[place]
            entry: cython.pointer(Entry) = self._entries + pattern.entry
            if self._is_repeated(found, place):
                continue
            rules.append(_line_value(entry, self._text))
            if (entry.kind & 0xFF) == DISALLOW and self._counted(pattern) == octets and pattern != winner:
                reason = _ALLOW_WINS_TIE
        if not self._longest:
            reason = _FIRST_MATCH
        elif winner.flags & INDEX_PAGE:
            reason = _INDEX_PAGE
        elif (self._entries[winner.entry].kind & 0xFF) != ALLOW:
            reason = _LONGEST_MATCH
        entry = self._entries + winner.entry
        allowed: cython.bint = (entry.kind & 0xFF) == ALLOW or entry.end == entry.start
        return _verdict(about, path, reason, octets, tuple(rules), allowed)


# Rules ----------------------------------------------------------------------------------------


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


@cython.no_gc_clear
@cython.final
@cython.auto_pickle(False)
@cython.cclass
class RankedRules:
    """The rules of merged groups, ready for questions; answers as `reference.RankedRules` does."""

    dialect = cython.declare(object, visibility="readonly")
    _packed: bytes
    _entries: cython.pointer(Entry)
    _count: cython.size_t
    _raw: tuple
    _values: tuple
    _settings: Settings
    _patterns: Patterns
    #: the number of questions that were answered without patterns
    _asked: cython.uint

    def __init__(self, dialect, groups):
        """Merge groups, in file order."""
        raw: tuple = None
        packed: bytes
        settings: Settings = _settings_of(dialect)
        if type(groups) is SelectedGroups:
            packed = cython.cast(SelectedGroups, groups).packed
            if packed is None:
                raise TypeError("only a Reading creates SelectedGroups")
        else:
            raw = tuple(groups)
            packed = _packed(
                [sorted([*g.agents, *g.rules, *(field for field, _, _ in g.fields)]) for g in raw]
            )
        # The rules are immutable: answers refer to their bytes. No Python code runs from here on.
        if self._packed is not None:
            raise TypeError("RankedRules was initialized before; create another one")
        self.dialect = dialect
        self._settings = settings
        self._raw = raw
        self._entries = cython.cast(cython.pointer(Entry), _chars(packed)) + 1
        self._count = (self._entries - 1).start
        self._packed = packed

    @cython.cfunc
    def _require(self) -> cython.int:
        """Raise `TypeError` if `__init__` has not run to its end."""
        if self._packed is None:
            raise TypeError("RankedRules was not initialized: call its class, not __new__")
        return 0

    @property
    def raw_groups(self):
        """The groups as the reference engine has them, created on first use."""
        self._require()
        if self._raw is None:
            place: cython.size_t
            entry: cython.pointer(Entry)
            text: cython.p_char = cython.cast(cython.p_char, self._entries + self._count)
            groups: list = []
            records: list = []
            for place in range(self._count):
                entry = self._entries + place
                if entry.kind & BEGINS_GROUP:
                    records = []
                    groups.append(records)
                value = PyBytes_FromStringAndSize(text + entry.start, entry.end - entry.start)
                records.append((entry.line, KINDS[entry.kind & 0xFF], value))
            raw: tuple = tuple([grouped(group, self.dialect)[0][0] for group in groups])
            with cython.critical_section(self):
                if self._raw is None:
                    self._raw = raw
        return self._raw

    @property
    def values(self):
        """The groups as public values, created on first use."""
        self._require()
        if self._values is None:
            text: cython.p_uchar = cython.cast(cython.p_uchar, self._entries + self._count)
            found: tuple = _group_values(self._entries, self._count, text)
            with cython.critical_section(self):
                if self._values is None:
                    self._values = found
        return self._values

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
    @cython.exceptval(0xFFFFFFFE)
    def _winner(self, path: cython.p_uchar, size: cython.size_t) -> uint32_t:
        """Return the entry of the rule that wins a path as written, or NONE, without compiling the rules."""
        if _is_robots_txt(path, size, self._settings.opens):
            return NONE
        text: cython.p_uchar = cython.cast(cython.p_uchar, self._entries + self._count)
        best: uint32_t = NONE
        most: uint32_t = 0
        place: cython.size_t
        for place in range(self._count):
            entry: cython.pointer(Entry) = self._entries + place
            allow: cython.bint = (entry.kind & 0xFF) == ALLOW
            if (entry.kind & 0xFF) < USER_AGENT and entry.end > entry.start:
                length: cython.size_t = entry.end - entry.start
                found: uint32_t = _octets(text + entry.start, length, allow, path, size, self._settings)
                if found != NONE and (found > most or (found == most and allow and self._closes(best))):
                    best = place
                    most = found
        return best

    @cython.cfunc
    def _prepare(self) -> cython.int:
        """Compile the rules. Questions use the patterns without a reference: they are never replaced."""
        compiled: Patterns = Patterns()
        text: cython.p_uchar = cython.cast(cython.p_uchar, self._entries + self._count)
        compiled.compile(self._entries, self._count, text, self._settings)
        with cython.critical_section(self):
            if self._patterns is None:  # another thread or a finalizer may have asked the same rules
                self._patterns = compiled
        return 0

    @cython.cfunc
    @cython.exceptval(0xFFFFFFFE)
    def _ask(self, url, decision: list | None) -> uint32_t:
        """Return the entry of the rule that wins a URL; NONE for a robots.txt that is always open.

        If there is a list `decision`, replace the `about` in it by the verdict.
        """
        self._require()
        size: cython.Py_ssize_t = 0
        text: cython.p_uchar
        kept: bytes
        if isinstance(url, str):
            try:
                text = _utf8(url, cython.address(size))
            except UnicodeEncodeError:
                kept = to_bytes(PyUnicode_FromObject(url))  # a subclass could have an `encode` of its own
                text = _chars(kept)
                size = PyBytes_GET_SIZE(kept)
        elif isinstance(url, bytes):
            text = cython.cast(cython.p_uchar, PyBytes_AS_STRING(url))
            size = PyBytes_GET_SIZE(url)
        else:
            raise TypeError(f"a URL is str or bytes, not {type(url).__name__}")
        return self._ask_bytes(text, size, url, decision)

    @cython.cfunc
    @cython.exceptval(0xFFFFFFFE)
    def _ask_bytes(self, text: cython.p_uchar, size: cython.size_t, url, decision: list | None) -> uint32_t:
        """Return the winner for the bytes of a URL; `url` is the Python object, or `None`."""
        escapes: cython.int = self._settings.escapes
        end: cython.p_uchar = text + size
        path: cython.p_uchar = _path_of(text, end, escapes == 1)
        if path == cython.NULL:
            return self._ask_otherwise(text[:size] if url is None else url, decision)
        stop: cython.p_uchar = _path_end(path, end, escapes)
        if stop != cython.NULL:
            if (
                self._patterns is None
                and decision is None
                and self._settings.one_pass
                and self._asked < QUESTIONS_BEFORE_PATTERNS
            ):
                self._asked += 1
                return self._winner(path, stop - path)
            return self._answer(path, stop - path, decision)
        end = _passed(path, 35, end)
        if escapes == 2:
            return self._ask_rewritten(paths._draft_pattern(path[: end - path]).encode("latin-1"), decision)
        while end > path and _white[(end - 1)[0]] and (end - 1)[0] != 32:
            end -= 1  # line ends are not part of a URL (paths.rewritten)
        return self._ask_rewritten(_spelled(path, end, _plain_path), decision)

    @cython.cfunc
    @cython.exceptval(0xFFFFFFFE)
    def _ask_otherwise(self, url, decision: list | None) -> uint32_t:
        """Return the winner for a URL that the reference parses, or raises for."""
        first: uint32_t
        second: uint32_t
        try:
            path = _path_readers[self._settings.escapes](to_text(url) if isinstance(url, bytes) else url)
        except RelativeReference as doubt:
            if decision is not None:
                raise
            readings = doubt.readings
        else:
            return self._ask_rewritten(path.encode("latin-1"), decision)
        first = self._ask(readings[0], None)
        if self._closes(first):
            return first
        second = self._ask(readings[1], None)
        return second if self._closes(second) else first

    @cython.cfunc
    @cython.exceptval(0xFFFFFFFE)
    def _ask_rewritten(self, path: bytes, decision: list | None) -> uint32_t:
        return self._answer(_chars(path), PyBytes_GET_SIZE(path), decision)

    @cython.cfunc
    @cython.exceptval(0xFFFFFFFE)
    def _answer(self, path: cython.p_uchar, size: cython.size_t, decision: list | None) -> uint32_t:
        itself: cython.bint = _is_robots_txt(path, size, self._settings.opens)
        if self._patterns is None and not itself:
            self._prepare()
        if decision is not None:
            about: tuple = decision.pop()
            if itself:
                decision.append(_verdict(about, _text_of(path, size), Reason.ROBOTS_TXT_ITSELF, 0, (), True))
            else:
                decision.append(self._patterns.verdict(path, size, about))
        elif not itself:
            return self._patterns.winner(path, size)
        return NONE

    def allowed(self, url) -> bool:
        """Return whether the robot may fetch a URL; see `RulesAnswers.allowed`."""
        return not self._closes(self._ask(url, None))

    def verdict(self, url, about: tuple):
        """Return the verdict about a URL.

        `about` describes the robot, see `verdict.About`. Raises `RelativeReference` for a URL that could be
        two paths, and `InvalidURL` as `allowed` does.
        """
        decision: list = [about]
        self._ask(url, decision)
        return decision[0]

    def allowed_many(self, urls) -> tuple:
        """Return, for each URL in order, whether the robot may fetch it; see `RulesAnswers.allowed_many`."""
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
            answers.append(not self._closes(self._ask(url, None)))
        return tuple(answers)

    @cython.cfunc
    def _answer_strings(self, answers: list, strings: tuple):
        """Append an answer for each string of an Arrow array, without copying it; see `arrow.bytes_of`."""
        data, offsets, chars, valid, start, number = strings
        width: cython.size_t = chars
        first: cython.size_t = start
        count: cython.size_t = number
        text: Bytes = Bytes(data)
        places: Bytes = Bytes(offsets)
        bits: Bytes = Bytes(valid or b"")
        place: cython.size_t
        beginning: int64_t
        end: int64_t
        limit: cython.size_t = 0x7FFFFFFFFFFFFFF
        # `strings_of` has checked this, but the object only claims to be an array of pyarrow.
        if (
            (width != 4 and width != 8)
            or first > limit
            or count > limit
            or (count and (first + count + 1) > places.size // width)
            or (bits.size and first + count > bits.size * 8)
        ):
            raise ValueError("the Arrow array is shorter than it says")
        for place in range(first, first + count):
            if not place & BETWEEN_SIGNALS:
                PyErr_CheckSignals()
            if bits.size and not (bits.start[place >> 3] >> (place & 7)) & 1:
                answers.append(False)
                continue
            beginning = _offset(places.start, place, width)
            end = _offset(places.start, place + 1, width)
            if not 0 <= beginning <= end <= cython.cast(int64_t, text.size):
                raise ValueError("the Arrow array points outside of its buffer")
            best: uint32_t = self._ask_bytes(
                text.start + beginning, cython.cast(cython.size_t, end - beginning), None, None
            )
            answers.append(not self._closes(best))

    def winning_line(self, url):
        """Return the line of the rule that decides about a URL, or `None`."""
        best: uint32_t = self._ask(url, None)
        return None if best == NONE else self._entries[best].line


@cython.final
@cython.auto_pickle(False)
@cython.no_gc
@cython.cclass
class Bytes:
    """The bytes of an object, which stay where they are while this lives."""

    _view: Py_buffer
    start: cython.p_uchar
    size: cython.size_t

    def __cinit__(self, thing):
        PyObject_GetBuffer(thing, cython.address(self._view), PyBUF_SIMPLE)
        self.start = cython.cast(cython.p_uchar, self._view.buf)
        self.size = self._view.len

    def __dealloc__(self):
        PyBuffer_Release(cython.address(self._view))


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


# Answers --------------------------------------------------------------------------------------


@cython.no_gc_clear
@cython.auto_pickle(False)
@cython.cclass
class RulesAnswers:
    """The questions about URLs that `Rules` passes on to its engine, each in one call."""

    _engine = cython.declare(RankedRules, visibility="readonly")
    _asked: cython.uint

    def __init__(self, engine: RankedRules):
        """Answer by an engine."""
        with cython.critical_section(self):
            if self._engine is not None:
                raise TypeError("Rules was initialized before; create another one")
            self._engine = engine

    @cython.cfunc
    @cython.inline
    def _allowed(self, url) -> cython.bint:
        """Return whether the robot may fetch a URL.

        The engine is never replaced, so it is used without a reference: counting references to an object that
        threads share makes them wait for each other.
        """
        if self._engine is None:
            raise TypeError("Rules was not initialized: call its class, not __new__")
        asked: cython.uint = self._asked
        if asked <= QUESTIONS_BEFORE_DEFERRAL:  # no write later: threads would wait for each other
            self._asked = asked + 1
            if asked == QUESTIONS_BEFORE_DEFERRAL:
                defer_counting(self)
        return not self._engine._closes(self._engine._ask(url, None))

    def allowed(self, url) -> bool:
        """Return whether the robot may fetch a URL.

        `url` is an absolute URL or a path that begins with a slash. A reference with neither scheme nor
        slash could be a path or a host, so it is allowed only if both readings are. Raises `InvalidURL` for
        a URL that has a scheme and no host, such as `mailto:`.
        """
        return self._allowed(url)

    def allowed_many(self, urls) -> tuple:
        """Return, for each URL in order, whether the robot may fetch it.

        `urls` are as for `allowed`; a lone URL is one of them. They may also be a pyarrow array of strings,
        which is not copied; the answer for a null is `False`. Raises `InvalidURL` as `allowed` does, at the
        first such URL.
        """
        if self._engine is None:
            raise TypeError("Rules was not initialized: call its class, not __new__")
        return self._engine.allowed_many(urls)


@cython.no_gc_clear
@cython.auto_pickle(False)
@cython.cclass
class FileAnswers:
    """The questions about URLs to a `RobotsTxt`: the first is answered without building any rules."""

    body = cython.declare(bytes, visibility="readonly")
    dialect = cython.declare(object, visibility="readonly")
    _cached: dict
    _settings: Settings
    _read: Reading
    _asked: cython.bint

    def __cinit__(self, body: bytes, dialect):
        _check_size(body)
        self._settings = _settings_of(dialect)
        self.dialect = dialect
        self.body = body

    @property
    def _reading(self) -> Reading:
        """The groups and other fields, read on first use."""
        if self._read is None:
            reading: Reading = Reading(self.body, self.dialect)
            with cython.critical_section(self):
                if self._read is None:
                    self._read = reading
        return self._read

    def _cache(self) -> dict:
        """Return the `Rules` of each robot that was asked for."""
        with cython.critical_section(self):
            if self._cached is None:
                self._cached = {}
        return self._cached

    def allowed(self, url, *, agent) -> bool:
        """Return whether a robot may fetch a URL.

        Raises `InvalidURL` for a URL that has a scheme and no host, such as `mailto:`.
        """
        rules: RulesAnswers = None
        answer: cython.int
        if type(agent) is str:
            if self._cached is not None:
                try:
                    rules = self._cached[agent]  # `get` is unsafe without the GIL, as the dict may be cleared
                except KeyError:
                    pass
            elif not self._asked and type(url) is str:
                self._asked = True
                answer = self._first_answer(url, agent)
                if answer >= 0:
                    return answer == 1
        if rules is None:
            rules = self.rules_for(agent)
        return rules._allowed(url)

    @cython.cfunc
    def _first_answer(self, url: str, agent: str) -> cython.int:
        """Return the answer without building rules, or -2 if that is not possible."""
        settings: Settings = self._settings
        size: cython.Py_ssize_t = 0
        length: cython.Py_ssize_t = 0
        place: cython.Py_ssize_t
        if not settings.one_pass:
            return -2
        try:
            text: cython.p_uchar = _utf8(url, cython.address(size))
            name: cython.p_uchar = _utf8(agent, cython.address(length))
        except UnicodeEncodeError:
            return -2
        for place in range(length):
            if not _identifier[name[place]]:
                return -2
        path: cython.p_uchar = _path_of(text, text + size, settings.escapes == 1)
        if length == 0 or path == cython.NULL:
            return -2
        end: cython.p_uchar = _path_end(path, text + size, settings.escapes)
        if end == cython.NULL:
            return -2
        if _is_robots_txt(path, end - path, settings.opens):
            return 1
        return _ask_file(self.body, settings, name, length, path, end - path)
