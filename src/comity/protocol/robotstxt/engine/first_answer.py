"""The first question about a file: answered in one pass over its lines, without groups and rules.

Many crawlers ask only once for each file. Most lines disallow paths that begin with another letter, and one
look-up of their first bytes skips them. Only the other rules for the robot are compiled.
"""

from .dialect import Dialect
from .grammar import UNRESERVED
from .groups import Record
from .lexer import BEGINNINGS, field_of, texts_of
from .precedence import closes, rank, unlike_beginnings
from .selection import is_default, key_of, tokens_of

#: How most lines begin that are rules in every dialect.
_LENGTH = len(b"Disallow: /x")
_RULES = frozenset([b"Disallow:", b"Disallow: ", b"Disallow: /"]).union(
    [b"Disallow: /%c" % byte for byte in range(256)]
)

#: Those that do not match a path, by its first character. These characters stand for themselves.
_UNLIKE = frozenset([b"Disallow: /%c" % byte for byte in UNRESERVED])
_UNLIKE_PATH = {chr(byte): _UNLIKE - {b"Disallow: /%c" % byte} for byte in UNRESERVED}


def first_answer(body: bytes, dialect: Dialect, name: str, path: str) -> bool | None:
    """Return whether a robot may fetch a path, as `Rules` answers; `None` for a dialect that needs groups.

    `name` is the product token of the robot, and `path` the path as the dialect compares it.
    """
    if dialect.blank_line_ends_group or not (dialect.merges_named and dialect.merges_default):
        return None
    if dialect.agent_match not in ("token", "google-token"):
        return None
    matching = rank([_rules_alike(body, dialect, name, path)], dialect, path)
    return not matching or not closes(matching[0][2])


def _rules_alike(body: bytes, dialect: Dialect, name: str, path: str) -> list[Record]:
    """Return the rules for a robot, without those that begin unlike the path; their line numbers are 0."""
    key = key_of(name)
    if key is not None and body.lower().find(key) < 0:
        key = None  # no group names the robot
    unlike = unlike_beginnings(path, dialect)
    unlike_lines = _UNLIKE_PATH.get(path[1:2], _UNLIKE)
    named: list[Record] | None = None  # the rules of the groups that name the robot, if there are any
    default: list[Record] = []  # those of the groups for `*`
    rules: list[Record] | None = None  # the list for the next rule, `None` if its group is for other robots
    skipped = _RULES
    header_open = False  # whether a User-agent line still joins the group
    for texts in texts_of(body, dialect):
        for text in texts:
            if text[:_LENGTH] in skipped:
                header_open = False
                continue
            if not text or text.lstrip()[:2] not in BEGINNINGS:
                continue
            field, value = field_of(text, dialect)
            if field == "user-agent":
                if not header_open:
                    rules, header_open = None, True
                if key is not None and key in tokens_of(value, dialect):
                    rules = named = [] if named is None else named
                elif rules is None and is_default(value, dialect):
                    rules = default
                skipped = _RULES if rules is None else unlike_lines
            elif field == "disallow" or field == "allow":
                header_open = False
                if rules is not None and value[:2] not in unlike:
                    rules.append((0, field, value))
    return default if named is None else named
