"""A Sitemap line has no absolute URL.

Why: A sitemap is named by its whole address, with scheme and host. Robots ignore a path, or guess.

Example:
    Sitemap: /sitemap.xml
Instead:
    Sitemap: https://example.com/sitemap.xml
Engines: Google and Bing want a whole URL; a few libraries resolve a path.
Source: sitemaps.org, the robots.txt file; Google, sitemap.
"""
