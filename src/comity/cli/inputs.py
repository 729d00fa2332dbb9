"""Reading files and standard input, named `-`, for every command."""

import codecs
import errno
import os
import re
from collections.abc import Generator, Iterable, Iterator
from itertools import chain, islice
from typing import TYPE_CHECKING, BinaryIO, NamedTuple

import click

from ..errors import UnusableInput
from ..protocol.origin import is_scheme
from ..protocol.text import printable, shortened
from ..protocol.url_reference import with_scheme
from ..protocol.userinfo import without_password
from .progress import open_input, open_with_progress
from .terminal import echo, shell_quoted

if TYPE_CHECKING:
    from ..politeness.log_files.line import RawLine

#: Maximum length in bytes of a line with a URL or a name. The number of lines has no limit.
_MAX_LINE = 64 << 10

#: Number of lines at the beginning of a file that are compared with those of a decision log.
_FIRST_LINES = 100

#: Maximum number of characters of a wrong URL in a message.
_SHOWN = 200

#: The start of a comment in a list of URLs.
_COMMENT = re.compile(r"(?:^|\s+)#")


class UrlInput(NamedTuple):
    """A URL as it was given, and its `location:` prefix for messages, empty for an argument."""

    url: str
    location: str

    @property
    def shown(self) -> str:
        """The URL without a password, for messages. It may be a text that is not a valid URL."""
        return without_password(self.url)


def display_name(file: str) -> str:
    """Return the name of a file for messages."""
    return "standard input" if file == "-" else printable(file)


def read_file(file: str) -> bytes:
    """Return the content of a file. Raises `UnusableInput` if it cannot be read, or exceeds 16 MiB."""
    from ..files.owner_files import read_stream

    try:
        with open_input(file) as stream:
            return read_stream(stream)
    except OSError as error:
        raise unreadable(file, error) from None


def read_robots(file: str) -> bytes:
    """Return the content of a robots.txt. Raises `UnusableInput` as `read_file` does, and for another format.

    Robots find no rules in a web page, so each answer about one would be that everything is allowed.
    """
    body = read_file(file)
    check_format(body, display_name(file))
    return body


def check_format(body: bytes, name: str) -> None:
    """Raise `UnusableInput` if a body is not a robots.txt, and robots find no group in it."""
    from ..protocol.robotstxt.diagnostics.file import foreign_format
    from ..protocol.robotstxt.document import parse

    found = foreign_format(body)
    # Only the Google dialect finds rules in a line such as `<p>User-agent: *`.
    if found and not parse(body, dialect="google").groups:
        raise UnusableInput(
            f"{name}: {found}, not a robots.txt; for a file without rules, pass an empty file"
        )


def unreadable(file: str, error: OSError) -> UnusableInput:
    """Create the error for a file that cannot be read."""
    return UnusableInput(f"{display_name(file)}: cannot be read: {error.strerror or error}")


def unwritable(file: str, error: OSError) -> UnusableInput:
    """Create the error for a file that cannot be written."""
    return UnusableInput(f"{display_name(file)}: cannot be written: {error.strerror or error}")


def check_replaceable(option: str, file: str) -> None:
    """Raise `click.UsageError` if a web page or a feed would replace a file of another kind."""
    from ..protocol.robotstxt.diagnostics.file import is_html

    try:
        if not os.path.isfile(file):
            return
        with open(file, "rb") as stream:
            start = stream.read(1024)
    except OSError:  # reported when it is written
        return
    if start.strip() and not is_html(start):
        raise click.UsageError(
            f"{option}: {printable(file)} exists, and is not an earlier result; name another file"
        )


def sites_named(urls: Iterable[str]) -> list[str]:
    """Return the URLs and files of the command line; a site without a scheme gets one, with a note."""
    found = []
    for given in urls:
        url = None if os.path.exists(given) else with_scheme(given)
        if url is not None:
            echo(f"Note: {given}: read as {url}", err=True)
        found.append(given if url is None else url)
    return found


