"""One version of the answer of a site to requests for its robots.txt, and the lines that name it.

A line of `versions.jsonl` and a line of a decision log name a robots.txt in the same way: in the object
`robots`, with its digest. So both can be read as versions.
"""

import json
from collections.abc import Mapping
from datetime import datetime

from ...protocol.access.outcome import Access, Cause, Outcome
from ...protocol.value import Value
from .line import Encoded, timestamp
from .records import MAX_LENGTH, evidence, masked

#: The field of a line of `versions.jsonl` that lines of decision logs do not have.
_MARK = "version"

#: Maximum number of redirects of a line that is read.
_MAX_HOPS = 100


class Version(Value):
    """An answer of a site that differs from the one before.

    `number` is the number of its line, and `time` is when the answer was first received, in seconds since
    1970. `origin` is the site, `url` the URL that answered, and `hops` the redirects from one to the other.
    `outcome`, `cause`, `status` and `detail` are those of the answer. `sha256` is the digest of the body, or
    None without a body. `size` is its size in bytes, None if it is not known, and `truncated` is true if the
    body was longer than is read. `kept` is true if the body is stored.

    >>> import comity
    >>> from tempfile import TemporaryDirectory
    >>> from comity.stores import VersionStore
    >>> fetch = comity.Fetch("https://example.com/")
    >>> _ = fetch.receive(404, [], now=1_800_000_000.0)
    >>> with TemporaryDirectory() as folder, VersionStore(folder) as store:
    ...     version = store.add(fetch.access)
    >>> version.outcome, version.status, version.record()["time"]
    (Outcome.UNAVAILABLE, 404, '2027-01-15T08:00:00Z')
    """

    number: int
    time: float
    origin: str
    url: str
    hops: tuple[tuple[str, int], ...]
    outcome: Outcome
    cause: Cause
    status: int | None
    detail: str
    sha256: str | None
    size: int | None
    truncated: bool
    kept: bool

    _times = ("time",)

    def record(self) -> dict[str, object]:
        """Return the version as a dict for JSON."""
        return {**super().record(), "hops": [{"url": url, "status": status} for url, status in self.hops]}

    @property
    def answer(self) -> tuple[object, ...]:
        """What makes it differ from the version before it."""
        return answer_of(self.outcome, self.cause, self.url, self.sha256, truncated=self.truncated)

    def access(self, body: bytes) -> Access:
        """Return the answer as an access, with its `body`."""
        has_rules = self.outcome is Outcome.RULES
        return Access(
            origin=self.origin,
            policy="rfc9309",
            dialect="rfc9309",
            outcome=self.outcome,
            cause=self.cause,
            detail=self.detail,
            status=self.status,
            url=self.url,
            hops=self.hops,
            checked=self.time,
            expires=self.time,
            failing_since=self.time if self.outcome is Outcome.UNREACHABLE else None,
            body=body if has_rules else b"",
            truncated=self.truncated,
            fetched=self.time if has_rules else None,
            etag=None,
            last_modified=None,
            content_type=None,
        )


def answer_of(
    outcome: Outcome, cause: Cause, url: str, sha256: str | None, *, truncated: bool
) -> tuple[object, ...]:
    """Return the parts of an answer that make a version.

    The cause of rules is left out, because a server may confirm its file instead of sending it.
    """
    return outcome, None if outcome is Outcome.RULES else cause, url, sha256, truncated


def version_text(access: Access, *, kept: bool) -> Encoded:
    """Return the fields of the line for an answer: the inside of a JSON object."""
    fields = {
        "time": timestamp(access.checked),
        _MARK: True,
        "robots": {**evidence(access), "kept": kept},
        "size": len(access.body),
        "detail": masked(access.detail)[:MAX_LENGTH],
    }
    return json.dumps(fields)[1:-1]


def is_version(record: Mapping[str, object]) -> bool:
    """Return whether the record of a line names a version, and not a decision."""
    return record.get(_MARK) is True and "made" not in record


def version_of(record: Mapping[str, object]) -> Version:
    """Return the version that the record of a line names.

    Raises `ValueError`, `KeyError` or `TypeError` if it names none.
    """
    robots = record["robots"]
    if not isinstance(robots, dict):
        raise ValueError("the line names no robots.txt")
    hops, size, digest = robots["hops"], record.get("size"), robots["sha256"]
    if not isinstance(hops, list) or len(hops) > _MAX_HOPS:
        raise ValueError("its redirects are not valid")
    return Version(
        number=_whole(record["number"]),
        time=_time(record["time"] if is_version(record) else robots["fetched"]),
        origin=_text(robots["origin"]),
        url=_text(robots["url"]),
        hops=tuple((_text(hop["url"]), _whole(hop["status"])) for hop in hops),
        outcome=Outcome(robots["outcome"]),
        cause=Cause(robots["cause"]),
        status=None if robots["status"] is None else _whole(robots["status"]),
        detail=_text(record.get("detail") or ""),
        sha256=None if digest is None else _text(digest),
        size=None if size is None else _whole(size),
        truncated=robots["truncated"] is True,
        kept=robots["kept"] is True,
    )


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(f"expected a text, not {type(value).__name__}")
    return value


def _whole(value: object) -> int:
    if type(value) is not int or value < 0:
        raise ValueError(f"expected a number, not {value!r:.40}")
    return value


def _time(value: object) -> float:
    moment = datetime.fromisoformat(_text(value))
    if moment.tzinfo is None:
        raise ValueError("its time has no zone")
    return moment.timestamp()
