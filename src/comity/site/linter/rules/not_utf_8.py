"""A line is not UTF-8.

Why: A byte of another encoding matches only URLs that have this byte as an escape. Browsers escape the UTF-8
form of a character, so the rule does not match the intended pages.

Example:
    User-agent: *
    Disallow: /caf<E9>/
Instead:
    User-agent: *
    Disallow: /café/
Engines: All: a robots.txt is UTF-8. Some ignore the line, some compare bytes, and some replace each wrong
byte.
Source: RFC 9309 2.2 (UTF8-char-noctl) and 2.3; Google, file format.
"""
