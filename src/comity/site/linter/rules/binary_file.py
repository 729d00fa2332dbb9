"""The file is binary data, not a robots.txt.

Why: The server sends a compressed file without saying so, or another file under this name. Robots find no
rules in it, so everything is allowed.

Example:
    <1F 8B 08 00 00 00 00 00>
Instead:
    User-agent: *
    Disallow: /private/
Engines: All.
Source: RFC 9309 2.3: robots.txt is `text/plain` in UTF-8.
"""
