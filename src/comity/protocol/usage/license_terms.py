"""The terms of an RSL document for one URL and one use -> a `LicenseState`, and the line that decides.

The rules are those of RSL 1.0 4.3: a longer path speaks before a shorter one, a prohibition wins over a
permission, and a list of permitted uses is closed. Where the standard is silent, the decision is ours: see
docs/reference/usage.md.
"""

from collections.abc import Sequence
from itertools import groupby

from ..text import to_bytes
from ..value import Choice, Value
from .rsl_file import RslContent, RslLicense

#: The tokens that cover each use (RSL 1.0 3.4).
_COVERING = {
    "search": frozenset(("search", "all")),
    "ai-input": frozenset(("ai-input", "ai-all", "all")),
    "ai-train": frozenset(("ai-train", "ai-all", "all")),
    "ai-index": frozenset(("ai-index", "ai-all", "all")),
}


class LicenseState(Choice):
    """The answer of an RSL document about a use; `sentence` describes it in words.

    >>> LicenseState.TERMS.code, LicenseState.TERMS.sentence
    ('terms', 'the use is offered under terms')
    """

    NONE = "none", "the document does not speak about the use"
    TERMS = "terms", "the use is offered under terms"
    UNLICENSED = "unlicensed", "there is no valid document"
    DISALLOW = "disallow", "the use is prohibited"


class Classes(Value):
    """The user classes and the countries that a robot declares, such as "commercial" and "DE"."""

    user: tuple[str, ...]
    geo: tuple[str, ...]


def state_of(contents: Sequence[RslContent], use: str, declared: Classes) -> tuple[LicenseState, str]:
    """Return the state of a use by the contents that match a URL, and the reason.

    `use` is "search", "ai-input", "ai-train" or "ai-index".

    >>> from comity.protocol.usage.rsl_file import rsl
    >>> file = rsl('''<rsl xmlns="https://rslstandard.org/rsl"><content url="/"><license>
    ... <prohibits type="usage">ai-all</prohibits></license></content></rsl>''')
    >>> state_of(file.matching("/tea"), "ai-train", Classes((), ()))
    (LicenseState.DISALLOW, 'line 1 prohibits it')
    """
    ordered = sorted(contents, key=_length, reverse=True)
    noted = LicenseState.NONE, ""
    for _, several in groupby(ordered, key=_length):
        licenses = [one for content in several for one in content.licenses]
        state, why = _at_length(licenses, _COVERING[use], declared)
        if state is not LicenseState.NONE:
            return state, why
        noted = LicenseState.TERMS, why
    return noted


def token_server(contents: Sequence[RslContent]) -> str | None:
    """Return the licence server whose token a robot needs to fetch a URL; empty if it is not named.

    `contents` are those that match the URL, and the longest path decides. `None` if no token is needed.
    """
    longest = max(map(_length, contents), default=0)
    needing = [one for one in contents if _length(one) == longest and one.needs_token]
    return (needing[0].server or "") if needing else None


def _length(content: RslContent) -> int:
    return len(to_bytes(content.pattern))


def _at_length(
    licenses: Sequence[RslLicense], covering: frozenset[str], declared: Classes
) -> tuple[LicenseState, str]:
    """Return the state of a use by the licences for one path; `NONE` if a shorter path may say more."""
    for one in licenses:
        if not covering.isdisjoint(dict(one.prohibits).get("usage", ())):
            return LicenseState.DISALLOW, f"line {one.line} prohibits it"
    open_to_us = [one for one in licenses if _is_for(one, declared)]
    if not open_to_us:
        return LicenseState.DISALLOW, f"line {licenses[0].line} excludes the declared class"
    for one in open_to_us:
        if not covering.isdisjoint(dict(one.permits).get("usage", ())):
            return LicenseState.TERMS, _terms(one)
    if all("usage" in dict(one.permits) for one in open_to_us):
        return LicenseState.DISALLOW, f"line {open_to_us[0].line} permits other uses only"
    return LicenseState.NONE, _terms(open_to_us[0])


def _terms(one: RslLicense) -> str:
    return f"line {one.line}" + (f", payment: {one.payment}" if one.payment else "")


def _is_for(one: RslLicense, declared: Classes) -> bool:
    """Return whether the declared classes meet the conditions of a licence; others are parts of the terms."""
    permits, prohibits = dict(one.permits), dict(one.prohibits)
    for kind, classes in (("user", declared.user), ("geo", declared.geo)):
        if not classes:
            continue
        if not set(classes).isdisjoint(prohibits.get(kind, ())):
            return False
        if kind in permits and set(classes).isdisjoint(permits[kind]):
            return False
    return True
