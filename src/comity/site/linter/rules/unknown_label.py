"""A preference has a label that no current vocabulary defines.

Why: Robots ignore labels that they do not know. The drafts have added and removed labels over time.

Example:
    User-agent: *
    Disallow: /search
    Content-Signal: ai-trian=no
Instead:
    User-agent: *
    Disallow: /search
    Content-Signal: ai-train=no
Engines: Robots that read Content-Usage or Content-Signal.
Source: draft-ietf-aipref-vocab; Cloudflare, Content Signals Policy.
"""
