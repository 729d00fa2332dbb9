"""Serving a robots.txt, and the header fields that state the permitted use of each path.

This package is independent of web frameworks: it takes a `ServedRequest`, and returns a `ServedResponse` or
the `Fields` of a response. `Sites` finds the `Site` of each host. `comity.integrations.wsgi`, `asgi` and
`django` put it in front of an application.
"""

from .answers import ServedRequest, ServedResponse
from .header_rules import HeaderRule
from .response_fields import Fields
from .site import ENVIRONMENTS, Site, Sites

__all__ = ["ENVIRONMENTS", "Fields", "HeaderRule", "ServedRequest", "ServedResponse", "Site", "Sites"]

#: Their earlier names, until 1.0.
Answer, Request = ServedResponse, ServedRequest
