r"""Encode an `Access` as bytes for a file or a server, and decode it.

    comity access 1 <digest>\n      type, version, and a digest of the rest
    {"origin": "https://...", ...}\n    every field except the body, as JSON
    <the body>

An entry that differs from this format in any way counts as absent, so the robots.txt is fetched again. It may
be damaged, written by another program or a later Comity, or manipulated. Nothing is unpickled.

An answer of a store is valid only if a `Fetch` could have given it. This protects the robot from errors and
from requests that it would not send. It does not show who wrote the answer: whoever can write to a store
decides what its robots may fetch.
"""

import json
import logging
from collections.abc import Callable
from hashlib import blake2b
from math import isfinite
from typing import Any

from ...errors import InvalidURL
from ...protocol.access.fetch import FINAL_ANSWERS, cause_of_status
from ...protocol.access.outcome import Access, Cause, Outcome
from ...protocol.origin import Origin
from ...protocol.robotstxt.engine.dialect import DIALECTS, Dialect

#: The latest time, the end of the year 9999.
_END = 253_402_300_799.0

#: Maximum seconds between a request for a robots.txt and the next one.
_LONGEST = 366 * 86_400.0

#: Maximum lengths in characters, of a header field as in `Fetch`.
_MAX_FIELD, _MAX_URL, _MAX_TEXT = 1024, 65_536, 2000

#: Maximum number of redirects.
_MAX_HOPS = 100

#: The causes with which there are rules.
_WITH_RULES = frozenset((Cause.OK, Cause.NO_CONTENT, Cause.NOT_MODIFIED, Cause.NOT_TEXT, Cause.SUPPLIED))


def problem_of(access: Access, origin: str) -> str | None:
    """Return what makes the stored answer of an origin invalid, or None."""
    if access.origin != origin:
        return "it belongs to another origin"
    return _problem_of_times(access) or _problem_of_outcome(access) or _problem_of_texts(access)


def _problem_of_times(access: Access) -> str | None:
    times = [access.checked, access.expires, access.failing_since, access.fetched]
    if not all(time is None or 0 <= time <= _END for time in times):
        return "a time is out of range"
    if not 0 <= access.expires - access.checked <= _LONGEST:
        return "it expires too early or too late"
    if access.failing_since is not None and access.failing_since > access.checked:
        return "it failed after its request"
    return None


def _problem_of_outcome(access: Access) -> str | None:
    has_rules = access.outcome is Outcome.RULES
    if access.cause is Cause.NO_POLICY:
        return "it was not fetched"
    if not _is_status_of(access.cause, access.status):
        return "its status and its cause do not agree"
    if has_rules and access.cause in FINAL_ANSWERS and access.cause is not Cause.NOT_TEXT:
        return "its outcome and its cause do not agree"
    if access.failing_since is None:
        if has_rules is not (access.cause in _WITH_RULES) and access.cause is not Cause.NOT_TEXT:
            return "its outcome and its cause do not agree"
        if access.body and not has_rules:
            return "it has a body without rules"
    if has_rules and access.fetched is None:
        return "its rules were never fetched"
    with_body = (access.etag, access.last_modified, access.content_type, access.body, access.truncated)
    if access.fetched is None and any(with_body):
        return "it has parts of a body that was never fetched"
    return None


def _is_status_of(cause: Cause, status: int | None) -> bool:
    """Return whether an answer with a status can have a cause. Failures of the network have no status."""
    if status is None:
        return True
    if status >= 400:
        return cause is cause_of_status(status)
    return cause not in _WITH_RULES or status == 304 or 200 <= status <= 299


def _problem_of_texts(access: Access) -> str | None:
    for name in ("etag", "last_modified", "content_type"):
        value = getattr(access, name)
        if value is not None and not (0 < len(value) <= _MAX_FIELD and _is_plain(value)):
            return f"{name} is not the value of a header field"
    if not 0 < len(access.policy) <= _MAX_TEXT or not access.policy.isprintable():
        return "its policy has no name"
    if len(access.detail) > _MAX_TEXT:
        return "its details are too long"
    if len(access.hops) > _MAX_HOPS or not all(300 <= status <= 399 for _, status in access.hops):
        return "its redirects are not valid"
    first, *others = [*(url for url, _ in access.hops), access.url]
    if _origin_of(first) != access.origin:
        return "its URL belongs to another origin"
    schemes = ("http", "https", access.origin.partition(":")[0])
    if not all((_origin_of(url) or "").partition(":")[0] in schemes for url in others):
        return "a redirect leads to a URL that no robot requests"
    return None


def _origin_of(url: str) -> str | None:
    if len(url) > _MAX_URL or not url.isprintable():
        return None
    try:
        return str(Origin.of(url))
    except InvalidURL:
        return None


def _is_plain(value: str) -> bool:
    return value.isascii() and value.isprintable()


_log = logging.getLogger("comity.robot")

#: Maximum size of an entry in bytes, many times the limit of any policy for a body.
LIMIT = 16 << 20

#: Minimum lifetime of an entry in seconds; see `lifetime_of`. While an origin is unreachable, its last rules
#: may apply for a month (RFC 9309 2.3.1.4), and its validators can save a transfer for the same time.
LIFETIME = 30 * 86_400.0

