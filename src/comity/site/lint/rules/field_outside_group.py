"""A field is in no group, so it applies to no robot.

Why: Crawl-delay, Content-Signal and the like hold for the robots that the group names. Without one they hold
for nobody.

Example:
    Crawl-delay: 10

    User-agent: *
    Disallow: /tmp/
Instead:
    User-agent: *
    Crawl-delay: 10
    Disallow: /tmp/
Engines: All that read the field.
Source: RFC 9309 2.2.1 and 2.2.4; draft-ietf-aipref-attach.
"""
