"""A path has a misspelt name of a frequent folder or parameter, such as `jessionid`.

Only names that differ from the usual one by one letter are reported, such as `wp-inlcudes`.

Why: The rule matches nothing, and the paths that it should close stay open.

Example:
    User-agent: *
    Disallow: /*;jessionid=
Instead:
    User-agent: *
    Disallow: /*;jsessionid=
Engines: All.
Fix: not safe, because the rule takes effect: the usual name replaces the misspelt one.
Source: RFC 9309 2.2.2; the names are those of Java servlets, PHP, WordPress and CGI.
"""

import re
from collections.abc import Iterator

from ....protocol.robotstxt.diagnostics.fields import one_slip
from ..problem import Problem, quoted, replacement
from ..subject import Subject

CODE = "C328"
SEVERITY = "warning"

#: Names that have one usual spelling on all sites.
_USUAL = ("jsessionid", "phpsessid", "phpmyadmin", "wp-admin", "wp-content", "wp-includes", "cgi-bin")

_NAME = re.compile(r"(?<![A-Za-z_-])[A-Za-z-]{6,12}(?![A-Za-z0-9_-])")

#: Names of their own that differ from a usual one by a letter.
_OTHER = frozenset(["sessionid", "fcgi-bin", "scgi-bin"])


def check(subject: Subject) -> Iterator[Problem]:
    """Report the first such name of each pattern."""
    written = {line.value.lower() for line in subject.patterns}
    for line in subject.patterns:
        for found in _NAME.finditer(line.value.decode("latin-1")):
            name = found[0].lower()
            usual = next((one for one in _USUAL if name != one and one_slip(name, one)), None)
            if usual is None or name in _USUAL or name in _OTHER or usual.replace("-", "") == name:
                continue  # `cgibin` is a folder on some sites
            right = line.value[: found.start()] + usual.encode() + line.value[found.end() :]
            if right.lower() in written:
                continue  # the file has both spellings on purpose
            start, end = line.value_start + found.start(), line.value_start + found.end()
            message = f"{quoted(name)} seems to be misspelt; did you mean {quoted(usual)}?"
            yield Problem(line.number, start, end, message, replacement(line, start, end, usual.encode()))
            break
