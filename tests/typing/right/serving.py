"""A site that serves its robots.txt, with WSGI and ASGI."""

import comity
from comity.integrations import asgi, wsgi
from comity.site.serve import HeaderRule, ServedRequest, ServedResponse, Site

body = comity.build({"close": "/cart"}).body
site = Site(
    body, environment="production", headers=[HeaderRule("/drafts", x_robots_tag="noindex")], max_age=60
)
answer: ServedResponse | None = site.answer(ServedRequest("GET", b"/robots.txt", b"", headers=()))
assert answer is not None
assert (answer.status, answer.body) == (200, body)
application = wsgi.RobotsMiddleware(wsgi.RobotsApp(site), site)
other = asgi.RobotsMiddleware(asgi.RobotsApp(site), site)
fields: list[tuple[str, str]] = site.fields_for(ServedRequest("GET", b"/drafts", b"", headers=())).added_to(
    []
)
assert ("X-Robots-Tag", "noindex") in fields
