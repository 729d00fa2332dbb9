"""Render pages in a browser that has no network: the crawl sends its requests, or refuses them."""
