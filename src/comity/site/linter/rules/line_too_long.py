"""A line is longer than the 16,663 bytes that Google reads.

Why: Google drops the rest of the line without a message. A rule that is cut matches more than it should.

Example:
    User-agent: *
    Disallow: /a-path-of-more-than-16,663-bytes
Instead:
    User-agent: *
    Disallow: /a-path-of-more-than-16*
Engines: Google; others have other limits, or none.
Source: google/robotstxt, `RobotsTxtParser::Parse` (2,083 bytes times eight, less one).
"""
