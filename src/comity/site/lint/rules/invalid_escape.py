"""A `%` is not followed by two hexadecimal digits.

Why: An escape is `%` and two hexadecimal digits. A lone `%` is a plain character, which URLs do not have:
they have `%25`.

Example:
    User-agent: *
    Disallow: /100%/
Instead:
    User-agent: *
    Disallow: /100%25/
Engines: All; what they make of it differs.
Source: RFC 3986 2.1; RFC 9309 2.2.2.
"""
