r"""A fake site and a fake clock: the tests of a crawler then need no network and do not wait (extra `robot`).

`FakeSite` is a transport of httpx2, and `FakeClock` a clock, for `comity.Robot` and `comity.AsyncRobot`:

    >>> import comity
    >>> site = FakeSite({"/": "Tea."}, robots="User-agent: *\nDisallow: /cart\nCrawl-delay: 5")
    >>> robot = comity.Robot("ExampleBot/1.0", contact="bot@example.com", transport=site, clock=site.clock)
    >>> robot.get("https://example.com/").text, robot.allowed("https://example.com/cart")
    ('Tea.', False)
    >>> site.paths, site.clock.slept
    (['/robots.txt', '/'], [5.0])
"""

import threading
from collections import Counter
from collections.abc import Awaitable, Callable, Generator, Mapping
from typing import NamedTuple, TypeAlias

try:
    import httpx2
except ModuleNotFoundError as _missing:
    from ._extras import extra_hint

    raise ImportError(f"comity.testing needs httpx2; {extra_hint('robot')}") from _missing

__all__ = ["Answer", "FakeClock", "FakeSite", "Page", "RecordedRequest"]

#: An answer of a fake site: a body, a status, a whole response, or an exception to raise, such as
#: `httpx2.ConnectTimeout("slow")`.
Answer: TypeAlias = str | bytes | int | httpx2.Response | Exception

#: The answer for a URL, a list of answers whose last one is repeated, or a function from request to answer.
Page: TypeAlias = Answer | list[Answer] | Callable[[httpx2.Request], Answer]


class _Checkpoint(Awaitable[None]):
    """An awaitable that lets other tasks run. Sync code ignores it."""

    def __await__(self) -> Generator[object, None, None]:
        from anyio.lowlevel import checkpoint

        return checkpoint().__await__()


class FakeClock:
    """A clock that moves only when a robot waits, or when a test changes `now`.

    `now` is the time in seconds since 1970, and `slept` lists the seconds of each wait. The same clock may
    serve several robots, sync and async. Waits of concurrent tasks add up, because each moves the clock.

    >>> clock = FakeClock()
    >>> _ = clock.sleep(5.0)
    >>> clock.time() - 1_700_000_000, clock.slept
    (5.0, [5.0])
    """

    def __init__(self, now: float = 1_700_000_000.0) -> None:
        """Create a clock; the default time is 2023-11-14 22:13:20 UTC."""
        self.now: float = now
        self.slept: list[float] = []
        self._lock = threading.RLock()

    def time(self) -> float:
        """Return the seconds since 1970."""
        return self.now

    def sleep(self, seconds: float) -> Awaitable[None]:
        """Move the clock by `seconds`; an async caller awaits the result, which lets other tasks run."""
        with self._lock:
            self.slept.append(seconds)
            self.now += seconds
        return _Checkpoint()


class RecordedRequest(NamedTuple):
    """A request that a fake site received: when by its clock, and its headers by name in lower case.

    >>> site = FakeSite({"/": "Tea."})
    >>> with httpx2.Client(transport=site) as client:
    ...     _ = client.get("https://example.com/")
    >>> site.requests[0].method, site.requests[0].url
    ('GET', 'https://example.com/')
    """

    time: float
    method: str
    url: str
    headers: dict[str, str]


class FakeSite(httpx2.BaseTransport, httpx2.AsyncBaseTransport):
    """A transport of httpx2 that answers from `pages` and records the requests.

    The keys of `pages` are paths of `origin`, with or without a query, or absolute URLs of other sites.
    Other URLs of these sites are answered with 404. A request to any other site raises
    `httpx2.ConnectError`. `robots` is the answer for `/robots.txt`. A test may change `pages` at any time.

    >>> with httpx2.Client(transport=FakeSite({"/": "Tea.", "/gone": 410})) as client:
    ...     client.get("https://example.com/").text, client.get("https://example.com/gone").status_code
    ('Tea.', 410)
    """

    #: Nothing is sent, so a robot with `public_only` accepts it.
    public_only = True

    def __init__(
        self,
        pages: Mapping[str, Page] | None = None,
        *,
        robots: Page | None = None,
        origin: str = "https://example.com",
        clock: FakeClock | None = None,
    ) -> None:
        """Create a site; without a `clock` it has one of its own."""
        self.origin: str = origin.rstrip("/")
        self.pages: dict[str, Page] = dict(pages or {})
        if robots is not None:
            self.pages["/robots.txt"] = robots
        self.clock: FakeClock = FakeClock() if clock is None else clock
        self.requests: list[RecordedRequest] = []
        self._answered: Counter[str] = Counter()

    @property
    def paths(self) -> list[str]:
        """The requested URLs in order: paths of `origin`, and absolute URLs of other sites."""
        return [self._key(request.url) for request in self.requests]

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        """Record a `request` and return the answer; the client calls this."""
        url = str(request.url)
        headers = {name.lower(): value for name, value in request.headers.items()}
        self.requests.append(RecordedRequest(self.clock.time(), request.method, url, headers))
        key = self._key(url.partition("#")[0])
        for known in (key, key.partition("?")[0]):
            if known in self.pages:
                return _response(self._answer(known, request), request)
        if not key.startswith("/"):
            site = str(request.url.copy_with(raw_path=b"/"))
            if not any(page.startswith(site) for page in self.pages):
                raise httpx2.ConnectError(f"the fake site has no page of {site}", request=request)
        return httpx2.Response(404)

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Record a `request` and return the answer; the async client calls this."""
        return self.handle_request(request)

    def _key(self, url: str) -> str:
        return url.removeprefix(self.origin) if url.startswith(f"{self.origin}/") else url

    def _answer(self, key: str, request: httpx2.Request) -> Answer:
        page = self.pages[key]
        if isinstance(page, list):
            page = page[min(self._answered[key], len(page) - 1)]
        self._answered[key] += 1
        return page(request) if callable(page) else page


def _response(answer: Answer, request: httpx2.Request) -> httpx2.Response:
    if isinstance(answer, Exception):
        raise answer
    if isinstance(answer, httpx2.Response):  # copied, since a response can be read once
        return httpx2.Response(answer.status_code, headers=answer.headers, stream=answer.stream)
    if isinstance(answer, int):
        return httpx2.Response(answer)
    kind = "text/plain" if request.url.path.endswith(".txt") else "text/html"
    return httpx2.Response(200, headers={"content-type": f"{kind}; charset=utf-8"}, content=answer)
