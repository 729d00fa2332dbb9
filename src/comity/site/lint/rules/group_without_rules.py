"""A group has no rules, so everything is allowed.

The last group of a file may be meant so, as in the example of RFC 9309; elsewhere something is missing.

Why: A group of its own takes the place of the group for `*`. Write `Disallow:` if everything is to be open.

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
