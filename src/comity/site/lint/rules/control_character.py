"""A line has a control character.

Why: No URL and no field has one, so the rule matches nothing, or the field is unknown. Some parsers end the
line there, and some begin another.

Example:
    User-agent: *
    Disallow: /a<0B>/b
Instead:
    User-agent: *
    Disallow: /a/b
Engines: All; Google ends the line at a NUL, Python's `str.splitlines` begins another at VT and FF.
Source: RFC 9309 2.2 (UTF8-char-noctl).
"""