#: Maximum size in bytes of the fields before the body.
_MAX_HEADER = 1 << 20

#: Maximum number of entries that are remembered as logged.
_MAX_REJECTED = 1000

_MAGIC = b"comity access 1 "


def lifetime_of(access: Access, now: float) -> float:
    """Return how long in seconds an answer that is saved now is kept: `LIFETIME`, or until it expires."""
    return max(LIFETIME, access.expires - now)


def encode(access: Access) -> bytes | None:
    r"""Encode an answer. Return `None` if it is larger than `LIMIT`, because it is not stored then.

    >>> from comity.protocol.access.outcome import Access, Cause, Outcome
    >>> access = Access(
    ...     "https://example.com", "rfc9309", "rfc9309", Outcome.RULES, Cause.OK, "status 200", 200,
    ...     "https://example.com/robots.txt", (), 0.0, 86400.0, None, b"User-agent: *", False, 0.0,
    ...     None, None, "text/plain",
    ... )
    >>> decode(encode(access)) == access
    True
    >>> decode(encode(access)[:-1]) is None
    True
    """
    header = {name: getattr(access, name) for name in _FIELDS}
    header.update(outcome=access.outcome.name, cause=access.cause.name)
    if isinstance(access.dialect, Dialect):  # clients read stored rules by their own dialect
        header.update(dialect=access.dialect.name)
    content = json.dumps(header).encode("ascii") + b"\n" + access.body
    entry = _MAGIC + _digest(content) + b"\n" + content
    return entry if len(entry) <= LIMIT else None


class RejectedEntries:
    """The entries of a store that are not valid. Each is logged once, although a request reads it twice."""

    def __init__(self) -> None:
        self._logged: dict[tuple[str, str, int], None] = {}

    def add(self, origin: str, problem: str, entry: object) -> None:
        """Log that the entry of an origin is not valid, once for each content."""
        key = origin, problem, hash(entry)
        if key in self._logged:
            return
        if len(self._logged) >= _MAX_REJECTED:
            self._logged.clear()
        self._logged[key] = None
        _log.warning("the stored robots.txt of %.200r is ignored: %s", origin, problem)


def restore(entry: object, origin: str, rejected: RejectedEntries) -> Access | None:
    """Decode the entry of an origin, and validate it. Return None if it is not valid, and log it once."""
    access = decode(entry)
    problem = "its format is not valid" if access is None else problem_of(access, origin)
    if problem is not None:
        rejected.add(origin, problem, entry)
        return None
    return access


def decode(entry: object) -> Access | None:
    """Decode an entry. Return `None` if it is not valid."""
    if not isinstance(entry, bytes) or len(entry) > LIMIT or not entry.startswith(_MAGIC):
        return None
    digest, _, content = entry[len(_MAGIC) :].partition(b"\n")
    if digest != _digest(content):
        return None
    header, _, body = content.partition(b"\n")
    if len(header) > _MAX_HEADER:
        return None
    try:
        fields = json.loads(header)
        if not isinstance(fields, dict) or fields.keys() != _FIELDS.keys():
            return None
        return Access(body=body, **{name: read(fields[name]) for name, read in _FIELDS.items()})
    except (ValueError, TypeError, KeyError, OverflowError, RecursionError):
        return None


def _digest(content: bytes) -> bytes:
    """Return a checksum against accidental damage. It does not protect against manipulation."""
    return blake2b(content, digest_size=8).hexdigest().encode("ascii")


def _of(*kinds: type) -> Callable[[Any], Any]:
    def read(value: Any) -> Any:
        if type(value) not in kinds:  # a bool is an int to `isinstance`
            raise ValueError(f"invalid type of {value!r}")
        return value

    return read


def _status(value: Any) -> int:
    if type(value) is not int or not 0 <= value <= 999:
        raise ValueError(f"invalid status {value!r}")
    return value


def _time(value: Any) -> float:
    if type(value) not in (int, float) or not isfinite(value):
        raise ValueError(f"invalid time {value!r}")
    return float(value)


def _dialect(value: Any) -> str:
    return DIALECTS[_text(value)].name


def _hops(value: Any) -> tuple[tuple[str, int], ...]:
    return tuple((_text(url), _status(status)) for url, status in _of(list)(value))


def _or_none(read: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda value: None if value is None else read(value)


_text = _of(str)

#: Readers of the fields. They raise `ValueError`, `TypeError` or `KeyError` for an invalid value.
_FIELDS: dict[str, Callable[[Any], Any]] = {
    "origin": _text,
    "policy": _text,
    "dialect": _dialect,
    "outcome": lambda name: Outcome[_text(name)],
    "cause": lambda name: Cause[_text(name)],
    "detail": _text,
    "status": _or_none(_status),
    "url": _text,
    "hops": _hops,
    "checked": _time,
    "expires": _time,
    "failing_since": _or_none(_time),
    "truncated": _of(bool),
    "fetched": _or_none(_time),
    "etag": _or_none(_text),
    "last_modified": _or_none(_text),
    "content_type": _or_none(_text),
}
