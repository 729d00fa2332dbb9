"""A robot sends no request that it may not send, none too early, and none but as itself."""

import pickle
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import httpx2
import pytest
from http_server import Server, answer, redirect, unused_port
from robot_flavours import FLAVOURS, START, open_robot

import comity
from comity.testing import FakeClock

RULES = b"User-agent: *\nDisallow: /private\n"
PAGE = answer(body=b"a page")

flavours = pytest.mark.parametrize("flavour", FLAVOURS)


def site(robots_txt=RULES, **routes):
    """A server with rules, a page, and whatever else a test wants: `page` is "/page"."""
    return Server({"/robots.txt": answer(body=robots_txt), "*": PAGE, **{f"/{name}": route for name, route in routes.items()}})  # fmt: skip


def pages(server):
    return [request for request in server.asked if request != "GET /robots.txt"]


# Refusals -----------------------------------------------------------------------------------------


@flavours
@pytest.mark.parametrize("method", ["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS"])
def test_every_http_method_is_checked(flavour, method):
    with site() as server, open_robot(flavour) as robot:
        with pytest.raises(comity.Disallowed) as refusal:
            robot.request(
                method, f"{server.origin}/private", content=b"x" if method in ("POST", "PUT") else None
            )
        response = robot.request(method, f"{server.origin}/page")

    assert response.status_code == 200
    assert (refusal.value.verdict.line, refusal.value.request.method) == (2, method)
    assert pages(server) == [f"{method} /page"]


@flavours
@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
@pytest.mark.parametrize("elsewhere", [False, True])
def test_redirect_to_disallowed_url(flavour, status, elsewhere):
    with site() as server, site() as other, open_robot(flavour) as robot:
        target = f"{(other if elsewhere else server).origin}/private"
        server.routes["/moved"] = redirect(target, status)
        with pytest.raises(httpx2.TransportError) as refusal:
            robot.get(f"{server.origin}/moved")

    assert isinstance(refusal.value, comity.Disallowed)
    assert not refusal.value.verdict
    assert refusal.value.url == str(refusal.value.request.url) == target
    assert target in str(refusal.value)
    assert pages(server) == ["GET /moved"]
    assert pages(other) == []


@flavours
def test_refusals_can_be_pickled(flavour):
    """So that it can be sent through a pool of processes."""
    with site() as server, open_robot(flavour, max_wait=0) as robot:
        with pytest.raises(comity.Disallowed) as refusal:
            robot.get(f"{server.origin}/private")
        server.routes["/busy"] = answer(503, headers={"retry-after": "120"})
        robot.get(f"{server.origin}/busy")
        with pytest.raises(comity.MustWait) as delay:
            robot.get(f"{server.origin}/page")

    again = pickle.loads(pickle.dumps(refusal.value))
    assert isinstance(again, comity.Disallowed)
    assert isinstance(again, httpx2.TransportError)
    assert (again.url, again.verdict, str(again)) == (
        refusal.value.url,
        refusal.value.verdict,
        str(refusal.value),
    )
    assert again.request.url == refusal.value.request.url
    again = pickle.loads(pickle.dumps(delay.value))
    assert isinstance(again, comity.MustWait)
    assert isinstance(again, httpx2.TransportError)
    assert (again.url, again.seconds, again.reason) == (delay.value.url, 120.0, delay.value.reason)


@flavours
def test_unreachable_robots_txt_disallows_site(flavour):
    with Server({"/robots.txt": answer(500), "*": PAGE}) as server, open_robot(flavour) as robot:
        for url in (f"{server.origin}/page", f"http://localhost:{unused_port()}/"):
            with pytest.raises(comity.Disallowed) as refusal:
                robot.get(url)
            assert refusal.value.verdict.reason.code == "unreachable"
        itself = robot.get(f"{server.origin}/robots.txt")

    assert itself.status_code == 500
    assert server.asked == ["GET /robots.txt"] * 2


@flavours
@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("mailto:x@example.com", True),
        ("data:,hello", True),
        ("file:///etc/hostname", True),
        ("ftp://127.0.0.1/file", False),  # which has a robots.txt that this client cannot ask for
        ("{origin}/x/../private", False),
        ("{origin}/%70rivate", False),
        ("{origin}/page#/private", True),
        ("{socket}/private", False),  # a request by http all the same
        ("{socket}/page", True),
    ],
)
def test_check_judges_the_url_as_sent(flavour, url, expected):
    with site() as server, open_robot(flavour) as robot:
        url = url.format(origin=server.origin, socket=server.origin.replace("http", "ws"))
        assert robot.check(url).allowed is expected
        assert robot.allowed(url) is expected
        if not expected:
            with pytest.raises(comity.Disallowed):
                robot.get(url)
        assert pages(server) == []


