"""Wrong uses of a served site."""

from comity.integrations import asgi, wsgi
from comity.site.serve import HeaderRule, Site

Site(b"")  # error
Site(b"", "staging")  # error
site = Site(b"", environment="staging", max_age="60")  # error
HeaderRule("/", x_robot_tag="noindex")  # error
asgi.RobotsMiddleware(wsgi.RobotsApp(site), site)  # error
