"""The path of a folder has no slash at its end, and also closes pages whose name begins in the same way.

Only names of folders that begin other frequent words are reported, such as `/test`, names such as `/private`
and `/images`, and folders of users such as `/~joe`. They are not reported if the file has a longer path that
begins in the same way.

Why: A pattern matches the beginning of a path. `/test` closes the folder `/test/`, and also `/testimonials`;
`/private` closes `/private-notes.html`.

Example:
    User-agent: *
    Disallow: /private
    Disallow: /test
Instead:
    User-agent: *
    Disallow: /private/
    Disallow: /test/
Engines: All.
Source: RFC 9309 2.2.2; Google, URL matching based on path values: `/fish` and `/fish/`.
"""

from collections.abc import Iterator

from ....protocol.robotstxt.engine.lexer import Line
from ....protocol.text import to_text
from ..problem import Problem, at_value, quoted
from ..subject import Subject

CODE = "C326"
SEVERITY = "information"

#: Names of folders, each with a frequent word that begins like it and has another meaning.
_LONGER = {
    "ad": "advice",
    "admin": "administration",
    "art": "articles",
    "car": "careers",
    "cat": "catalog",
    "com": "community",
    "conf": "conference",
    "data": "databases",
    "demo": "democracy",
    "dev": "devices",
    "doc": "doctors",
    "ext": "extras",
    "inc": "income",
    "info": "information",
    "intern": "international",
    "lab": "labels",
    "lib": "library",
    "log": "logistics",
    "man": "management",
    "mob": "mobile",
    "net": "networking",
    "new": "newsletter",
    "part": "partners",
    "pic": "picnic",
    "port": "portfolio",
    "pro": "products",
    "pub": "publications",
    "ref": "refunds",
    "reg": "regions",
    "rep": "reports",
    "res": "research",
    "sec": "security",
    "stat": "statements",
    "sys": "systems",
    "temp": "templates",
    "test": "testimonials",
    "trans": "translations",
    "vid": "videos",
    "web": "webinars",
    "work": "workshops",
}


#: Names of folders whose content is not for everybody, and which begin the names of pages.
_INTERNAL = frozenset(
    [
        "backup",
        "backups",
        "confidential",
        "drafts",
        "hidden",
        "internal",
        "intranet",
        "member",
        "old",
        "private",
        "protected",
        "restricted",
        "secret",
        "staff",
        "tmp",
    ]
)

#: Names that only folders have on most sites.
_FOLDERS = frozenset(
    [
        "assets",
        "cgi-bin",
        "css",
        "downloads",
        "files",
        "fonts",
        "images",
        "img",
        "includes",
        "js",
        "photos",
        "pictures",
        "scripts",
        "uploads",
    ]
)


def check(subject: Subject) -> Iterator[Problem]:
    """Report such paths, once for each."""
    found: dict[bytes, tuple[Line, str]] = {}
    for line in subject.patterns:
        longer = _longer(line.value)
        if longer and line.field == "disallow":
            found.setdefault(line.value, (line, longer))
    for value, (line, longer) in found.items():
        if any(other.value.startswith(value) and other.value != value for other in subject.patterns):
            continue
        message = f"{quoted(value)} also closes paths such as {quoted(longer)}; write {quoted(value + b'/')}"
        yield at_value(line, f"{message} to close only the folder")


def _longer(value: bytes) -> str:
    """Return another path that a path matches, empty if it is not one of the names above."""
    name = value[1:].decode("latin-1").lower() if value.startswith(b"/") else ""
    if name in _INTERNAL:
        return f"{to_text(value)}-notes.html"
    if name in _FOLDERS:
        return f"{to_text(value)}-old/"
    if name.startswith("~") and name[1:].isalnum():
        return f"{to_text(value)}2/"
    return f"/{_LONGER[name]}" if name in _LONGER else ""
