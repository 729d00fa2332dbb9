"""The file is a web page, not a robots.txt.

Why: Some servers answer each URL with a page, or with an error page and the status 200. Robots find no rules
in it, but a line of the page that looks like a rule counts as one.

Example:
    <!DOCTYPE html>
    <html><title>Not found</title></html>
Instead:
    User-agent: *
    Disallow:
Engines: All. Google searches the page for rules; others find none, so everything is allowed.
Source: RFC 9309 2.3.1.1; Google, "How Google interprets the robots.txt specification", file format.
"""
