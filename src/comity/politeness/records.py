"""The records of the decision log: one for each request, with the decision, its reason and the outcome."""

from ..protocol.access.outcome import Access
from ..protocol.moment import utc
from ..protocol.robotstxt.verdict import Verdict
from ..protocol.text import printable

#: Maximum length of a text in characters. A rule can have half a megabyte; its line number suffices.
_MAX_LENGTH = 2000


def evidence(access: Access) -> dict[str, object]:
    """Return which robots.txt decided: its URL, its digest, and the time of its fetch."""
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
    """Return the record of one request: whether it was made, why, and its outcome. Times are in seconds.

    `reason` is the code of the verdict or of the wait. `waited` is the time from the call until the request
    was sent or refused, and `age` the age of the robots.txt then. `usage` has the known preferences about
    the use of the content, `page` the directives of a page that was read, `respect` the uses that the robot
    makes of content.
    """
    rule = verdict.rule if verdict is not None else None
    return {
        "time": _moment(now),
        "method": method,
        "url": printable(url)[:_MAX_LENGTH],
        "agent": agent,
        "made": made,
        "reason": reason,
        "line": rule.line if rule else None,
        "rule": printable(str(rule))[:_MAX_LENGTH] if rule else None,
        "robots": robots,
        "age": None if age is None else round(age, 3),
        "waited": None if waited is None else round(waited, 3),
        "status": status,
        "error": None if error is None else error[:_MAX_LENGTH],
        "usage": usage,
        "page": page,
        "respect": respect,
    }


def _moment(now: float) -> str:
    """Format a time by RFC 3339."""
    return utc(now).isoformat(timespec="milliseconds").replace("+00:00", "Z")
