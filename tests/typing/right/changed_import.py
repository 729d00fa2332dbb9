"""A program with `urllib.robotparser`: only the import differs."""

import urllib.robotparser as stdlib
from typing import assert_type
from urllib.request import Request

import comity.compat.urllib as robotparser
from comity.compat.urllib import RequestRate, RobotFileParser

LINES = [
    "User-agent: *",
    "Disallow: /shop",
    "Crawl-delay: 3",
    "Request-rate: 9/30",
    "Sitemap: https://example.com/s.xml",
]


def plan(parser: stdlib.RobotFileParser | robotparser.RobotFileParser, url: str) -> str:
    """Use what both classes have."""
    parser.set_url("https://example.com/robots.txt")
    parser.parse(LINES)
    parser.modified()
    delay = parser.crawl_delay("ExampleBot")
    rate = parser.request_rate("ExampleBot")
    seconds = float(delay) if delay is not None else 0.0
    if rate is not None:
        seconds = max(seconds, rate.seconds / rate.requests)
    maps: list[str] = parser.site_maps() or []
    allowed: bool = parser.can_fetch("ExampleBot", url)
    return f"{allowed} {seconds:.2f} {len(maps)} {parser.mtime() > 0} {len(str(parser))}"


class Quiet(RobotFileParser):
    """A subclass that reads nothing."""

    def __init__(self, url: str = "") -> None:
        super().__init__(url, mode="classic")

    def read(self, *, timeout: float | None = None, max_size: int | None = None) -> None:
        self.parse(line for line in LINES)


for page in ("https://example.com/shop", "https://example.com/"):
    assert plan(stdlib.RobotFileParser(), page) == plan(RobotFileParser(), page)

quiet = Quiet("https://example.com/robots.txt")
quiet.read(timeout=5.0)
assert_type(quiet.crawl_delay("ExampleBot"), int | None)
assert_type(quiet.request_rate("ExampleBot"), RequestRate | None)
assert_type(quiet.can_fetch(None, "https://example.com/"), bool)
quiet.disallow_all = True
for entry in quiet.entries:
    names: list[str] = entry.useragents
    rules: list[tuple[str, bool]] = [(rule.path, rule.allowance) for rule in entry.rulelines]
RobotFileParser(Request("https://example.com/robots.txt"), mode="rfc9309")
