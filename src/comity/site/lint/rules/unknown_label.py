"""A preference has a label that no current vocabulary defines.

Why: What nobody knows, nobody obeys. Labels have come and gone with the drafts.

Example:
    User-agent: *
    Content-Signal: ai-trian=no
Instead:
    User-agent: *
    Content-Signal: ai-train=no
Engines: All that read Content-Usage or Content-Signal.
Source: draft-ietf-aipref-vocab; Cloudflare, Content Signals Policy.
"""