@flavours
@pytest.mark.parametrize("url", ["", "foo", "/foo", "example.com", "example.com:80/", "http://", "http:///x", "//example.com/"])  # fmt: skip
def test_urls_without_a_host(flavour, url):
    with open_robot(flavour) as robot:
        for method in (robot.check, robot.access, robot.get):
            with pytest.raises(comity.InvalidURL):
                method(url)


@flavours
@pytest.mark.parametrize(
    "url", ["mailto:x@example.com", "data:,hello", "file:///etc/hostname", "gopher://127.0.0.1/"]
)
def test_allowed_schemes_that_cannot_be_fetched(flavour, url):
    with open_robot(flavour) as robot:
        assert robot.check(url).reason.code == "unavailable"
        with pytest.raises((comity.InvalidURL, httpx2.UnsupportedProtocol)):
            robot.get(url)


@flavours
def test_redirect_to_websocket(flavour):
    with site() as server, open_robot(flavour) as robot:
        server.routes["/moved"] = redirect(f"{server.origin.replace('http', 'ws')}/private")
        with pytest.raises(comity.Disallowed):
            robot.get(f"{server.origin}/moved")
        assert pages(server) == ["GET /moved"]


# A client as any other ----------------------------------------------------------------------------


@flavours
@pytest.mark.parametrize("where", ["client", "request", "hook"])
def test_identity_headers_cannot_be_overridden(flavour, where):
    false = {"User-Agent": "Mozilla/5.0", "From": "nobody@example.org"}

    def hook(request):
        request.headers.update(false)

    async def async_hook(request):
        hook(request)

    options = {
        "client": {"headers": false},
        "hook": {"event_hooks": {"request": [hook if flavour == "sync" else async_hook]}},
    }
    with site() as server, open_robot(flavour, **options.get(where, {})) as robot:
        robot.get(f"{server.origin}/page", headers=false if where == "request" else None)

    assert server.asked == ["GET /robots.txt", "GET /page"]
    for head in server.heads:
        assert (head["user-agent"], head["from"]) == ("ExampleBot/1.0", "bot@example.com")


@flavours
def test_hooks_cookies_and_credentials(flavour):
    seen = []

    def hook(what):
        seen.append(what)

    async def async_hook(what):
        hook(what)

    hooks = [hook if flavour == "sync" else async_hook]
    with (
        site(**{"first?lang=en": answer(headers={"set-cookie": "taste=sweet"})}) as server,
        open_robot(
            flavour,
            event_hooks={"request": hooks, "response": hooks},
            base_url=server.origin,
            auth=("name", "secret"),
            params={"lang": "en"},
        ) as robot,
    ):
        robot.get("/first")
        response = robot.get("/page")

    assert response.text == "a page"
    assert [type(what) for what in seen] == [httpx2.Request, httpx2.Response] * 2
    robots_txt, _, page = server.heads
    assert server.asked == ["GET /robots.txt", "GET /first?lang=en", "GET /page?lang=en"]
    assert page["cookie"] == "taste=sweet"
    assert page["authorization"].startswith("Basic ")
    assert "cookie" not in robots_txt
    assert robots_txt["authorization"] == page["authorization"]


@flavours
def test_base_url(flavour):
    with site(b"User-agent: *\nDisallow: /en/private\n") as server, open_robot(flavour, base_url=f"{server.origin}/en") as robot:  # fmt: skip
        assert robot.check("/page")
        assert not robot.check("/private")
        assert not robot.check("private")
        assert robot.check("mailto:private")
        assert robot.access("/").origin == server.origin
        with pytest.raises(comity.Disallowed):
            robot.get("/private")
        robot.get("/page")

    assert pages(server) == ["GET /en/page"]


# Turns --------------------------------------------------------------------------------------------


def busy(seconds=None, status=503):
    return answer(status, headers={} if seconds is None else {"retry-after": str(seconds)})


