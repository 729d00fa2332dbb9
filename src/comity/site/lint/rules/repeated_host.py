"""A second Host line is ignored.

Why: Only the first counted, when Host counted.

Example:
    Host: www.example.com
    Host: example.com
Instead:
    User-agent: *
    Disallow:
Engines: Yandex, until 2018.
Source: Yandex, on Host.
"""
