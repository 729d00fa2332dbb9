"""The robots rules of a page -> statements about uses other than the index (Google, Bing, and `noai`)."""

from collections.abc import Iterable, Iterator, Sequence

from ..page import statements as page
from ..robotstxt.fields.statement import Standing, Statement
from ..robotstxt.fields.vocabulary import Preference

#: Rules with the categories that each disallows.
_Meaning = dict[str, tuple[str, ...]]

#: The rules that hold for every robot. No standard defines them, but their names are unambiguous.
_FOR_ALL: _Meaning = {"noai": ("train-ai",), "noml": ("train-ai",)}

#: The rules that mean more to the robots of one operator, by the prefixes of their names. Google: a page
#: with either rule is not input for its answers. Bing: a page with `noarchive` is not used in answers and
#: training; of a page with `nocache`, only URL, title and snippet are.
_FOR_SOME: tuple[tuple[tuple[str, ...], _Meaning], ...] = (
    (("googlebot", "google-extended"), {"nosnippet": ("ai-input",), "max-snippet": ("ai-input",)}),
    (("bingbot", "msnbot"), {"noarchive": ("train-ai", "ai-input"), "nocache": ("train-ai", "ai-input")}),
)


def statements(rules: Iterable[page.PageStatement], names: Sequence[str]) -> Iterator[Statement]:
    """Yield the statements of the page rules for a robot with these names.

    >>> from comity.protocol.page.directives import page_directives
    >>> found = page_directives(html='<meta name="robots" content="noai, noarchive">', agent="bingbot")
    >>> for one in statements(found.statements, ("bingbot",)):
    ...     print(one.category, one)
    train-ai meta line 1 `noai`
    train-ai meta line 1 `noarchive`
    ai-input meta line 1 `noarchive`
    """
    meanings = [_FOR_ALL]
    for prefixes, meaning in _FOR_SOME:
        if any(name.lower().startswith(prefixes) for name in names):
            meanings.append(meaning)
    for one in rules:
        if one.standing is not page.PageStanding.APPLIES or (one.rule == "max-snippet" and one.value != 0):
            continue
        for meaning in meanings:
            for category in meaning.get(one.rule, ()):
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
