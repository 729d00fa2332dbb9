"""Render pages in a browser that has no network: the crawl sends its requests, or refuses them."""

from ..._lazy import lazy

__getattr__, __dir__ = lazy(
    __name__,
    {
        ".browser": "BrowserUnavailable find_browser is_root",
    },
)
