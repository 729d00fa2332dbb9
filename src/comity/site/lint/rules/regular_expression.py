r"""A pattern looks like a regular expression.

Why: `.`, `+`, `^`, `[]`, `()` and `\` are plain characters in a pattern, so it matches next to nothing.

Example:
    User-agent: *
    Disallow: ^/shop/.*\.html$
Instead:
    User-agent: *
    Disallow: /shop/*.html$
Engines: All; a few libraries build regular expressions of patterns, by mistake.
Source: RFC 9309 2.2.3; Google, URL matching based on path values.
"""
