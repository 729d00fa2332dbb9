"""An Allow line has no path, so it allows nothing.

Why: An empty path matches nothing. To allow everything, write `Allow: /` or remove the line.

Example:
    User-agent: *
    Allow:
    Disallow: /private/
Instead:
    User-agent: *
    Disallow: /private/
Engines: RFC 9309 readers and Google ignore it; old pages of Yandex read it as `Disallow: /`.
Source: RFC 9309 2.2 (empty-pattern); Google, allow: rules without a path are ignored.
"""
