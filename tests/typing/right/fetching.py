"""A robots.txt that is fetched with another client, and judged by Comity."""

from collections.abc import Iterable

import comity
from comity.protocol.access import Cause, access_policy

Responses = dict[str, tuple[int, list[tuple[str, str]], bytes]]


def access_of(origin: str, responses: Responses, policy: comity.AccessPolicy) -> comity.Access:
    fetch = comity.Fetch(origin, policy=policy)
    while (request := fetch.request) is not None:
        status, headers, body = responses[request.url]
        if fetch.receive(status, headers, now=0.0):
            fetch.data(body)
            fetch.finish(now=0.0)
    return fetch.access


def hosts(hops: Iterable[tuple[str, int]]) -> list[str]:
    return [url for url, _ in hops]


access = access_of(
    "https://example.com/",
    {
        "https://example.com/robots.txt": (301, [("Location", "https://www.example.com/robots.txt")], b""),
        "https://www.example.com/robots.txt": (200, [], b"User-agent: *\nDisallow: /cart"),
    },
    access_policy("strict").replace(name="ours", redirects=3),
)
assert access.outcome is comity.Outcome.RULES
assert access.cause in Cause
assert hosts(access.hops) == ["https://example.com/robots.txt"]
verdict: comity.Verdict = access.check("https://example.com/cart", agent="ExampleBot")
assert not verdict
assert access.fresh(3600.0)
assert access.robots.sitemaps == ()
