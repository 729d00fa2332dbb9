"""Small sites on this machine, for the demonstration: a shop, its mirror, and one out of order."""

import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import NamedTuple

__all__ = ["Answer", "Site", "Visit", "demo_sites"]

ROBOTS = b"""\
# The demonstration shop
User-agent: *
Disallow: /cart
Disallow: /*?sort=
Allow: /cart/help
Crawl-delay: 0.5
Content-Usage: search=y

User-agent: GPTBot
Disallow: /

Sitemap: http://shop.example/sitemap.xml
"""


STORY = b"""\
<!doctype html>
<title>The story of tea</title>
<meta name="robots" content="noarchive, max-snippet:50">
<meta name="tdm-reservation" content="1">
<a href="/tea">Tea</a> <a href="https://elsewhere.example/" rel="nofollow">An advertisement</a>
"""


class Answer(NamedTuple):
    """What a site answers for a path, and how many seconds it takes: status, header fields, body."""

    status: int
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes = b""
    seconds: float = 0.0


class Visit(NamedTuple):
    """A line of a site's log: when it was asked, in seconds since 1970, for what, by whom; when it was done.

    What is done is so before it is sent, so that no robot can be done earlier.
    """

    time: float
    path: str
    agent: str
    ended: float


class Site(ThreadingHTTPServer):
    """A site on a free port of this machine; a page may be made from the path that is asked for."""

    daemon_threads = True

    def __init__(self, pages: Mapping[str, Answer | Callable[[str], Answer]]) -> None:
        """Take the pages, each by its path without the query."""
        super().__init__(("127.0.0.1", 0), _Handler)
        self.pages = pages
        self.visits: list[Visit] = []

    @property
    def address(self) -> str:
        """The address, without a slash at its end."""
        return f"http://127.0.0.1:{self.server_port}"


class _Handler(BaseHTTPRequestHandler):
    server: Site

    def do_GET(self) -> None:
        """Answer, and write the visit down."""
        began = time.time()
        found = self.server.pages.get(self.path.partition("?")[0])
        page = found(self.path) if callable(found) else found or Answer(404, body=b"There is no such page.\n")
        time.sleep(page.seconds)
        self.server.visits.append(Visit(began, self.path, self.headers.get("user-agent", ""), time.time()))
        self.send_response(page.status)
        for name, value in (*page.headers, ("content-length", str(len(page.body)))):
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(page.body)

    def log_message(self, format: str, *arguments: object) -> None:  # noqa: A002  # the library's name
        """Say nothing: the visits are the log."""


_TEXT = (("content-type", "text/plain; charset=utf-8"),)
_HTML = (("content-type", "text/html; charset=utf-8"), ("x-robots-tag", "otherbot: noindex"))


@contextmanager
def demo_sites() -> Iterator[tuple[str, str, str, list[Visit]]]:
    """Serve three sites on free ports; give the addresses of shop, mirror and ruin, and the shop's log."""
    with ExitStack() as stack:

        def served(pages: Mapping[str, Answer]) -> Site:
            site = stack.enter_context(Site(pages))
            threading.Thread(target=site.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
            stack.callback(site.shutdown)
            return site

        shop = served(
            {
                "/robots.txt": Answer(200, _TEXT, ROBOTS),
                "/": Answer(200, _TEXT, b"Welcome.\n"),
                "/tea": Answer(200, _TEXT, b"Tea.\n"),
                "/story": Answer(200, _HTML, STORY),
                "/offer": Answer(302, (("location", "/cart/offer"),)),
                "/cart/offer": Answer(200, _TEXT, b"Nobody should see this.\n"),
            }
        )
        mirror = served({"/robots.txt": Answer(301, (("location", f"{shop.address}/robots.txt"),))})
        ruin = served({"/robots.txt": Answer(503, (("retry-after", "120"),), b"Back soon.\n")})
        yield shop.address, mirror.address, ruin.address, shop.visits
