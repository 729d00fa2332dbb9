"""A preference neither allows nor disallows a use.

Why: Content-Usage has `y` and `n`, Content-Signal `yes` and `no`. Any other value says nothing.

Example:
    User-agent: *
    Content-Usage: train-ai=no
Instead:
    User-agent: *
    Content-Usage: train-ai=n
Engines: All that read Content-Usage or Content-Signal.
Source: draft-ietf-aipref-attach and -vocab; Cloudflare, Content Signals Policy.
"""
