"""A group allows everything, as it has no rules.

Why: The group replaces the group for `*` for its robots. A group that has only a Crawl-delay, or nothing,
also allows the paths that `*` disallows. Write `Disallow:` to show that this is intended.

Example:
    User-agent: *
    Disallow: /private/

    User-agent: ExampleBot
    Crawl-delay: 10
Instead:
    User-agent: *
    Disallow: /private/

    User-agent: ExampleBot
    Disallow: /private/
    Crawl-delay: 10
Engines: All.
Source: RFC 9309 2.2.1; the standard of 1994: "At least one Disallow field must be present in a record".
"""
