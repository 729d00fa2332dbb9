"""A preference neither allows nor disallows a use.

Why: Content-Usage takes `y` and `n`, Content-Signal takes `yes` and `no`. Any other value has no effect.

Example:
    User-agent: *
    Content-Usage: train-ai=no
Instead:
    User-agent: *
    Content-Usage: train-ai=n
Engines: Robots that read Content-Usage or Content-Signal.
Source: draft-ietf-aipref-attach and -vocab; Cloudflare, Content Signals Policy.
"""
