"""A second Host line is ignored.

Why: Only the first Host line counted, as long as Yandex read Host.

Example:
    Host: www.example.com
    Host: example.com
Instead:
    User-agent: *
    Disallow:
Engines: Yandex, until 2018.
Source: Yandex, on Host.
"""
