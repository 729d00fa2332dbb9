"""A market and a press on this machine, with rules, traps and slow corners, for a crawl to be shown on."""

import threading
from base64 import b64decode
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from .site import Answer, Site, Visit

__all__ = ["FORBIDDEN", "GAP", "PAGES", "ROBOTS", "demo_market"]

#: Seconds that the market wants between two requests.
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

_PRESS = b"""\
User-agent: *
Disallow: /drafts/
Request-rate: 5/1s
"""

#: What a crawl of the market fetches of it, besides its rules: three links deep, with respect for train-ai.
PAGES = frozenset(
    (
        *("/", "/tea", "/private/open", "/quiet", "/hush", "/old", "/lost", "/round", "/round/2", "/slow"),
        *("/reserved", "/calendar?month=1", "/calendar?month=2", "/calendar?month=3"),
        *("/style.css", "/leaf.png", "/weather"),
    )
)

#: How the paths begin of what nobody may see: by robots.txt, by what pages say, or by the use that is kept.
FORBIDDEN = (
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

#: A picture of one green dot.
_LEAF = b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGPQr/UHAAHaAPxBpzWOAAAAAElFTkSuQmCC"
)


def _page(
    *links: str, said: str = "", fields: tuple[tuple[str, str], ...] = (), seconds: float = 0.0
) -> Answer:
    tags = "\n".join(link if link.startswith("<") else f'<a href="{link}">{link}</a>' for link in links)
    body = f"<!doctype html>\n<title>The market</title>\n{said}\n{tags}\n"
    return Answer(200, (_HTML, *fields), body.encode(), seconds)


def _month(path: str) -> Answer:
    """Give a page of a calendar, which has no end."""
    number = path.rpartition("=")[2]
    return _page(f"/calendar?month={int(number) + 1 if number.isdecimal() and len(number) < 5 else 1}")


@contextmanager
def demo_market() -> Iterator[tuple[str, str, list[Visit], list[Visit]]]:
    """Serve both on free ports; give the addresses of market and press, and their logs."""
    with ExitStack() as stack:
        press = Site(
            {
                "/robots.txt": Answer(200, (_TEXT,), _PRESS),
                "/": _page("/news", "/drafts/scoop"),
                "/news": _page("/"),
            }
        )
        market = Site(
            {
                "/robots.txt": Answer(200, (_TEXT,), ROBOTS),
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
                    f"{press.address}/",
                ),
                "/tea": _page("/", "/tea#brewing"),
                "/private/open": _page("/"),
                "/quiet": _page("/whisper", said='<meta name="robots" content="nofollow">'),
                "/hush": _page("/whisper", fields=(("x-robots-tag", "nofollow"),)),
                "/style.css": Answer(200, (_CSS,), b"body { background: url(/private/paper.png) }\n"),
                "/leaf.png": Answer(200, (("content-type", "image/png"),), _LEAF),
                "/weather": _page("/tea"),
                "/old": Answer(301, (("location", "/tea"),)),
                "/lost": Answer(302, (("location", "/private/lost"),)),
                "/round": Answer(302, (("location", "/round/2"),)),
                "/round/2": Answer(302, (("location", "/round"),)),
                "/slow": _page("/", seconds=0.7),
                "/calendar": _month,
                "/reserved": _page("/", said='<meta name="tdm-reservation" content="1">'),
            }
        )
        for site in (press, market):
            stack.enter_context(site)
            threading.Thread(target=site.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
            stack.callback(site.shutdown)
        yield market.address, press.address, market.visits, press.visits
