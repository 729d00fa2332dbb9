"""A Sitemap line has no absolute URL.

Why: Sitemap takes a whole URL, with scheme and host. Robots ignore a path, or guess the rest.

Example:
    Sitemap: /sitemap.xml
Instead:
    Sitemap: https://example.com/sitemap.xml
Engines: Google and Bing require a whole URL; a few libraries resolve a path.
Source: sitemaps.org, the robots.txt file; Google, sitemap.
"""
