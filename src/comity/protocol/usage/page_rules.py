"""The robots rules of a page -> statements about the uses of its content (META robots, Google, Bing, `noai`).

The category `search` covers the index, so a page that may not be indexed disallows it, and a page with
`index` or `all` allows it. Rules about the form of a result say nothing about `search`: `nosnippet`,
`max-snippet`, previews, `noarchive`, `notranslate`, and `noimageindex`, which is about images only.
"""

from collections.abc import Iterable, Iterator, Sequence

from ..page import statements as page
from ..robotstxt.fields.statement import Standing, Statement
from ..robotstxt.fields.vocabulary import Preference

#: Rules with the categories that each disallows.
_Meaning = dict[str, tuple[str, ...]]

#: The rules that hold for every robot. `unavailable_after` applies after its date, as `noindex` (Google). No
#: standard defines `noai` and `noml`, but their names are unambiguous.
_FOR_ALL: _Meaning = {
    "noindex": ("search",),
    "none": ("search",),
    "unavailable_after": ("search",),
    "noai": ("train-ai",),
    "noml": ("train-ai",),
}

#: The rules that allow a use. They are the default, so they matter where a use must be allowed explicitly.
_ALLOWING: _Meaning = {"index": ("search",), "all": ("search",)}

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
    >>> found = page_directives(html='<meta name="robots" content="noindex, noarchive">', agent="bingbot")
    >>> for one in statements(found.statements, ("bingbot",)):
    ...     print(one.category, one)
    search meta line 1 `noindex`
    train-ai meta line 1 `noarchive`
    ai-input meta line 1 `noarchive`
    """
    meanings = [(_FOR_ALL, Preference.DISALLOW), (_ALLOWING, Preference.ALLOW)]
    for prefixes, meaning in _FOR_SOME:
        if any(name.lower().startswith(prefixes) for name in names):
            meanings.append((meaning, Preference.DISALLOW))
    for one in rules:
        if one.standing is not page.PageStanding.APPLIES or (one.rule == "max-snippet" and one.value != 0):
            continue
        for meaning, preference in meanings:
            for category in meaning.get(one.rule, ()):
                yield Statement(
                    vocabulary="robots-meta",
                    source="meta" if one.field.startswith("meta") else "header",
                    place=one.line,
                    text=str(one) if one.field.startswith("meta") else f"{one.field}: {one.text}",
                    category=category,
                    preference=preference,
                    standing=Standing.DECIDES,
                    policy=None,
                )
