"""A `$` before the end of a pattern is a plain character.

Why: `$` marks the end of the path only at the end of a pattern. Elsewhere it matches a dollar sign, which few
URLs have.

Example:
    User-agent: *
    Disallow: /*.php$?
Instead:
    User-agent: *
    Disallow: /*.php?
Engines: RFC 9309 readers and Google; some libraries end the pattern at the `$`, or ignore the rule.
Source: RFC 9309 2.2.3; differences between parsers.
"""
