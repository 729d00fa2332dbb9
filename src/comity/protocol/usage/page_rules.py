"""The robots rules of a page -> what they say of uses beyond the index (Google, Bing, and `noai`)."""

from collections.abc import Iterable, Iterator, Sequence

from ..page import statements as page
from ..robotstxt.fields.statement import Standing, Statement
from ..robotstxt.fields.vocabulary import Preference

__all__ = ["statements"]

#: Rules, each with the categories that it disallows.
_Meaning = dict[str, tuple[str, ...]]

#: What a rule disallows to every robot. No standard has them; their words leave one reading.
_FOR_ALL: _Meaning = {"noai": ("train-ai",), "noml": ("train-ai",)}

#: What a rule disallows besides, to the robots whose operator says so: by the beginnings of their names.
#: Google: neither rule lets a page be input for its answers. Bing: of a page with `noarchive` nothing is
#: used in answers and training, of one with `nocache` no more than address, title and snippet.
_FOR_SOME: tuple[tuple[tuple[str, ...], _Meaning], ...] = (
    (("googlebot", "google-extended"), {"nosnippet": ("ai-input",), "max-snippet": ("ai-input",)}),
    (
        ("bingbot", "msnbot"),
        {"noarchive": ("train-ai", "ai-input"), "nocache": ("train-ai", "ai-input")},
    ),
)


def statements(said: Iterable[page.Statement], names: Sequence[str]) -> Iterator[Statement]:
    """Give what the rules that apply to a robot of these names disallow.

    >>> from comity.protocol.page.directives import page_directives
    >>> found = page_directives(html='<meta name="robots" content="noai, noarchive">', agent="bingbot")
    >>> for one in statements(found.statements, ("bingbot",)):
    ...     print(one.category, one)
    train-ai meta line 1 `noai`
    train-ai meta line 1 `noarchive`
    ai-input meta line 1 `noarchive`
    """
    meaning = [_FOR_ALL]
    for beginnings, rules in _FOR_SOME:
        if any(name.lower().startswith(beginnings) for name in names):
            meaning.append(rules)
    for one in said:
        if one.standing is not page.Standing.APPLIES or (one.rule == "max-snippet" and one.value != 0):
            continue
        for rules in meaning:
            for category in rules.get(one.rule, ()):
                yield Statement(
                    vocabulary="robots-meta",
                    source="meta" if one.field == "meta" else "header",
                    place=one.line,
                    text=str(one) if one.field == "meta" else f"{one.field}: {one.text}",
                    category=category,
                    preference=Preference.DISALLOW,
                    standing=Standing.DECIDES,
                    policy=None,
                )
