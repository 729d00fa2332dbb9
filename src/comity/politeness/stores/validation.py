"""Check the answers that a store returns: another program may have written them.

A valid answer is one that a `Fetch` could have given. This protects the robot from errors and from requests
that it would not send. It does not show who wrote the answer: whoever can write to a store decides what its
robots may fetch.
"""

from ...errors import InvalidURL
from ...protocol.access.fetch import FINAL_ANSWERS, cause_of_status
from ...protocol.access.outcome import Access, Cause, Outcome
from ...protocol.origin import Origin

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