#: What comes before, and how long the next page waits for it, in virtual seconds; on whose word.
GAPS = {
    "nothing": (RULES, [PAGE], {}, 0.0, None),
    "own gap": (RULES, [PAGE], {"delay": 2.5}, 2.5, "own gap"),
    "Crawl-delay": (b"User-agent: *\nCrawl-delay: 10\n", [PAGE], {}, 10.0, "Crawl-delay"),
    "Crawl-delay below the gap": (b"User-agent: *\nCrawl-delay: 1\n", [PAGE], {"delay": 2.5}, 2.5, "own gap"),
    "Crawl-delay above the cap": (b"User-agent: *\nCrawl-delay: 900\n", [PAGE], {}, 300.0, "Crawl-delay"),
    "Crawl-delay above a cap": (b"User-agent: *\nCrawl-delay: 900\n", [PAGE], {"crawl_delay_cap": 20.0}, 20.0, "Crawl-delay"),
    "Crawl-delay of another": (b"User-agent: OtherBot\nCrawl-delay: 900\n", [PAGE], {}, 0.0, None),
    "Request-rate": (b"User-agent: *\nRequest-rate: 1/2m\n", [PAGE], {}, 120.0, "Request-rate"),
    "Request-rate at another time": (b"User-agent: *\nRequest-rate: 1/2m 0600-0845\n", [PAGE], {}, 0.0, None),
    "503": (RULES, [busy()], {}, 30.0, "refused"),
    "429": (RULES, [busy(status=429)], {}, 30.0, "refused"),
    "503 thrice": (RULES, [busy(), busy(), busy()], {}, 120.0, "refused"),
    "503 and a page": (RULES, [busy(), PAGE], {}, 0.0, None),
    "500": (RULES, [answer(500)], {}, 5.0, "refused a request, failed"),
    "502 twice": (RULES, [answer(502), answer(520)], {}, 10.0, "refused a request, failed"),
    "429 twice with Retry-After: 0": (RULES, [busy(0, 429), busy(0, 429)], {}, 60.0, "refused"),
    "404": (RULES, [answer(404)], {}, 0.0, None),
    "Retry-After": (RULES, [busy(120)], {}, 120.0, "named with Retry-After"),
    "Retry-After with a redirect": (RULES, [answer(301, headers={"retry-after": "120"})], {}, 120.0, "named with Retry-After"),
    "Retry-After with a page": (RULES, [busy(120, 200)], {}, 120.0, "named with Retry-After"),
    "Retry-After as a date": (RULES, [busy("Tue, 14 Nov 2023 22:18:20 GMT")], {}, 300.0, "named with Retry-After"),
    "Retry-After in the past": (RULES, [busy("Sun, 06 Nov 1994 08:49:37 GMT")], {}, 0.0, None),
    "Retry-After negative": (RULES, [busy(-120)], {}, 30.0, "refused"),
    "Retry-After of no kind": (RULES, [busy("soon")], {}, 30.0, "refused"),
    "Retry-After of years": (RULES, [busy("9" * 12)], {}, 86_400.0, "named with Retry-After"),
    "reset": (RULES, [Server.resets(None)], {}, 30.0, "did not answer"),
    "no HTTP": (RULES, [b"what"], {}, 30.0, "did not answer"),
    "body cut off": (RULES, [answer(length=9)], {}, 0.0, None),
}  # fmt: skip


@flavours
@pytest.mark.parametrize(("robots_txt", "before", "options", "seconds", "reason"), GAPS.values(), ids=GAPS)
def test_delay_before_next_page(flavour, robots_txt, before, options, seconds, reason):
    clock = FakeClock()
    store = comity.stores.MemoryStore() if flavour == "sync" else comity.stores.AsyncMemoryStore()
    both = {"store": store, "clock": clock, **options}
    with (
        site(robots_txt) as server,
        open_robot(flavour, max_wait=100_000.0, **both) as patient,
        open_robot(flavour, max_wait=0, **both) as hasty,
    ):
        patient.access(server.origin)
        for route in before:
            server.routes["/before"] = route
            with suppress(httpx2.TransportError):
                patient.get(f"{server.origin}/before", follow_redirects=False)
        before_it = clock.now
        if reason is not None:
            with pytest.raises(comity.MustWait) as delay:
                hasty.get(f"{server.origin}/page")
            assert delay.value.seconds == pytest.approx(seconds)
            assert reason in delay.value.reason
        patient.get(f"{server.origin}/page")

    assert clock.now - before_it == pytest.approx(seconds)
    assert server.asked.count("GET /robots.txt") == 1 + (seconds >= 86_400)  # which it has outlived by then
    assert server.asked.count("GET /page") == 1


