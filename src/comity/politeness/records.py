"""The records of the decision log: one for each request, with the decision, its reason and the outcome."""

import re
from collections.abc import Sequence

from .._version import release
from ..protocol.access.outcome import Access, Outcome
from ..protocol.robotstxt.dialect import DIALECTS, Dialect, named
from ..protocol.robotstxt.verdict import Verdict
from ..protocol.text import printable
from ..protocol.userinfo import without_password
from .evidence.line import Encoded, timestamp

#: Maximum length of a text in characters. A rule can have half a megabyte; its line number suffices.
MAX_LENGTH = 2000

#: The user name and password of a URL in a text.
_USERINFO = re.compile(r"(?<=://)[^\s/?#]*@")


def evidence(access: Access) -> dict[str, object]:
    """Return which robots.txt decided: its URL, its digest, and the time of its fetch.

    `origin` is the origin that was asked, and `hops` are the redirects from there to `url`. `sha256` is the
    digest of the body that the rules were read from.
    """
    has_body = bool(access.body) or access.outcome is Outcome.RULES
    return {
        "origin": access.origin,
        "url": without_password(access.url),
        "hops": [{"url": without_password(url), "status": status} for url, status in access.hops],
        "outcome": access.outcome.code,
        "cause": access.cause.code,
        "status": access.status,
        "sha256": access.sha256 if has_body else None,
        "truncated": access.truncated,
        "fetched": timestamp(access.checked if access.fetched is None else access.fetched),
    }


def client(
    user_agent: str,
    contact: str | None,
    names: Sequence[str],
    *,
    policy: str,
    dialect: str | Dialect,
    acap: bool,
    crawl_delay_cap: float,
) -> dict[str, object]:
    """Return the client that decides: its identity, and the settings by which it reads robots.txt.

    `settings` are those of a dialect that has no name of its own.
    """
    read_by = named(dialect)
    is_known = DIALECTS.get(read_by.name, read_by).replace(agent_match=read_by.agent_match) == read_by
    fields: dict[str, object] = {
        "version": release(),
        "user_agent": printable(user_agent)[:MAX_LENGTH],
        "contact": None if contact is None else printable(contact)[:MAX_LENGTH],
        "names": list(names),
        "policy": policy,
        "dialect": read_by.name,
        "agent_match": read_by.agent_match,
        "acap": acap,
        "crawl_delay_cap": crawl_delay_cap,
    }
    if not is_known or read_by.name not in DIALECTS:
        fields["settings"] = read_by.record()
    return fields


def gap_part(required: float, source: str, waited: float | None) -> Encoded:
    """Return the gap before a request as the log has it: seconds that were required, why, and observed.

    >>> gap_part(1.0, "crawl-delay", 1.25)
    '{"required": 1.0, "source": "crawl-delay", "waited": 1.25}'
    """
    shown = "null" if waited is None else repr(round(waited, 3))
    return Encoded(f'{{"required": {round(required, 3)!r}, "source": "{source}", "waited": {shown}}}')


def masked(text: str) -> str:
    """Return a text of a site for the log: printable, of limited length, and its URLs without passwords.

    >>> masked("Content-Signal: x=http://user:secret@example.com/")
    'Content-Signal: x=http://example.com/'
    """
    shown = printable(text)[:MAX_LENGTH]
    return _USERINFO.sub("", shown) if "@" in shown else shown


def decision(
    request_id: str,
    method: str,
    url: str,
    now: float,
    *,
    made: bool,
    reason: str,
    sent: float | None = None,
    ended: float | None = None,
    verdict: Verdict | None = None,
    robots: Encoded | None = None,
    age: float | None = None,
    waited: float | None = 0.0,
    gap: Encoded | None = None,
    status: int | None = None,
    error: str | None = None,
    usage: dict[str, object] | None = None,
    page: dict[str, object] | None = None,
) -> dict[str, object]:
    """Return the record of one request: whether it was made, why, and its outcome. Times are in seconds.

    `now` is the time of the decision, `sent` that of the sending and `ended` the end of the response.
    `reason` is the code of the verdict or of the wait. `waited` is the time from the call until the request
    was sent or refused, and `age` the age of the robots.txt then. `gap` is the gap to the request before.
    `usage` has the known preferences about the use of the content, `page` the directives of a page that was
    read.
    """
    rule = verdict.rule if verdict is not None else None
    return {
        "id": request_id,
        "time": timestamp(now),
        "sent": None if sent is None else timestamp(sent),
        "ended": None if ended is None else timestamp(ended),
        "method": method,
        "url": printable(url)[:MAX_LENGTH],
        "made": made,
        "reason": reason,
        "line": rule.line if rule else None,
        "rule": masked(str(rule)) if rule else None,
        "robots": robots,
        "age": None if age is None else round(age, 3),
        "waited": None if waited is None else round(waited, 3),
        "gap": gap,
        "status": status,
        "error": None if error is None else masked(error),
        "usage": usage,
        "page": page,
    }
