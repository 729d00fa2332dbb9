"""A User-agent line has no name.

Why: The rules below bind no robot, unless another User-agent line stands beside this one.

Example:
    User-agent:
    Disallow: /
Instead:
    User-agent: *
    Disallow: /
Engines: Most; some old libraries take it for everybody.
Source: RFC 9309 2.2 (product-token); the standard of 1994: at least one name.
"""