@flavours
@pytest.mark.parametrize(
    ("window", "hours"),
    [("0600-0845", 7 + 46 / 60 + 40 / 3600), ("2200-0600", 0.0), ("2213-2214", 0.0), ("2200-2212", 23 + 46 / 60 + 40 / 3600)],
)  # fmt: skip
def test_visit_time(flavour, window, hours):
    with site(f"User-agent: *\nVisit-time: {window}\n".encode()) as server:
        with open_robot(flavour, max_wait=3600.0) as robot:
            if hours:
                with pytest.raises(comity.MustWait) as delay:
                    robot.get(f"{server.origin}/page")
                assert delay.value.seconds == pytest.approx(hours * 3600)
                assert delay.value.until == pytest.approx(START + hours * 3600)
                assert "time of day" in delay.value.reason
            robot.clock.now += hours * 3600
            robot.get(f"{server.origin}/page")
            assert robot.clock.slept == []
        with open_robot(flavour, max_wait=86_400.0) as robot:
            robot.get(f"{server.origin}/page")
            assert robot.clock.now - START == pytest.approx(hours * 3600)

    assert pages(server) == ["GET /page"] * 2


@flavours
def test_wait_for_a_site_file_names_the_page(flavour):
    """The page needs tdmrep.json, so it is the page that has to wait."""
    with site(b"User-agent: *\nVisit-time: 0600-0845\n") as server:
        for respect, fetch in (("train-ai", "get"), ((), "page")):
            with open_robot(flavour, respect=respect) as robot, pytest.raises(comity.MustWait) as early:
                getattr(robot, fetch)(f"{server.origin}/page")

            assert (early.value.url, str(early.value.request.url)) == (f"{server.origin}/page",) * 2
            assert str(early.value) == (
                f"{server.origin}/page: the robot must wait 28000.0 s more, until 2023-11-15T06:00:00Z: "
                "Visit-time does not allow requests at this time of day"
            )
    assert set(server.asked) == {"GET /robots.txt"}


@flavours
def test_rules_that_expire_during_wait_are_requested_again(flavour):
    with site() as server, open_robot(flavour, max_wait=100_000.0) as robot:
        server.routes["/busy"] = busy(86_400)
        robot.get(f"{server.origin}/busy")
        server.routes["/robots.txt"] = answer(body=b"User-agent: *\nDisallow: /page\n")
        with pytest.raises(comity.Disallowed):
            robot.get(f"{server.origin}/page")

    assert server.asked == ["GET /robots.txt", "GET /busy", "GET /robots.txt"]


def read_to_the_end(robot, url):
    robot.get(url)


def streamed(robot, url):
    with robot.stream("GET", url) as response:
        robot.load(response)


def left_early(robot, url):
    with robot.stream("GET", url):
        pass


def closed_unread(robot, url):
    robot.close(robot.send(robot.build_request("GET", url), stream=True))


def failed(robot, url):
    with pytest.raises(RuntimeError), robot.stream("GET", url):
        raise RuntimeError


@flavours
@pytest.mark.parametrize("use", [read_to_the_end, streamed, left_early, closed_unread, failed])
def test_finished_response_releases_lease(flavour, use):
    with site() as server, open_robot(flavour, max_wait=0) as robot:
        use(robot, f"{server.origin}/large")
        robot.get(f"{server.origin}/page")

    assert pages(server) == ["GET /large", "GET /page"]


@flavours
def test_one_request_at_a_time(flavour):
    with site() as server, open_robot(flavour, max_wait=0) as robot:
        with robot.stream("GET", f"{server.origin}/page") as response:
            with pytest.raises(comity.MustWait) as delay:
                robot.get(f"{server.origin}/page")
            robot.load(response)
        robot.get(f"{server.origin}/page")

    assert "still open" in delay.value.reason
    assert pages(server) == ["GET /page"] * 2


