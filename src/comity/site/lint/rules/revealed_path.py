"""A rule tells everybody where something is that nobody should find.

Why: robots.txt is public, and the first thing that an attacker reads. It keeps no one out: what is secret
needs a password, and no line here. What every site of a kind has, such as `/admin/` or `/user/password/`,
tells nothing.

Example:
    User-agent: *
    Disallow: /backup/database.sql
Instead:
    User-agent: *
    Disallow: /files/
Engines: None: this is about people.
Source: RFC 9309 3: the rules are no access control, and make paths public.
"""

from collections.abc import Iterator

from ....protocol.robotstxt.lexer import Line
from ..remark import Remark, at_value, shown
from ..subject import Subject

__all__ = ["CODE", "SEVERITY", "check"]

CODE = "C801"
SEVERITY = "information"

#: What only secrets are called, as a whole segment of a path.
_SEGMENTS = frozenset(
    b".git .svn .env .htaccess .htpasswd .ssh .aws backup backups dump dumps phpmyadmin pma "
    b"mysqladmin adminer passwords passwd secret secrets credentials private-key server-status "
    b"phpinfo.php".split()
)
_ENDINGS = (b".sql", b".bak", b".sql.gz", b".pem", b".key", b".htpasswd", b".env", b".dump", b".mdb")
_PARAMETERS = (b"token=", b"password=", b"passwd=", b"apikey=", b"api_key=", b"secret=", b"access_token=")


def check(subject: Subject) -> Iterator[Remark]:
    """Look at the segments of what is disallowed, and at values of parameters; tell of each pattern once."""
    places: dict[bytes, list[Line]] = {}
    for line in subject.patterns:
        if line.field == "disallow":
            places.setdefault(line.value, []).append(line)
    for line, *others in places.values():
        also = f" ({len(others) + 1:,} lines say so)" if others else ""
        path, _, query = line.value.lower().partition(b"?")
        segments = path.rstrip(b"*$").split(b"/")
        if not _SEGMENTS.isdisjoint(segments) or (
            segments[-1].endswith(_ENDINGS) and b"*" not in segments[-1]
        ):
            yield at_value(line, f"this tells everybody of {shown(line.value)}, and keeps nobody out{also}")
        elif any(_given(query, parameter) for parameter in _PARAMETERS):
            yield at_value(line, f"this tells everybody a value that looks secret{also}")


def _given(query: bytes, parameter: bytes) -> bool:
    """Say whether a parameter has a value of its own, not a wildcard."""
    _, found, value = query.partition(parameter)
    return bool(found) and value[:1].isalnum()
