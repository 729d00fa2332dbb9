"""A rule shows everyone the path of something secret.

Why: A robots.txt is public, and attackers read it first. It does not protect a path: use a password, and
remove the line. Paths that are common to many sites, such as `/admin/` or `/user/password/`, are not
reported.

Example:
    User-agent: *
    Disallow: /backup/database.sql
Instead:
    User-agent: *
    Disallow: /files/
Engines: None: this is about people who read the file.
Source: RFC 9309 3: rules are not access control, and they make paths public.
"""

from collections.abc import Iterator

from ....protocol.robotstxt.engine.lexer import Line
from ..problem import Problem, at_value, quoted
from ..subject import Subject

CODE = "C801"
SEVERITY = "information"

#: Path segments that are names of secrets.
_SEGMENTS = frozenset(
    b".git .svn .env .htaccess .htpasswd .ssh .aws backup backups dump dumps phpmyadmin pma "
    b"mysqladmin adminer passwords passwd secret secrets credentials private-key server-status "
    b"phpinfo.php wp-config.php id_rsa".split()
)

#: File names of secrets, without extension.
_STEMS = frozenset(
    b"backup backups credentials database db db_backup dump id_rsa passwd password passwords "
    b"private secret secrets site-backup".split()
)

#: File extensions of data, in contrast to pages.
_KINDS = frozenset(
    b"7z bz2 cfg conf csv doc docx gz ini json log ods old rar tar tgz txt xls xlsx xml yaml yml zip".split()
)
_ENDINGS = (
    *(b".sql", b".sql.gz", b".sql.zip", b".sql.bz2", b".sqlite", b".dump", b".mdb", b".bak"),
    *(b".pem", b".key", b".pfx", b".p12", b".ppk", b".kdbx", b".htpasswd", b".env"),
)
_PARAMETERS = (b"token=", b"password=", b"passwd=", b"apikey=", b"api_key=", b"secret=", b"access_token=")


def check(subject: Subject) -> Iterator[Problem]:
    """Report secret segments and parameters in closed paths, once for each pattern."""
    lines_of: dict[bytes, list[Line]] = {}
    for line in subject.patterns:
        if line.field == "disallow":
            lines_of.setdefault(line.value, []).append(line)
    for line, *others in lines_of.values():
        also = f" (in {len(others) + 1:,} lines)" if others else ""
        path, _, query = line.value.lower().partition(b"?")
        segments = path.rstrip(b"*$").split(b"/")
        if not _SEGMENTS.isdisjoint(segments) or _is_secret(segments[-1]):
            yield at_value(
                line, f"everyone can read {quoted(line.value)} here{also}; protect it with a password instead"
            )
        elif b"=" in query and any(_has_value(query, parameter) for parameter in _PARAMETERS):
            yield at_value(line, f"everyone can read this value, which looks secret{also}; remove it")


def _is_secret(name: bytes) -> bool:
    """Return whether a file name is typical of secrets."""
    stem, _, kinds = name.partition(b".")
    secret = stem in _STEMS and kinds.rpartition(b".")[2] in _KINDS
    return b"*" not in name and (secret or name.endswith(_ENDINGS))


def _has_value(query: bytes, parameter: bytes) -> bool:
    """Return whether a parameter has a value that is not a wildcard."""
    _, found, value = query.partition(parameter)
    return bool(found) and value[:1].isalnum()
