"""Convert bytes to a case and back: a dialect, a robot's names, URLs and a body. Any bytes are a valid case.

The dialect is one of the four with some fields changed, so every possible dialect occurs. A mutation of one
byte should change as little as possible: six bytes select the options, and then come the names, the URLs and
the body, with separators.
"""

from functools import lru_cache
from typing import NamedTuple

from comity import Dialect
from comity.protocol.robotstxt.engine.dialect import DIALECTS, dialect_named

__all__ = ["Case", "decode", "encode", "shown"]

#: Separator between texts. It is not valid UTF-8; the body, which comes last, may contain it.
MARK = b"\xff\xfe"

#: Number of bytes before the first text: dialect, three for changed fields, counts, forms of URLs.
HEADER = 6

QUESTIONS = (
    "allow",
    "typos",
    "prefixes",
    "nul_ends_line",
    "partial_bom",
    "blank_line_ends_group",
    "merges_named",
    "merges_default",
    "index_pages",
    "opens_robots_txt",
)
AGENTS = ("token", "google-token", "value-in-name", "name-in-value", "substring")
PATHS = (
    ("rfc9309", True),
    ("google", True),
    ("google", False),
    ("none", True),
    ("none", False),
    ("draft1996", False),
)
LIMITS = (None, 1, 9)


class Case(NamedTuple):
    """The input of both engines."""

    dialect: Dialect
    agents: tuple[str, ...]
    urls: tuple[str | bytes, ...]
    body: bytes


def decode(data: bytes) -> Case:
    """Decode any bytes as a case."""
    chosen = data[:HEADER].ljust(HEADER, b"\0")
    agents, urls = 1 + (chosen[4] & 1), chosen[4] >> 1 & 7
    *texts, body = data[HEADER:].split(MARK, agents + urls)
    return Case(
        _dialect(chosen[0], int.from_bytes(chosen[1:4], "little")),
        tuple(text.decode(errors="surrogateescape") for text in texts[:agents]),
        tuple(_url(text, chosen[5] >> 2 * (place % 4) & 3) for place, text in enumerate(texts[agents:])),
        body,
    )


def encode(dialect: str, agents: list[str], urls: list[str], body: bytes) -> bytes:
    """Encode a case in one of the four dialects, with one or two names and at most seven URLs."""
    first = list(DIALECTS).index(dialect)
    texts = [text.encode(errors="surrogateescape") for text in (*agents, *urls)]
    return bytes((first, 0, 0, 0, len(agents) - 1 | len(urls) << 1, 0)) + MARK.join([*texts, body])


def shown(case: Case) -> str:
    """Return Python code that reproduces a case."""
    nearest = min(DIALECTS.values(), key=lambda dialect: len(_differences(dialect, case.dialect)))
    replaced = ", ".join(f"{name}={value!r}" for name, value in _differences(nearest, case.dialect).items())
    dialect = f"dialect_named({nearest.name!r})" + (f".replace(name='own', {replaced})" if replaced else "")
    values = f"agents = {case.agents!r}\nurls = {case.urls!r}\nbody = {case.body!r}"
    head = "from comity.protocol.robotstxt.engine.dialect import dialect_named"
    return f"{head}\ndialect = {dialect}\n{values}"


def _differences(one: Dialect, other: Dialect) -> dict[str, object]:
    names = (name for name in Dialect.__slots__ if name != "name")
    return {name: getattr(other, name) for name in names if getattr(one, name) != getattr(other, name)}


@lru_cache(maxsize=512)
def _dialect(first: int, turned: int) -> Dialect:
    dialect = dialect_named(list(DIALECTS)[first % len(DIALECTS)])
    if not turned:
        return dialect
    answers: dict[str, object] = {}
    for place, question in enumerate(QUESTIONS):
        answers[question] = getattr(dialect, question) is not bool(turned >> place & 1)
    turned >>= len(QUESTIONS)
    answers["agent_match"] = _moved(AGENTS, dialect.agent_match, turned & 3)
    answers["precedence"] = _moved(("longest", "first"), dialect.precedence, turned >> 2 & 1)
    answers["empty_disallow"] = _moved(("ignored", "allow"), dialect.empty_disallow, turned >> 3 & 1)
    steps = PATHS.index((dialect.escapes, dialect.wildcards)) + (turned >> 4 & 7)
    answers["escapes"], answers["wildcards"] = PATHS[steps % len(PATHS)]
    if turned >> 7 & 3:
        answers["line_limit"] = LIMITS[(turned >> 7 & 3) - 1]
    return dialect.replace(name="own", **answers)


def _moved(answers: tuple[object, ...], answer: object, steps: int) -> object:
    return answers[(answers.index(answer) + steps) % len(answers)]


def _url(text: bytes, form: int) -> str | bytes:
    """Return a URL in one of its forms: text, bytes, wide text, or text with lone surrogates."""
    if form == 0:
        return text.decode(errors="surrogateescape")
    if form == 1:
        return text
    if form == 2:
        return text.decode("latin-1")
    return text[: len(text) & ~1].decode("utf-16-le", errors="surrogatepass")
