"""A line is neither a field nor a comment, so it is ignored.

Why: A path, a note or an agent on a line of its own says nothing to robots.

Example:
    User-agent: *
    Disallow: /a/
    /b/
Instead:
    User-agent: *
    Disallow: /a/
    Disallow: /b/
Engines: All.
Source: RFC 9309 2.2, in which each line is a field, a comment or empty.
"""
