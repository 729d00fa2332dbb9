"""The file is UTF-16, which robots cannot read.

Why: Editors on Windows save "Unicode" as UTF-16. Each letter then has a NUL next to it, so robots find no
known field.

Example:
    <FF FE>U<00>s<00>e<00>r<00>-<00>a<00>g<00>e<00>n<00>t<00>:<00>*<00>
Instead:
    User-agent: *
    Disallow: /private/
Engines: All: a robots.txt is UTF-8.
Source: RFC 9309 2.3, which requires UTF-8.
"""
