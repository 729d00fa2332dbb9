"""A crawler that reads a site page by page."""

import httpx2

import comity
from comity.testing import FakeSite

SITE = FakeSite(
    {"/": "<a href=/tea>Tea</a><a href=/cart>Cart</a>", "/tea": "Green tea.", "/cart": "Nothing yet."},
    robots="User-agent: *\nDisallow: /cart\nCrawl-delay: 2",
)


def crawl(robot: comity.Robot, start: str) -> dict[str, int]:
    sizes: dict[str, int] = {}
    waiting = [start]
    while waiting:
        url = waiting.pop()
        if url in sizes:
            continue
        try:
            page: comity.Page = robot.page(url)
        except comity.Disallowed as refusal:
            print(refusal.verdict.explain())
            continue
        sizes[url] = len(page.body)
        waiting.extend(link.url for link in page.links if link.url is not None)
    return sizes


with comity.Robot(
    "ExampleBot/1.0 (+https://example.com/bot)",
    contact="bot@example.com",
    transport=SITE,
    clock=SITE.clock,
    timeout=httpx2.Timeout(10.0, connect=5.0),
) as robot:
    pages = crawl(robot, "https://example.com/")
    response: httpx2.Response = robot.get("https://example.com/tea", params={"size": 1})
    allowed: bool = robot.allowed("https://example.com/cart")

assert list(pages) == ["https://example.com/", "https://example.com/tea"]
assert response.text == "Green tea."
assert not allowed
