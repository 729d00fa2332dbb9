"""Serving a robots.txt, and the header fields that state the permitted use of each path.

This package is independent of web frameworks: it takes a `Request`, and returns an `Answer` or the `Fields`
of a response. `Sites` finds the `Site` of each host. `comity.integrations.wsgi`, `asgi` and `django` put it
in front of an application.
"""

from .answers import Answer, Request
from .header_rules import HeaderRule
from .hosts import Sites
from .response_fields import Fields
from .site import ENVIRONMENTS, Site

__all__ = ["ENVIRONMENTS", "Answer", "Fields", "HeaderRule", "Request", "Site", "Sites"]
