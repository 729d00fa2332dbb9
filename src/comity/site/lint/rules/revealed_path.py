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
from ..problem import Problem, at_value, quoted
from ..subject import Subject

__all__ = ["CODE", "SEVERITY", "check"]

CODE = "C801"
SEVERITY = "information"

#: What only secrets are called, as a whole segment of a path.
_SEGMENTS = frozenset(
    b".git .svn .env .htaccess .htpasswd .ssh .aws backup backups dump dumps phpmyadmin pma "
    b"mysqladmin adminer passwords passwd secret secrets credentials private-key server-status "
    b"phpinfo.php wp-config.php id_rsa".split()
)

#: What files of secrets are called, before what kind of file it is.
_STEMS = frozenset(
    b"backup backups credentials database db db_backup dump id_rsa passwd password passwords "
    b"private secret secrets site-backup".split()
)

#: Kinds of files that hold data, and are no pages.
_KINDS = frozenset(
    b"7z bz2 cfg conf csv doc docx gz ini json log ods old rar tar tgz txt xls xlsx xml yaml yml zip".split()
)
_ENDINGS = (
    *(b".sql", b".sql.gz", b".sql.zip", b".sql.bz2", b".sqlite", b".dump", b".mdb", b".bak"),
    *(b".pem", b".key", b".pfx", b".p12", b".ppk", b".kdbx", b".htpasswd", b".env"),
)
_PARAMETERS = (b"token=", b"password=", b"passwd=", b"apikey=", b"api_key=", b"secret=", b"access_token=")


def check(subject: Subject) -> Iterator[Problem]:
    """Look at the segments of what is disallowed, and at values of parameters; tell of each pattern once."""
    places: dict[bytes, list[Line]] = {}
    for line in subject.patterns:
        if line.field == "disallow":
            places.setdefault(line.value, []).append(line)
    for line, *others in places.values():
        also = f" ({len(others) + 1:,} lines say so)" if others else ""
        path, _, query = line.value.lower().partition(b"?")
        segments = path.rstrip(b"*$").split(b"/")
        if not _SEGMENTS.isdisjoint(segments) or _is_secret(segments[-1]):
            yield at_value(line, f"this tells everybody of {quoted(line.value)}, and keeps nobody out{also}")
        elif any(_given(query, parameter) for parameter in _PARAMETERS):
            yield at_value(line, f"this tells everybody a value that looks secret{also}")


def _is_secret(name: bytes) -> bool:
    """Say whether the name of a file is one that secrets have."""
    stem, _, kinds = name.partition(b".")
    secret = stem in _STEMS and kinds.rpartition(b".")[2] in _KINDS
    return b"*" not in name and (secret or name.endswith(_ENDINGS))


def _given(query: bytes, parameter: bytes) -> bool:
    """Say whether a parameter has a value of its own, not a wildcard."""
    _, found, value = query.partition(parameter)
    return bool(found) and value[:1].isalnum()
