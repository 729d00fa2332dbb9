"""A line has a control character.

Why: No URL and no field has control characters, so the rule matches nothing, or the field is unknown. Some
parsers end the line at the character, and some begin a new line.

Example:
    User-agent: *
    Disallow: /a<0B>/b
Instead:
    User-agent: *
    Disallow: /a/b
Engines: All; Google ends the line at a NUL, and Python's `str.splitlines` begins a new line at VT and FF.
Source: RFC 9309 2.2 (UTF8-char-noctl).
"""
