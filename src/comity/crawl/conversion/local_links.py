"""The references from one file of a mirror to the others, and to pages that are not in it."""

from collections.abc import Callable, Mapping
from functools import lru_cache
from posixpath import dirname, relpath
from urllib.parse import quote

from ..job.urls import MAX_URL_LENGTH, as_sent, normalized

#: Maximum number of redirects in a row that lead to a page.
_MAX_REDIRECTS = 20

#: Characters of file names that no URL and no place of a URL gives another meaning.
_UNRESERVED = "/~@=+"


class LocalLinks:
    """Maps URLs to references.

    >>> links = LocalLinks({"http://a.example/b?c": "a.example/b@c"}, {})
    >>> links.reference("a.example/d/index.html", "/b?c#e", "http://a.example/b?c#e")
    '../b@c#e'
    >>> links.reference("a.example/d/index.html", "/f", "http://a.example/f")
    'http://a.example/f'
    """

    def __init__(
        self,
        files: Mapping[str, str],
        redirects: Mapping[str, str],
        without: Callable[[str, str], str] = lambda _, url: url,
    ) -> None:
        """Create the map from the file of each URL, and the target of each redirect.

        `without` receives an origin and a URL, and removes the parameters that the crawl removed.
        """
        self._without = without
        self._files = files
        self._redirects = redirects

    def reference(self, file: str, written: str, url: str) -> str | None:
        """Return the reference for `url` in a file; `None` to leave the `written` one."""
        page, _, fragment = url.partition("#")
        try:
            target = self._target(page)
        except ValueError:  # not a valid URL
            return None
        if target is not None:
            return _relative(file, target) + _escaped_fragment(fragment)
        if written.strip().lower().startswith(("http://", "https://")):
            return None
        return as_sent(url)

    def _target(self, url: str) -> str | None:
        """Return the file of a URL, or of the page that it redirects to."""
        if len(url) > MAX_URL_LENGTH:
            return None
        origin, page = _stored_form(url)
        if page not in self._files and page not in self._redirects:
            page = self._without(origin, page)
        for _ in range(_MAX_REDIRECTS):
            if page in self._files or page not in self._redirects:
                break
            page = self._redirects[page]
        return self._files.get(page)


@lru_cache(maxsize=10_000)
def _stored_form(url: str) -> tuple[str, str]:
    return normalized(as_sent(url))


@lru_cache(maxsize=10_000)
def _relative(file: str, target: str) -> str:
    return quote(relpath(target, dirname(file)), safe=_UNRESERVED)


def _escaped_fragment(fragment: str) -> str:
    """Return a fragment with its `#`, or an empty string."""
    return as_sent(f"http://a/#{fragment}").removeprefix("http://a/") if fragment else ""
