"""Decide by RSL licences whether the text of a stored page may be used (RSL 1.0 4.3)."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ...protocol.robotstxt.fields.preferences import CRAWL
from ...protocol.robotstxt.fields.statement import Standing
from ...protocol.robotstxt.fields.vocabulary import CURRENT, Preference
from ...protocol.usage.license_links import LicenseLink
from ...protocol.usage.license_statements import LicenseDocuments, statements
from ...protocol.usage.rsl_file import Rsl

#: Returns the RSL document at a URL for a page, None if it is not available. The page is the second argument.
Documents = Callable[[str, str], Rsl | None]


def prohibition(
    url: str, licenses: Sequence[Mapping[str, Any]], uses: Sequence[str], documents: Documents
) -> str | None:
    """Return why the licences of a page forbid one of the `uses`; None if they do not.

    A licence that is not available forbids them, and so does one that needs a token.

    >>> link = {"url": "https://example.com/l.xml", "source": "robots.txt", "line": 2,
    ...         "text": "License: https://example.com/l.xml", "whole_page": True, "unlicensed": False}
    >>> prohibition("https://example.com/tea", [link], ["train-ai"], lambda url, page: None)[-41:]
    '(it is not available)` disallows train-ai'
    """
    if any(one["unlicensed"] for one in licenses):
        return "a licence that cannot be read"
    named = [one for one in licenses if one["url"] is not None and one["whole_page"]]
    if not named:
        return None
    known = LicenseDocuments({one["url"]: documents(one["url"], url) for one in named}, respected=True)
    links = [
        LicenseLink(one["source"], one["line"], one["text"], one["url"], None, None, True) for one in named
    ]
    of_site = [link for link in links if link.source == "robots.txt"]
    of_page = [link for link in links if link.source != "robots.txt"]
    for one in statements(url, of_site, of_page, known, CURRENT):
        is_prohibited = one.preference is Preference.DISALLOW and one.standing is Standing.DECIDES
        if is_prohibited and one.category in (*uses, CRAWL):
            return f"{one} disallows {one.category}"
    return None
