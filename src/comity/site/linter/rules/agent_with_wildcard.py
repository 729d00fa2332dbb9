"""A robot's name has a `*` next to other characters.

Google's own robots are not reported, because Google drops a `*` at the end of their names.

Why: `*` stands for all robots only if it is the whole name. Names have no wildcards: `*bot*` applies to no
robot, and `ExampleBot*` only to ExampleBot.

Example:
    User-agent: *bot*
    Disallow: /
Instead:
    User-agent: *
    Disallow: /
Engines: All; Google reads `* bot` as `*`.
Source: RFC 9309 2.2.1; the standard of 1994, on `*`.
"""
