"""A group has no rules, so everything is allowed.

The last group of a file may be intended, as in the example of RFC 9309. It is reported only if other lines
follow, such as a rule in a comment.

Why: The group replaces the group for `*` for its robots. Write `Disallow:` to show that everything is allowed
on purpose.

Example:
    User-agent: *
    Disallow: /private/

    User-agent: ExampleBot
    # Disallow: /
Instead:
    User-agent: *
    Disallow: /private/

    User-agent: ExampleBot
    Disallow: /
Engines: All.
Source: RFC 9309 2.2.1; google/robotstxt.
"""
