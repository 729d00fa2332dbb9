r"""A pattern looks like a regular expression.

Why: Robots know only `*` and a final `$`. `.`, `+`, `^`, `[]`, `()` and `\` are plain characters in a
pattern, so it matches almost nothing.

Example:
    User-agent: *
    Disallow: ^/shop/.*\.html$
Instead:
    User-agent: *
    Disallow: /shop/*.html$
Engines: All; a few libraries convert patterns to regular expressions without escaping them.
Source: RFC 9309 2.2.3; Google, URL matching based on path values.
"""
