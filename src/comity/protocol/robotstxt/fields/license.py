"""License (RSL 1.0): `License: https://example.com/license.xml` names a document with terms of use.

A line inside a group is for the robots of that group; a line before the first group is for all robots. The
lines of the selected group replace the global ones (RSL 1.0 4.4.3). They never change whether a URL may be
fetched, and they never allow a use: the document does not count as read until the caller passes it.
"""

from collections.abc import Iterable, Iterator

from ...input_errors import InvalidURL
from ...origin import Origin
from ...text import to_text
from ...userinfo import has_at_sign
from ..engine.groups import Record
from ..engine.verdict import Field
from .statement import Standing, Statement
from .vocabulary import Preference, Vocabulary

#: Maximum length of the URL of a licence in bytes.
LIMIT = 2048

#: Maximum number of licences of a site or a page that are read.
MOST = 8

#: The category of use for AI indexes, which only RSL and Content-Signal's `use` speak about.
INDEX = "ai-index"

#: The uses of RSL that a program can ask about, and the categories that each means.
CATEGORIES = {
    "search": ("search",),
    "ai-input": ("ai-input",),
    "ai-train": ("train-ai",),
    "ai-index": (INDEX,),
}

#: The vocabulary that has a label for `ai-input`, and the label.
_INPUT_LABEL = ("aipref-vocab-08", "ai-use")


def license_fault(value: str) -> str | None:
    """Return why a text is not the URL of a licence, or `None` if it is one.

    >>> license_fault("https://example.com/license.xml"), license_fault("/license.xml")
    (None, 'it is not an absolute URL')
    >>> license_fault("http://example.com/license.xml")
    'its scheme is not https'
    """
    if len(value) > LIMIT:
        return f"it is longer than {LIMIT:,} bytes"
    scheme, separator, rest = value.partition("://")
    if not separator or not scheme.isalpha():
        return "it is not an absolute URL"
    if scheme.lower() != "https":
        return "its scheme is not https"
    if not (value.isascii() and value.isprintable()) or " " in value:
        return "it has a space or another character that a URL cannot have"
    if has_at_sign(rest.partition("/")[0].partition("?")[0]):
        return "it has a user name or a password"
    try:
        Origin.of(value)
    except InvalidURL:
        return "it has no valid host"
    return None


def licenses_of(own: Iterable[Record], of_file: Iterable[Record]) -> tuple[Field, ...]:
    """Return the valid License lines of a robot's groups, or those of the file if the groups have none.

    Equal URLs count once. Each value is a URL without a fragment, because `#` begins a comment.
    """
    return _valid(own) or _valid(of_file)


def unreadable_licenses(own: Iterable[Record], of_file: Iterable[Record]) -> tuple[Field, ...]:
    """Return the License lines for a robot if none of them is valid: its licence is not known.

    >>> unreadable_licenses([], [(1, "license", b"/license.xml")])
    (Field(name='license', value='/license.xml', line=1),)
    """
    own, of_file = list(own), list(of_file)
    if licenses_of(own, of_file):
        return ()
    return tuple(Field(name, to_text(value), line) for line, name, value in (own or of_file)[:MOST])


def _valid(records: Iterable[Record]) -> tuple[Field, ...]:
    found: dict[str, Field] = {}
    for line, name, value in records:
        url = to_text(value)
        if url not in found and license_fault(url) is None:
            found[url] = Field(name, url, line)
    return tuple(found.values())


def categories_of(use: str, vocabulary: Vocabulary) -> tuple[str, ...]:
    """Return the categories that a use of RSL means, with the labels of a vocabulary.

    >>> from .vocabulary import vocabulary_of
    >>> categories_of("ai-input", vocabulary_of("aipref-vocab-08"))
    ('ai-input', 'ai-use')
    """
    name, label = _INPUT_LABEL
    return (*CATEGORIES[use], *((label,) if use == "ai-input" and vocabulary.name == name else ()))


def unread_statements(licenses: Iterable[Field], vocabulary: Vocabulary) -> Iterator[Statement]:
    """Yield the statements of License lines whose documents are not known: they allow nothing."""
    for field in list(licenses)[:MOST]:
        for use in CATEGORIES:
            for category in categories_of(use, vocabulary):
                yield Statement(
                    vocabulary="rsl",
                    source="robots.txt",
                    place=field.line,
                    text=f"License: {field.value}",
                    category=category,
                    preference=Preference.UNKNOWN,
                    standing=Standing.UNREAD,
                    policy=field.value,
                )
