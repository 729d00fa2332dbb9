"""Two loopback sites for the tests of HTTP clients: rules, pages, and redirects to paths that are closed."""

from contextlib import contextmanager
from itertools import pairwise

from http_server import HOSTS, Server, answer, redirect

#: Seconds between two requests.
GAP = 0.01

_RULES = f"User-agent: *\nDisallow: /private\nCrawl-delay: {GAP}\n".encode()

#: The number of pages.
PAGES = 50


def page(number):
    return f"/page/{number}"


@contextmanager
def polite_sites():
    """Yield two servers on different hosts. The redirects of the first one lead to both."""
    with Server(host=HOSTS[1]) as other, Server() as site:
        for server in (site, other):
            server.routes |= {"/robots.txt": answer(body=_RULES), "/private": answer(body=b"closed")}
            server.routes |= {page(number): answer(body=b"page") for number in range(PAGES)}
        site.routes |= {
            "/moved": redirect("/hop"),
            "/hop": redirect(f"{other.origin}/page/1"),
            "/trap": redirect("/private"),
            "/far-trap": redirect(f"{other.origin}/private"),
            "/stream": server_parts,
        }
        yield site, other


def server_parts():
    yield answer(body=b"", length=6)
    yield b"abc"
    yield b"def"


def assert_polite(site, agent="ExampleBot/1.0"):
    """Check the requests that a site received."""
    paths = site.paths()
    assert (paths[0], paths.count("/robots.txt")) == ("/robots.txt", 1)
    assert "/private" not in paths
    assert {head["user-agent"] for head in site.heads} == {agent}
    visits = sorted(site.visits)
    gaps = [after.began - before.ended for before, after in pairwise(visits)]
    assert min(gaps, default=GAP) >= GAP * 0.9
