"""The file is a web page, not a robots.txt.

Why: A server that answers every address with a page, or with an error page and the status 200, has no rules
for robots, and what looks like a rule in the page counts as one.

Example:
    <!DOCTYPE html>
    <html><title>Not found</title></html>
Instead:
    User-agent: *
    Disallow:
Engines: All. Google looks for rules in the page; the others find none, so everything is allowed.
Source: RFC 9309 2.3.1.1; Google, "How Google interprets the robots.txt specification", file format.
"""
