"""What the decision log says of each request: when, what, on whose word, and what came of it."""

import re
from datetime import UTC, datetime

from ..protocol.access.outcome import Access
from ..protocol.robotstxt.verdict import Verdict
from ..protocol.text import printable

__all__ = ["decision", "evidence", "without_password"]


#: The longest text, in characters: a site may write a rule of half a megabyte, whose number will do.
_LONGEST = 2000


def without_password(url: object) -> str:
    """Give a URL, of whatever type it is, as it may be written down.

    >>> without_password("https://user:secret@example.com/@b")
    'https://example.com/@b'
    """
    scheme, mark, rest = str(url).partition("://")
    authority = re.match("[^/?#]*", rest)
    assert authority is not None  # noqa: S101  # nothing matches too
    host = authority[0].rpartition("@")[2]
    return f"{scheme}{mark}{host}{rest[authority.end() :]}" if mark else str(url)


def evidence(access: Access) -> dict[str, object]:
    """Say which robots.txt decided: its address, its digest, and when it was had."""
    return {
        "url": access.url,
        "outcome": access.outcome.code,
        "cause": access.cause.code,
        "status": access.status,
        "sha256": access.sha256 if access.body else None,
        "fetched": _moment(access.checked if access.fetched is None else access.fetched),
    }


def decision(
    method: str,
    url: str,
    agent: str,
    now: float,
    *,
    made: bool,
    reason: str,
    verdict: Verdict | None = None,
    robots: dict[str, object] | None = None,
    age: float | None = None,
    waited: float | None = 0.0,
    status: int | None = None,
    error: str | None = None,
    usage: dict[str, object] | None = None,
    page: dict[str, object] | None = None,
    respect: dict[str, object] | None = None,
) -> dict[str, object]:
    """Say of one request whether it was made, why, and what came of it; times in seconds.

    `reason` is the verdict's, or the word of whoever made the robot wait. `waited` is from when the
    caller asked until the request was made or refused, `age` how old the robots.txt then was. `usage` is
    what is preferred of the content's use, as far as it was known then, `page` what a page that was read
    forbids, `respect` the uses that the robot makes of what it fetches.
    """
    rule = verdict.rule if verdict is not None else None
    return {
        "time": _moment(now),
        "method": method,
        "url": printable(url)[:_LONGEST],
        "agent": agent,
        "made": made,
        "reason": reason,
        "line": rule.line if rule else None,
        "rule": printable(str(rule))[:_LONGEST] if rule else None,
        "robots": robots,
        "age": None if age is None else round(age, 3),
        "waited": None if waited is None else round(waited, 3),
        "status": status,
        "error": None if error is None else error[:_LONGEST],
        "usage": usage,
        "page": page,
        "respect": respect,
    }


def _moment(now: float) -> str:
    """Write a time as RFC 3339 has it."""
    return datetime.fromtimestamp(now, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
