"""A pattern has a slash before a file extension, and so matches no file of that kind.

Why: `/.pdf$` matches only a file that is called `.pdf`. A `*` between the slash and the extension stands for
the name of the file.

Example:
    User-agent: *
    Disallow: /.pdf$
Instead:
    User-agent: *
    Disallow: /*.pdf$
Engines: All.
Fix: not safe, because the rule takes effect: a `*` is inserted.
Source: RFC 9309 2.2.3; Google, URL matching based on path values: `/*.php`.
"""

from collections.abc import Iterator

from ..problem import Problem, at_value, quoted, replacement
from ..subject import Subject

CODE = "C327"
SEVERITY = "warning"

#: Extensions of files; `/.git` and `/.env` are files and folders of their own.
_EXTENSIONS = frozenset(
    b"action asp aspx avi cfm cgi css csv do doc docx exe gif gz htm html ico jpeg jpg js json jsp jspx mov "
    b"mp3 mp4 pdf php php5 phtml pl png pps ppt pptx rar rss rtf shtml svg swf tif tiff txt wav webp wmv xls "
    b"xlsx xml zip".split()
)


def check(subject: Subject) -> Iterator[Problem]:
    """Report the patterns that end in such an extension, or have a query after it."""
    for line in subject.patterns:
        path = line.value.partition(b"?")[0].rstrip(b"*$")
        before, dot, extension = path.rpartition(b"/.")
        if dot and extension.lower() in _EXTENSIONS:
            at = line.value_start + len(before) + 1
            written = quoted(line.value[: len(before) + 1] + b"*" + line.value[len(before) + 1 :])
            message = f"{quoted(line.value)} matches only a file without a name; write {written}"
            yield at_value(line, message, replacement(line, at, at, b"*"))
