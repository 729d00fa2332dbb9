"""A rule is in no group, so it applies to no robot.

Why: A rule belongs to the group above it. Without a group it speaks to no robot, whatever it says.

Example:
    Disallow: /private/

    User-agent: *
    Disallow: /tmp/
Instead:
    User-agent: *
    Disallow: /private/
    Disallow: /tmp/
Engines: All that follow RFC 9309, and Google; LWP takes the rule for everybody's.
Source: RFC 9309 2.2.1: rules outside a group are ignored.
"""
