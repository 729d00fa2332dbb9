"""The conditions of a request, and what is known of a file -> whether it is sent (RFC 9110 13)."""

from collections.abc import Iterable, Iterator

from ...protocol.access.freshness import http_date

__all__ = ["CONDITIONS", "failed"]

#: The fields that are read, in lower case.
CONDITIONS = ("if-match", "if-unmodified-since", "if-none-match", "if-modified-since")


def failed(headers: Iterable[tuple[str, str]], etag: str, modified: float | None) -> int | None:
    """Give the status to answer with instead of the content: 412, 304, or `None` if no condition fails.

    `etag` is a strong entity tag with its quotes, `modified` is in seconds since 1970, `None` if nobody
    knows. The conditions are tried in the order of RFC 9110 13.2.2, for GET and HEAD. What cannot be read is
    no condition, or an entity tag that is not the one.

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
    if tags is not None:  # 13.1.3: then the date does not count
        return 304 if _has(tags, etag, weakly=True) else None
    return 304 if since is not None and modified is not None and modified <= since else None


def _has(tags: str, etag: str, *, weakly: bool) -> bool:
    """Say whether a list of entity tags has one, or is `*`, which any content matches."""
    return tags.strip() == "*" or any(tag == etag and (weakly or not weak) for weak, tag in _tags_in(tags))


def _tags_in(tags: str) -> Iterator[tuple[bool, str]]:
    """Give the entity tags of a list, each with whether it is weak, up to what is no entity tag."""
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
    # A year of two digits lies near the one moment that is known here.
    return None if value is None or modified is None else http_date(value, modified)
