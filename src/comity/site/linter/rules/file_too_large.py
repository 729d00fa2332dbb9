"""The file is larger than the 500 KiB that every robot must read.

Why: A robot may stop reading there, and then it does not know the rest of the rules. Shorter lists of
patterns with `*` can say the same, and pages can have `noindex` themselves.

Example:
    A file of 600 KiB.
Instead:
    A file of 400 KiB.
Engines: Google reads 500 KiB; RFC 9309 requires robots to read at least that.
Source: RFC 9309 2.5; Google, file size.
"""
