"""The file is larger than the 500 KiB that every robot must read.

Why: A robot may stop reading there, and a rule that it has not read binds nobody. Fewer, shorter patterns
with `*` say the same, and a page can say `noindex` for itself.

Example:
    A file of 600 KiB.
Instead:
    A file of 400 KiB.
Engines: Google reads 500 KiB; RFC 9309 lets no robot read less.
Source: RFC 9309 2.5; Google, file size.
"""