def url_arguments(urls: Iterable[str]) -> Iterator[UrlInput]:
    """Yield the URLs of the command line."""
    for url in urls:
        yield UrlInput(url, "")


def urls_in(file: str) -> Iterator[UrlInput]:
    """Yield the URLs of a file, one per line, as they are read; see `text_urls`."""
    try:
        with open_with_progress(file) as stream:
            yield from text_urls(short_lines(stream), display_name(file))
    except OSError as error:
        raise unreadable(file, error) from None


def text_urls(lines: Iterable[bytes], name: str) -> Iterator[UrlInput]:
    r"""Yield the URLs of a text, one per line, without the white space around them.

    Blank lines are skipped, and so are comments: they begin with `#`, at the start of a line or after white
    space.

    >>> [one.url for one in text_urls([b"# ours\n", b" /a?b#c \n", b"/d # old\n"], "list")]
    ['/a?b#c', '/d']
    """
    for number, line in enumerate(lines, 1):
        text = line.removeprefix(codecs.BOM_UTF8) if number == 1 else line
        url = text.decode(errors="surrogateescape").strip()
        if "#" in url:
            url = _COMMENT.split(url, maxsplit=1)[0]
        if url:
            column = len(line) - len(text.lstrip()) + 1
            yield UrlInput(url, f"{name}:{number}:{column}: ")


def short_lines(stream: BinaryIO) -> Iterator[bytes]:
    """Yield the lines of a stream as they are read. Raises `OSError` for a line of more than 64 KiB."""
    while line := stream.readline(_MAX_LINE + 1):
        if len(line) > _MAX_LINE:
            raise OSError(errno.EFBIG, f"a line is longer than {_MAX_LINE >> 10} KiB, the limit")
        yield line


def url_problem(url: str) -> str:
    """Return the problem with an ambiguous URL or path, or an empty string.

    The library reads `example.com/x` as a relative reference; on a command line the scheme is missing.
    """
    first = url.partition("/")[0]
    scheme, colon, _ = url.partition(":")
    if url.startswith("/") or (
        colon and "." not in scheme and is_scheme(scheme.lower()) and not first.rpartition(":")[2].isdigit()
    ):
        return ""
    shown = printable(shortened(without_password(url), _SHOWN))
    if os.path.isfile(url):
        name = shell_quoted(printable(url))
        return (
            f"{shown}: a file, not a URL; write --robots {name} if it is a robots.txt, "
            f"or --urls {name} if it lists URLs"
        )
    if not first.replace(".", "").replace("-", "").replace(":", "").isalnum():
        return (
            f"{shown!r}: not a URL or path; write a URL such as https://example.com/, or a path such as /shop"
        )
    site = with_scheme(shown) or f"https://{shown}"
    hint = f"{site}, or /{shown} for a path" if "." in first or ":" in first else f"/{shown}"
    return f"{shown}: not a URL or path; write {hint}"


def lines_of_log(file: str) -> "Generator[RawLine]":
    """Yield the lines of a decision log; see `lines_of`.

    Raises `UnusableInput` if none of the first lines is like those of a log.
    """
    from ..study.decision_log.chain import begins_like_record

    lines = lines_of(file)
    first = []
    for line in islice(lines, _FIRST_LINES):
        first.append(line)
        if begins_like_record(line):  # a log that is still written is read line by line
            break
    else:
        if first:
            raise UnusableInput(
                f"{display_name(file)}: not a decision log; such a log has a record in each line, as JSON"
            )
    yield from chain(first, lines)


def lines_of(file: str) -> "Generator[RawLine]":
    """Yield the lines of a file with their places. Raises `UnusableInput` if it cannot be read."""
    from ..politeness.log_files.line import read_lines

    try:
        with open_with_progress(file) as stream:
            yield from read_lines(file, stream)
    except OSError as error:
        raise unreadable(file, error) from None
