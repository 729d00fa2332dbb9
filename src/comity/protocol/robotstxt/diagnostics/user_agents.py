"""Checks of User-agent values: names that robots do not find, or read only in part (RFC 9309 2.2.1)."""

from collections.abc import Iterable, Iterator, Sequence

from ...product_token import BROWSERS, product_token
from ...text import to_text
from ..engine.dialect import Dialect
from ..engine.grammar import IDENTIFIER
from ..engine.lexer import Line
from ..engine.selection import Directory, tokens_of
from .diagnostic import Diagnostic, at_name, at_span, at_value, quoted
from .field_values import is_quoted, quotes_diagnostic, second_field
from .misnomers import MISNOMERS

#: Product tokens, in lower case, that name no robot but a kind of program, a language or a library.
GENERAL_WORDS = frozenset(
    [
        *("agent", "bot", "browser", "client", "crawler", "robot", "robots", "spider"),
        *("apache", "curl", "firefox", "http", "https", "mozilla"),
        *("go", "java", "node", "nodejs", "perl", "php", "python", "ruby"),
    ]
)

#: The bytes of many real names, in addition to those of a product token: `MJ12bot`, `panscient.com`.
_IN_NAMES = IDENTIFIER | frozenset(b"0123456789.")

#: The bytes of names with their versions, in a list.
_IN_LISTS = _IN_NAMES | frozenset(b"/ ")


def agent_diagnostics(line: Line, dialect: Dialect) -> Iterator[Diagnostic]:
    """Yield the diagnostics of a User-agent value."""
    value = line.value
    if not value:
        message = "a User-agent line without a name applies to no robot; write `*` for all robots"
        yield at_name(line, "empty-agent", message)
    elif value == b"*" or IDENTIFIER.issuperset(value) or not dialect.agent_match.endswith("token"):
        return
    else:
        found = [*_named_diagnostics(line, dialect)]
        yield from found or [_cut_diagnostic(line, dialect)]


def _named_diagnostics(line: Line, dialect: Dialect) -> Iterator[Diagnostic]:
    """Yield diagnostics for the usual mistakes: quotes, headers, versions, lists, spaces and wildcards."""
    if is_quoted(line.value):
        yield quotes_diagnostic(line)
    if dialect.agent_match == "google-token" and not IDENTIFIER.issuperset(_first_name(line.value)):
        return  # Google reads less of such a name than the messages below say
    if is_header(line.value):
        yield _header_diagnostic(line)
    yield from _version_diagnostics(line)
    yield from _space_diagnostics(line)
    yield from _wildcard_diagnostics(line)
    yield from _list_diagnostics(line, dialect)


def _first_name(value: bytes) -> bytes:
    for mark in b" \t/(,;":
        value = value.partition(bytes((mark,)))[0]
    return value


def _header_diagnostic(line: Line) -> Diagnostic:
    product = _first_product(line.value)
    found = f"read only {quoted(product)} of" if product else "find no name in"
    token = header_token(line.value)
    hint = f"write {quoted(token)}" if token else "write the product token of the robot"
    return at_value(line, "agent-is-header", f"robots {found} this header; {hint}")


def misnomer_diagnostics(lines: Iterable[Line], dialect: Dialect) -> Iterator[Diagnostic]:
    """Yield a diagnostic for each name that a robot does not find, such as Google for Googlebot.

    A file that also names one of its robots by the right token has none.
    """
    agents = [line for line in lines if line.field == "user-agent"]
    misnamed = [(line, current_tokens(to_text(line.value))) for line in agents if is_misnomer(line)]
    if not misnamed:
        return
    directory = Directory([[line.value for line in agents]], dialect)
    for line, tokens in misnamed:
        if directory.select(tokens).name not in tokens:
            yield at_value(line, "misnamed-agent", _misnomer_message(line, tokens))


def is_misnomer(line: Line) -> bool:
    """Return whether a line is a User-agent line with a name in `MISNOMERS`."""
    return line.field == "user-agent" and bool(current_tokens(to_text(line.value)))


def current_tokens(name: str) -> tuple[str, ...]:
    """Return the tokens of today for a name that files have for a robot, and that it does not find.

    >>> current_tokens("Google"), current_tokens("Googlebot")
    (('Googlebot',), ())
    """
    return MISNOMERS.get(name.lower().partition("/")[0].strip(), ())


def _misnomer_message(line: Line, tokens: Sequence[str]) -> str:
    name = f"{quoted(line.value)} is not the name of a current robot"
    *others, last = map(quoted, tokens)
    if others:
        return f"{name}, so its group applies to none; write {', '.join(others)} or {last}"
    return f"{name}, so {tokens[0]} does not obey this group; write {last}"


def is_header(value: bytes) -> bool:
    """Return whether a value is a URL, or a header whose product token is not its first word.

    >>> is_header(b"Mozilla/5.0 (compatible; ExampleBot/1.0)"), is_header(b"ExampleBot/1.0 (beta)")
    (True, False)
    """
    value = value.lower()
    if value.lstrip(b"+").startswith((b"http://", b"https://")):
        return True
    if not (b"(" in value or value.startswith(b"mozilla/") or (b" " in value and value.count(b"/") > 1)):
        return False
    first = _first_product(value)
    return first == b"mozilla" or not to_text(first).startswith(product_token(to_text(value)))


