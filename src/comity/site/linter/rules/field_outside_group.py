"""A field is in no group, so it applies to no robot.

Why: Crawl-delay, Content-Signal and similar fields apply to the robots of their group. Without a group they
have no effect.

Example:
    Crawl-delay: 10

    User-agent: *
    Disallow: /tmp/
Instead:
    User-agent: *
    Crawl-delay: 10
    Disallow: /tmp/
Engines: Robots that read the field.
Source: RFC 9309 2.2.1 and 2.2.4; draft-ietf-aipref-attach.
"""
