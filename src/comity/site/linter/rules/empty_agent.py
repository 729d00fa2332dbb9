"""A User-agent line has no name.

Why: The rules below apply to no robot, unless there is another User-agent line next to this one.

Example:
    User-agent:
    Disallow: /
Instead:
    User-agent: *
    Disallow: /
Engines: Most; some old libraries apply the group to all robots.
Source: RFC 9309 2.2 (product-token); the standard of 1994: at least one name.
"""
