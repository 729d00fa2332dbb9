"""A line is neither a field nor a comment, so it is ignored.

Why: A path, a note or a robot's name on a line of its own has no effect.

Example:
    User-agent: *
    Disallow: /a/
    /b/
Instead:
    User-agent: *
    Disallow: /a/
    Disallow: /b/
Engines: All.
Source: RFC 9309 2.2: each line is a field, a comment or empty.
"""
