"""A robot's name has several words.

Known robots with such names are not reported.

Why: A product token has no space. `Example Bot` is read as `Example`, which is another robot, or none. If a
line break is missing, as in `GPTBot Disallow: /`, the rule is lost.

Example:
    User-agent: Example Bot
    Disallow: /
Instead:
    User-agent: ExampleBot
    Disallow: /
Engines: RFC 9309 readers and Google read up to the space; others compare the whole value.
Source: RFC 9309 2.2.1 (product-token), 2.2 (identifier); google/robotstxt, `ExtractUserAgent`.
"""
