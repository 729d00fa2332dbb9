"""A `%` is not followed by two hexadecimal digits.

Why: An escape is a `%` and two hexadecimal digits. Any other `%` is a plain character, which URLs write as
`%25`.

Example:
    User-agent: *
    Disallow: /100%/
Instead:
    User-agent: *
    Disallow: /100%25/
Engines: All; they read it differently.
Source: RFC 3986 2.1; RFC 9309 2.2.2.
"""
