"""Serves a robots.txt, and the header fields that say what may be done with each path.

Nothing here knows a framework: a `Request` goes in, an `Answer` or the `Fields` of a response come out.
`comity.integrations.wsgi`, `asgi` and `django` put it in front of an application.
"""

from .answers import Answer, Request
from .fields import Fields
from .header_rules import HeaderRule
from .site import ENVIRONMENTS, Site

__all__ = ["ENVIRONMENTS", "Answer", "Fields", "HeaderRule", "Request", "Site"]
