"""A path has a space, which URLs cannot have.

Why: URLs have `%20` for a space. RFC 9309 readers compare the pattern as if it had `%20`; Google compares the
space itself, which matches nothing.

Example:
    User-agent: *
    Disallow: /my files/
Instead:
    User-agent: *
    Disallow: /my%20files/
Engines: Google, whose parser does not escape ASCII characters.
Source: RFC 9309 2.2 (path-pattern has no space) and 2.2.2; google/robotstxt, `MaybeEscapePattern`.
"""