def header_token(value: bytes) -> str | None:
    """Return the product token of a User-Agent header, or None if robots could not be named by it.

    One of several words, and a general word, are not the name of a robot.

    >>> header_token(b"Mozilla/5.0 (compatible; ExampleBot/1.0)")
    'ExampleBot'
    >>> header_token(b"Mozilla/5.0 (compatible; Example Bot)"), header_token(b"Mozilla/5.0 (Robot/1.0)")
    (None, None)
    >>> header_token(b"Mozilla/5.0 (X11) Example Bot/1.0")
    """
    text = to_text(value)
    token = product_token(text)
    usable = token.isascii() and token.replace("-", "").replace("_", "").replace(".", "").isalnum()
    before, _, rest = text.partition(token) if token else ("", "", "")
    phrase = rest[:1] == " " and rest[1:2].isalpha() and "://" not in rest.split(None, 1)[0]
    return token if usable and not phrase and not _ends_with_word(before) and is_name(token) else None


def _ends_with_word(text: str) -> bool:
    """Return whether a text ends with a space and, before it, a word that no browser writes."""
    last = (text.split() or [""])[-1].lower()
    return text.endswith(" ") and last.lstrip("(").isalpha() and last not in BROWSERS


def is_name(token: str) -> bool:
    """Return whether a product token may be the name of a robot, and is not a general word.

    >>> is_name("ExampleBot"), is_name("Robot"), is_name("Node")
    (True, False, False)
    """
    return token.lower() not in GENERAL_WORDS


def _first_product(value: bytes) -> bytes:
    return value.replace(b"/", b" ").replace(b"(", b" ").partition(b" ")[0]


def _version_diagnostics(line: Line) -> Iterator[Diagnostic]:
    value = line.value
    ends = [at for mark in (b"/", b" (", b"(") if (at := value.find(mark)) > 0]
    name = value[: min(ends, default=0)]
    if name and b" " not in name and b"," not in value and not is_header(value):
        message = f"robots read only {quoted(name)}: a product token has no version and no comment"
        start = line.value_start + len(name)
        yield at_span(line, start, line.value_end, "agent-with-version", message)


def _space_diagnostics(line: Line) -> Iterator[Diagnostic]:
    value = line.value
    field = second_field(value)
    if field is not None:
        message = (
            f"a line break is missing before `{field.capitalize()}`, so the field is read as part of the name"
        )
        yield at_value(line, "agent-with-space", message)
        return
    name = value.partition(b"/")[0].partition(b"(")[0].rstrip()
    if (b" " in name or b"\t" in name) and not (b"," in value or b"*" in value or is_header(value)):
        first = value.split()[0]
        message = f"{quoted(value)} is read as {quoted(first)}: a product token has no spaces"
        start = line.value_start + len(first)
        yield at_span(line, start, line.value_end, "agent-with-space", message)


def _wildcard_diagnostics(line: Line) -> Iterator[Diagnostic]:
    value = line.value
    if b"*" not in value or b"(" in value or b"/" in value or second_field(value) is not None:
        return
    if len(names_in_list(value)) > 1:
        return  # a `*` among the names of a list
    if any(chr(byte).isalpha() and byte < 0x80 for byte in value):
        effect = "applies to no robot" if value.startswith(b"*") else "applies to one robot only"
        message = f"{quoted(value)} {effect}: names have no wildcards; `*` alone stands for all robots"
        yield at_value(line, "agent-with-wildcard", message)


def _list_diagnostics(line: Line, dialect: Dialect) -> Iterator[Diagnostic]:
    value = line.value
    if b"(" in value or not (b"," in value or b";" in value):
        return
    names = [name.strip() for name in value.replace(b";", b",").split(b",") if name.strip()]
    if len(names) < 2:
        return
    first = _first_name(names[0])
    tokens = [token for token in tokens_of(value, dialect) if b"*" not in token]
    hint = "write a User-agent line for each robot"
    if not tokens:
        yield at_value(line, "agent-list", f"the list {quoted(value)} applies to no robot; {hint}")
        return
    if first.lower() in tokens and names_in_list(value):
        message = f"robots read only {quoted(first)} of this list; {hint}"
    else:
        message = f"robots read only a part of {quoted(value)}: a name has no comma and no semicolon"
    yield at_span(line, line.value_start + len(names[0]), line.value_end, "agent-list", message)


def names_in_list(value: bytes) -> list[bytes]:
    """Return the robots of a list, or nothing if a part of it is not a name.

    >>> names_in_list(b"ExampleBot/1.0, OtherBot"), names_in_list(b"FrontPage [NC,OR]")
    ([b'ExampleBot/1.0', b'OtherBot'], [])
    """
    names = [name.strip() for name in value.replace(b";", b",").split(b",") if name.strip()]
    named = all(name == b"*" or (name[:1].isalpha() and _IN_LISTS.issuperset(name)) for name in names)
    return names if named else []


def _cut_diagnostic(line: Line, dialect: Dialect) -> Diagnostic:
    """Create the diagnostic of a name that is read only up to some character, or also as it stands."""
    value = line.value
    end = next(at for at, byte in enumerate(value) if byte not in IDENTIFIER)
    token = value[:end].decode()
    if value.startswith(b"*"):
        starred = dialect.agent_match == "google-token" and value[1:2].isspace()
        reading = "it is read as `*`" if starred else "only `*` alone stands for all robots"
    elif dialect.agent_match == "token" and not value[end:].startswith((b"/", b" ", b"\t", b",")):
        reading = f"it names a robot called {quoted(value)[1:-1]}" + (f", and also {token}" if token else "")
    else:
        reading = f"it is read as {token}" if token else "it has no product token"
    # The names of real robots are not known here. A robot with such a name is found by it.
    usual = dialect.agent_match == "token" and _IN_NAMES.issuperset(value) and value[:1].isalnum()
    message = f"{quoted(value)}: a product token has only letters, `-` and `_`; {reading}"
    return at_span(
        line, line.value_start + end, line.value_end, "agent-not-a-token" if usual else "agent-cut", message
    )
