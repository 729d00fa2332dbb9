"""Two local sites to crawl, a market and a newspaper, with rules, an endless calendar and a slow page."""

import threading
from base64 import b64decode
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from .site import DemoResponse, DemoSite, Visit

#: Crawl-delay of the market, in seconds.
GAP = 0.2

ROBOTS = b"""\
# The demonstration market
User-agent: *
Disallow: /private/
Allow: /private/open$
Disallow: /*?session=
Disallow: /*.cgi$
Crawl-delay: 0.2
Content-Usage: /essays/ train-ai=n

User-agent: BadBot
Disallow: /
"""

_NEWSPAPER = b"""\
User-agent: *
Disallow: /drafts/
Request-rate: 5/1s
"""

#: Pages of the market that a crawl with depth 3 and `--respect train-ai` fetches.
PAGES = frozenset(
    (
        *("/", "/tea", "/private/open", "/quiet", "/hush", "/old", "/lost", "/round", "/round/2", "/slow"),
        *("/reserved", "/calendar?month=1", "/calendar?month=2", "/calendar?month=3"),
        *("/style.css", "/leaf.png", "/weather"),
    )
)

#: Prefixes of paths that robots.txt, a page with nofollow, or a preference about use disallows.
DISALLOWED = (
    *(
        "/private/diary",
        "/private/lost",
        "/private/paper.png",
        "/tea?session=",
        "/tool.cgi",
        "/whisper",
        "/advert",
    ),
    *("/essays/", "/drafts/"),
)

_HTML = ("content-type", "text/html; charset=utf-8")
_TEXT = ("content-type", "text/plain; charset=utf-8")
_CSS = ("content-type", "text/css")

#: An image of one green pixel.
_IMAGE = b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGPQr/UHAAHaAPxBpzWOAAAAAElFTkSuQmCC"
)


def _page(
    *links: str, head: str = "", fields: tuple[tuple[str, str], ...] = (), seconds: float = 0.0
) -> DemoResponse:
    tags = "\n".join(link if link.startswith("<") else f'<a href="{link}">{link}</a>' for link in links)
    body = f"<!doctype html>\n<title>The market</title>\n{head}\n{tags}\n"
    return DemoResponse(200, (_HTML, *fields), body.encode(), seconds)


def _month(path: str) -> DemoResponse:
    """Return a page of an endless calendar."""
    number = path.rpartition("=")[2]
    return _page(f"/calendar?month={int(number) + 1 if number.isdecimal() and len(number) < 5 else 1}")


@contextmanager
def demo_market(port: int = 0) -> Iterator[tuple[str, str, list[Visit], list[Visit]]]:
    """Serve both sites; yield the origins of the market and the newspaper, and their logs.

    `port` is that of the market.
    """
    with ExitStack() as stack:
        newspaper = DemoSite(
            {
                "/robots.txt": DemoResponse(200, (_TEXT,), _NEWSPAPER),
                "/": _page("/news", "/drafts/scoop"),
                "/news": _page("/"),
            }
        )
        market = DemoSite(
            {
                "/robots.txt": DemoResponse(200, (_TEXT,), ROBOTS),
                "/": _page(
                    "/tea",
                    "/private/diary",
                    "/private/open",
                    "/tea?session=4711",
                    "/tool.cgi",
                    "/quiet",
                    "/hush",
                    '<a href="/advert" rel="nofollow">an advertisement</a>',
                    '<link rel="stylesheet" href="/style.css"><img src="/leaf.png" alt="a leaf">',
                    '<iframe src="/weather"></iframe>',
                    "/old",
                    "/lost",
                    "/round",
                    "/slow",
                    "/calendar?month=1",
                    "/essays/tea",
                    "/reserved",
                    f"{newspaper.origin}/",
                ),
                "/tea": _page("/", "/tea#brewing"),
                "/private/open": _page("/"),
                "/quiet": _page("/whisper", head='<meta name="robots" content="nofollow">'),
                "/hush": _page("/whisper", fields=(("x-robots-tag", "nofollow"),)),
                "/style.css": DemoResponse(200, (_CSS,), b"body { background: url(/private/paper.png) }\n"),
                "/leaf.png": DemoResponse(200, (("content-type", "image/png"),), _IMAGE),
                "/weather": _page("/tea"),
                "/old": DemoResponse(301, (("location", "/tea"),)),
                "/lost": DemoResponse(302, (("location", "/private/lost"),)),
                "/round": DemoResponse(302, (("location", "/round/2"),)),
                "/round/2": DemoResponse(302, (("location", "/round"),)),
                "/slow": _page("/", seconds=0.7),
                "/calendar": _month,
                "/reserved": _page("/", head='<meta name="tdm-reservation" content="1">'),
            },
            port,
        )
        for site in (newspaper, market):
            stack.enter_context(site)
            threading.Thread(target=site.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
            stack.callback(site.shutdown)
        yield market.origin, newspaper.origin, market.visits, newspaper.visits
