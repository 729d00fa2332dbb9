"""A path has a space, which URLs cannot have.

Why: URLs have `%20` for a space. RFC 9309 readers compare it so; Google compares the space itself, and
matches nothing.

Example:
    User-agent: *
    Disallow: /my files/
Instead:
    User-agent: *
    Disallow: /my%20files/
Engines: Google, whose parser leaves ASCII as it is.
Source: RFC 9309 2.2 (path-pattern has no space) and 2.2.2; google/robotstxt, `MaybeEscapePattern`.
"""
