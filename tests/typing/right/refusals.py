"""All refusals of a robot, with their attributes."""

import httpx2

import comity
from comity.testing import FakeSite

ROBOTS = "User-agent: *\nDisallow: /cart\nCrawl-delay: 60\nContent-Usage: /news train-ai=n"


def refusal_of(site: FakeSite, path: str, *, max_wait: float = 600.0) -> str:
    with comity.Robot(
        "ExampleBot/1.0",
        contact="bot@example.com",
        transport=site,
        clock=site.clock,
        max_wait=max_wait,
        respect="train-ai",
        public_only=True,
    ) as robot:
        try:
            robot.get(f"https://example.com{path}")
        except comity.Unreachable as error:
            until: float = error.until
            return f"unreachable until {until:.0f}: {error.verdict.reason.code}"
        except comity.Disallowed as error:
            request: httpx2.Request = error.request
            verdict: comity.Verdict = error.verdict
            return f"{request.method} {error.url}: line {verdict.line}"
        except comity.UsageDisallowed as error:
            usage: comity.Usage = error.usage
            page: comity.Page | None = error.page
            assert page is None
            return f"{error.category}: {usage.preference(error.category).value}, {error.request.url.path}"
        except comity.NotPublic as error:
            return f"{error.host}: {error.address} {error.use} {error.request.url.path}"
        except comity.MustWait as error:
            return f"{error.seconds:.0f} s: {error.reason} {error.request.url.host}"
        except comity.StoreUnavailable as error:
            return str(error)
        except comity.ComityError as error:
            return repr(error)
    return "none"


site = FakeSite({"/": "Tea.", "/news": "News."}, robots=ROBOTS)
assert refusal_of(site, "/") == "none"
assert refusal_of(site, "/cart") == "GET https://example.com/cart: line 2"
assert refusal_of(site, "/news") == "train-ai: disallow, /news"
assert refusal_of(site, "/", max_wait=1).startswith("60 s: the gap that Crawl-delay asks for")
assert refusal_of(FakeSite(robots=500), "/").startswith("unreachable until ")
