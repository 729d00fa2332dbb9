"""The conditions of a request, and the state of a file -> whether the file is sent (RFC 9110 13)."""

from collections.abc import Iterable, Iterator

from ...protocol.access.freshness import http_date

#: The header fields with conditions, in lower case.
CONDITIONS = ("if-match", "if-unmodified-since", "if-none-match", "if-modified-since")


def failed(headers: Iterable[tuple[str, str]], etag: str, modified: float | None) -> int | None:
    """Return the status to send instead of the content: 412, 304, or None if no condition fails.

    `etag` is a strong entity tag with its quotes. `modified` is in seconds since 1970, or None if it is
    unknown. The conditions are checked in the order of RFC 9110 13.2.2, for GET and HEAD. A condition that
    is not valid is ignored, and an entity tag that is not valid does not match.

    >>> failed([("If-None-Match", 'W/"1", "2"')], '"1"', None)
    304
    >>> failed([("If-None-Match", '"3"'), ("If-Modified-Since", "Thu, 01 Jan 1970 00:01:00 GMT")], '"1"', 0.0)
    """
    conditions: dict[str, str] = {}
    for name, value in headers:
        field = name.lower()
        if field in CONDITIONS:
            known = conditions.get(field)
            conditions[field] = value if known is None else f"{known}, {value}"  # RFC 9110 5.3
    tags, since = conditions.get("if-match"), _date(conditions.get("if-unmodified-since"), modified)
    if tags is not None:
        if not _has(tags, etag, weakly=False):  # 13.1.1: the strong comparison
            return 412
    elif since is not None and modified is not None and modified > since:
        return 412
    tags, since = conditions.get("if-none-match"), _date(conditions.get("if-modified-since"), modified)
    if tags is not None:  # 13.1.3: the date is ignored then
        return 304 if _has(tags, etag, weakly=True) else None
    return 304 if since is not None and modified is not None and modified <= since else None


def _has(tags: str, etag: str, *, weakly: bool) -> bool:
    """Return whether a list of entity tags has the given one, or is `*`, which matches any content."""
    return tags.strip() == "*" or any(tag == etag and (weakly or not weak) for weak, tag in _tags_in(tags))


def _tags_in(tags: str) -> Iterator[tuple[bool, str]]:
    """Yield the entity tags of a list, each with whether it is weak, up to the first error."""
    at = 0
    while True:
        begin = tags.find('"', at)
        end = tags.find('"', begin + 1)
        mark = tags[at:begin].strip(", \t")
        if begin < 0 or end < 0 or mark not in ("", "W/"):
            return
        yield bool(mark), tags[begin : end + 1]
        at = end + 1


def _date(value: str | None, modified: float | None) -> float | None:
    # A year of two digits is read as the one nearest to the time of the change.
    return None if value is None or modified is None else http_date(value, modified)