@flavours
@pytest.mark.parametrize(
    "wrong",
    [Server.resets(None), Server.resets(answer(length=9)), b"", b"what", answer(length=9), answer("fine")],
    ids=["reset", "reset in the body", "nothing", "no HTTP", "cut off", "no status"],
)
def test_failed_request_releases_lease(flavour, wrong):
    with site(wrong=wrong) as server, open_robot(flavour) as robot:
        for _ in range(2):
            with pytest.raises(httpx2.TransportError):
                robot.get(f"{server.origin}/wrong")
        response = robot.get(f"{server.origin}/page")

        assert response.text == "a page"
        assert sum(robot.clock.slept) < 300  # no lease had to run out


@flavours
@pytest.mark.parametrize("where", ["head", "body"])
def test_timed_out_request_releases_lease(flavour, where):
    with site() as server, open_robot(flavour, timeout=60.0) as robot:
        server.routes["/slow"] = server.silent if where == "head" else server.drips(b"#", seconds=20)
        if where == "head":
            with pytest.raises(httpx2.TimeoutException):
                robot.get(f"{server.origin}/slow", timeout=0.2)
        else:
            with robot.stream("GET", f"{server.origin}/slow") as response:
                response.request.extensions["timeout"]["read"] = 0.2  # the head may take longer
                with pytest.raises(httpx2.TimeoutException):
                    robot.load(response)
        response = robot.get(f"{server.origin}/page")

        assert response.text == "a page"
        assert sum(robot.clock.slept) == (30.0 if where == "head" else 0.0)


@flavours
def test_endless_redirects_release_lease(flavour):
    with (
        site(circle=redirect("/circle")) as server,
        open_robot(flavour, max_redirects=3, max_wait=0) as robot,
    ):
        with pytest.raises(httpx2.TooManyRedirects):
            robot.get(f"{server.origin}/circle")
        robot.get(f"{server.origin}/page")

    assert pages(server) == ["GET /circle"] * 4 + ["GET /page"]


@flavours
def test_concurrent_requests_wait_for_each_other(flavour):
    """A robots.txt is asked for once, and each request finds the server alone with it."""
    at_once, most, lock = [0], [0], threading.Lock()

    def route(connection):
        with lock:
            at_once[0] += 1
            most[0] = max(most[0], at_once[0])
        connection.sendall(PAGE[:-1])
        with lock:
            at_once[0] -= 1
        connection.sendall(PAGE[-1:])

    with site(page=route) as server, open_robot(flavour) as robot, ThreadPoolExecutor(8) as crowd:
        answers = [crowd.submit(robot.get, f"{server.origin}/page") for _ in range(24)]
        assert {answer.result().text for answer in answers} == {"a page"}

    assert most == [1]
    assert server.asked == ["GET /robots.txt", *["GET /page"] * 24]


# Logins -------------------------------------------------------------------------------------------


@flavours
@pytest.mark.parametrize("respect", [(), "search", "train-ai"])
@pytest.mark.parametrize("method", ["get", "page"])
@pytest.mark.parametrize("login", ["client", "request", "url"])
def test_login_is_sent_to_its_origin_only(flavour, respect, method, login):
    none = {"ai.txt": answer(404), ".well-known/tdmrep.json": answer(404)}
    with site(**none) as other, site(moved=redirect(f"{other.origin}/page"), **none) as server:
        auth = {"auth": ("bot", "secret")}
        url = f"{server.origin}/moved"
        if login == "url":
            url = url.replace("//", "//bot:secret@")
        with open_robot(flavour, respect=respect, **(auth if login == "client" else {})) as robot:
            getattr(robot, method)(url, **(auth if login == "request" else {}))

    assert server.asked[0] == "GET /robots.txt"
    assert server.asked[-1] == "GET /moved"
    assert all(head["authorization"] == "Basic Ym90OnNlY3JldA==" for head in server.heads)
    assert "GET /page" in other.asked
    assert not any("authorization" in head for head in other.heads)


@flavours
@pytest.mark.parametrize("respect", [(), "train-ai"])
@pytest.mark.parametrize("method", ["get", "page"])
def test_robots_txt_behind_login_is_obeyed(flavour, respect, method):
    routes = {"/robots.txt": answer(body=RULES)}
    with Server(routes, login=("bot", "secret")) as server, open_robot(flavour, respect=respect) as robot:
        with pytest.raises(comity.Disallowed):
            getattr(robot, method)(f"{server.origin}/private", auth=("bot", "secret"))
        assert server.asked == ["GET /robots.txt"]
