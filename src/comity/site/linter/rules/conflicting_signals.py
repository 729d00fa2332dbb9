"""Content-Signal lines of one group contradict each other.

Why: The policy does not define which line applies. Comity applies the stricter one.

Example:
    User-agent: *
    Disallow: /search
    Content-Signal: ai-train=yes
    Content-Signal: ai-train=no
Instead:
    User-agent: *
    Disallow: /search
    Content-Signal: ai-train=no
Engines: Robots that read Content-Signal.
Source: Cloudflare, Content Signals Policy; docs/reference/usage.md.
"""
