"""A rule is in no group, so it applies to no robot.

Why: A rule belongs to the group above it. Without a User-agent line above it, a rule belongs to no group.

Example:
    Disallow: /private/

    User-agent: *
    Disallow: /tmp/
Instead:
    User-agent: *
    Disallow: /private/
    Disallow: /tmp/
Engines: RFC 9309 readers and Google; LWP applies the rule to all robots.
Source: RFC 9309 2.2.1: rules outside a group are ignored.
"""
