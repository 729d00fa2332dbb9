"""Content-Signal lines of one group contradict each other.

Why: Nobody has said which counts. Comity takes the stricter.

Example:
    User-agent: *
    Content-Signal: ai-train=yes
    Content-Signal: ai-train=no
Instead:
    User-agent: *
    Content-Signal: ai-train=no
Engines: All that read Content-Signal.
Source: Cloudflare, Content Signals Policy; docs/usage.md.
"""
