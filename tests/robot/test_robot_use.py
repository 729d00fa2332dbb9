"""A robot reads pages, and returns no content that a site reserves from the robot's uses."""

import json
import pickle
import threading
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256

import anyio
import anyio.to_thread
import httpx2
import pytest
from http_server import Server, answer, redirect, unused_port
from robot_flavours import FLAVOURS, open_robot

import comity
from comity.robot._async import reader

flavours = pytest.mark.parametrize("flavour", FLAVOURS)

HTML = {"content-type": "text/html; charset=utf-8"}
LINKS = b'<a href="/tea">Tea</a> <a href="ugly" rel="nofollow">x</a> <a href="mailto:a@b">y</a> <a href="//other.example/z">z</a>'


def page(body=b"", status=200, **headers):
    """Answer with a page; `x_robots_tag="noindex"` is a header field."""
    fields = {name.replace("_", "-"): value for name, value in headers.items()}
    return answer(status, body, {**HTML, **fields})


def site(route, robots_txt=b"User-agent: *\nDisallow: /private\n", **routes):
    return Server(
        {
            "/robots.txt": answer(body=robots_txt),
            "/page": route,
            **{f"/{name}": other for name, other in routes.items()},
        }
    )


#: What a site is asked for besides, when its pages are read.
FILES = ["/.well-known/tdmrep.json", "/ai.txt"]


def pages(server):
    return [request.removeprefix("GET ") for request in server.asked if request != "GET /robots.txt"]


# Reading ------------------------------------------------------------------------------------------


@flavours
@pytest.mark.parametrize(
    ("route", "links"),
    [
        (page(LINKS), ["/tea", "http://other.example/z"]),
        (page(LINKS, status=404), ["/tea", "http://other.example/z"]),
        (page(b"<meta name=robots content=nofollow>" + LINKS), []),
        (page(b"<meta name=examplebot content=none>" + LINKS), []),
        (page(b"<meta name=otherbot content=none>" + LINKS), ["/tea", "http://other.example/z"]),
        (page(LINKS, x_robots_tag="nofollow"), []),
        (page(LINKS, x_robots_tag="noindex, ExampleBot: nofollow"), []),
        (page(LINKS, x_robots_tag="otherbot: nofollow"), ["/tea", "http://other.example/z"]),
        (page(b"<base href=/a/>" + LINKS.replace(b'"/tea', b'"tea')), ["/a/tea", "http://other.example/z"]),
        (answer(body=LINKS), []),  # text/plain
        (answer(body=LINKS, headers={"content-type": "image/svg"}), []),
        (
            answer(body=LINKS, headers={"content-type": "text/html charset=utf-8"}),
            ["/tea", "http://other.example/z"],
        ),
        (answer(body=LINKS, headers={"content-type": "*/*"}), ["/tea", "http://other.example/z"]),
        (answer(body=LINKS, headers={"content-type": ""}), ["/tea", "http://other.example/z"]),
    ],
)
def test_links_of_a_page(flavour, route, links):
    with site(route) as server, open_robot(flavour) as robot:
        read = robot.page(f"{server.origin}/page")

    assert [link.url.removeprefix(server.origin) for link in read.links] == links


@flavours
def test_report_of_a_page(flavour):
    body = (
        b'<meta name="robots" content="noarchive, max-snippet:20">\n<meta name="tdm-reservation" content="1">'
    )
    with site(page(body, x_robots_tag="noindex")) as server, open_robot(flavour) as robot:
        read = robot.page(f"{server.origin}/page")

    said = read.directives
    assert (bool(said.index), said.index.source) == (False, "X-Robots-Tag: noindex")
    assert (bool(said.archive), said.archive.line) == (False, 1)
    assert (bool(said.follow), bool(said.snippet), said.max_snippet) == (True, True, 20)
    assert not read.usage.permits("train-ai")
    assert str(read.usage.deciding("train-ai")) == "meta line 2 `tdm-reservation: 1`"
    assert (read.status, read.url, read.body) == (200, f"{server.origin}/page", body)
    assert "it may not index the page: `noindex` (X-Robots-Tag: noindex)" in read.explain()
    assert json.loads(json.dumps(read.record()))["archive"]["line"] == 1
    assert pickle.loads(pickle.dumps(read)) == read


@flavours
def test_page_is_read_at_its_final_url(flavour):
    route = redirect("/elsewhere/")
    with site(route, **{"elsewhere/": page(b"<a href=tea>")}) as server, open_robot(flavour) as robot:
        read = robot.page(f"{server.origin}/page")
        again = robot.robot.build_request("GET", read.url)

    assert read.hops == (f"{server.origin}/page",)
    assert read.url == str(again.url) == f"{server.origin}/elsewhere/"
    assert [link.url for link in read.links] == [f"{server.origin}/elsewhere/tea"]


@flavours
def test_password_is_not_logged(flavour):
    log = []
    with site(page(b"<a href=tea>")) as server, open_robot(flavour, log=log.append) as robot:
        read = robot.page(f"{server.origin}/page".replace("//", "//user:secret@"))
        with pytest.raises(comity.Disallowed) as refusal:
            robot.get(f"{server.origin}/private".replace("//", "//user:secret@"))

    assert "secret" not in f"{log} {read.url} {read.explain()} {refusal.value} {refusal.value.url}"
    assert [link.url for link in read.links] == [f"{server.origin}/tea"]


def test_cancelled_page_is_not_awaited():
    """Reading a page of many tags takes seconds; a task that is cancelled meanwhile goes on at once."""
    judging, go_on = threading.Event(), threading.Event()

    def read(*arguments, **named):
        judging.set()
        assert go_on.wait()
        raise RuntimeError("no use to respect")

    async def give_up(robot, url):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(robot.page, url)
            await anyio.to_thread.run_sync(judging.wait)
            tasks.cancel_scope.cancel()
        go_on.set()

    with site(page(b"<p>" * 10_000)) as server, pytest.MonkeyPatch.context() as patch:
        patch.setattr(reader, "page_of_response", read)
        robot = comity.AsyncRobot("ExampleBot/1.0", contact="a@example.com", delay=0.0, trust_env=False)
        anyio.run(give_up, robot, f"{server.origin}/page")
    assert judging.is_set()


@flavours
def test_read_accepts_a_response(flavour):
    with site(page(LINKS, x_robots_tag="noindex")) as server, open_robot(flavour) as robot:
        response = robot.get(f"{server.origin}/page")
        read = robot.read(response)

    assert not read.directives.index
    assert len(list(read.links)) == 2
    assert sorted(pages(server)) == sorted([*FILES, "/page"])


@flavours
def test_page_of_disallowed_url_is_not_fetched(flavour):
    with site(page()) as server, open_robot(flavour) as robot, pytest.raises(comity.Disallowed):
        robot.page(f"{server.origin}/private")
    assert pages(server) == []


@flavours
def test_page_is_fetched_up_to_limit(flavour):
    with Server() as server, open_robot(flavour) as robot:
        head = b"HTTP/1.1 200 OK\r\ncontent-type: text/html\r\n\r\n<meta name=robots content=noindex>"
        server.routes["*"] = server.endless(b"x" * 1_000_000, head=head)
        server.routes["/robots.txt"] = answer(404)
        read = robot.page(f"{server.origin}/page")

    assert not read.directives.index
    assert read.directives.truncated
    assert 15_000_000 < len(read.body) < 20_000_000


@flavours
def test_endless_page_times_out(flavour):
    with Server({"/robots.txt": answer(404)}) as server, open_robot(flavour) as robot:

        def drips(connection):
            connection.sendall(b"HTTP/1.1 200 OK\r\ncontent-type: text/html\r\n\r\n")
            while not server.closing:
                robot.clock.now += 20
                connection.sendall(b"<p>")

        server.routes["/page"] = drips
        with pytest.raises(httpx2.ReadTimeout):
            robot.page(f"{server.origin}/page")


# Uses ---------------------------------------------------------------------------------------------

CLOSED = b"User-agent: *\nContent-Usage: train-ai=n\nContent-Usage: /open train-ai=y\n"
SIGNAL = b"User-agent: *\nContent-Signal: ai-train=no, search=yes\n"
RESERVED = b'[{"location": "/", "tdm-reservation": 1}]'
META = b'<meta name="tdm-reservation" content="%d">'

#: robots.txt, the page, other files of the site; whether the page was fetched, and what decides.
LEFT_OUT = [
    (CLOSED, page(), {}, False, "robots.txt line 2 `Content-Usage: train-ai=n`"),
    (SIGNAL, page(), {}, False, "robots.txt line 2 `Content-Signal: ai-train=no, search=yes`"),
    (b"", page(content_usage="train-ai=n"), {}, True, "header `Content-Usage: train-ai=n`"),
    (b"", page(content_signal="ai-train=no"), {}, True, "header `Content-Signal: ai-train=no`"),
    (b"", page(x_robots_tag="noai"), {}, True, "header `X-Robots-Tag: noai`"),
    (b"", page(tdm_reservation="1"), {}, True, "header `tdm-reservation: 1`"),
    (b"", page(META % 1), {}, True, "meta line 1 `tdm-reservation: 1`"),
    (b"", page(b"\n<meta name=ExampleBot content='noai'>"), {}, True, "meta line 2 `noai`"),
    (b"", page(), {".well-known/tdmrep.json": answer(body=RESERVED)}, True, "tdmrep.json entry 1"),
    (b"", page(), {"ai.txt": answer(body=b"User-agent: *\nDisallow: /")}, False, "ai.txt line 2 `Disallow: /`"),
]  # fmt: skip

#: The same of what is handed out, since nothing disallows it, or what does is taken back closer to the page.
HANDED_OUT = [
    (b"", page(), {}),
    (CLOSED.replace(b"/open", b"/page"), page(), {}),
    (SIGNAL.replace(b"=no", b"=yes"), page(), {}),
    (b"User-agent: OtherBot\nContent-Usage: train-ai=n\n", page(), {}),
    (b"", page(x_robots_tag="otherbot: noai"), {}),
    (b"", page(META % 0, tdm_reservation="1"), {}),
    (b"", page(tdm_reservation="0"), {".well-known/tdmrep.json": answer(body=RESERVED)}),
    (b"", page(), {".well-known/tdmrep.json": page(RESERVED)}),  # an HTML page for every URL
    (b"", page(), {"ai.txt": answer(403), ".well-known/tdmrep.json": answer(410)}),
    (b"", page(), {"ai.txt": redirect("/ai.txt"), ".well-known/tdmrep.json": redirect("http://[/")}),
    (b"User-agent: *\nDisallow: /ai.txt", page(), {"ai.txt": answer(body=b"User-agent: *\nDisallow: /")}),
]  # fmt: skip


@flavours
@pytest.mark.parametrize("method", ["get", "page"])
@pytest.mark.parametrize(("robots_txt", "route", "files", "made", "deciding"), LEFT_OUT)
def test_disallowed_use_raises(flavour, method, robots_txt, route, files, made, deciding):
    log = []
    with (
        site(route, robots_txt, **files) as server,
        open_robot(flavour, respect="train-ai", log=log.append) as robot,
        pytest.raises(comity.UsageDisallowed) as refusal,
    ):
        getattr(robot, method)(f"{server.origin}/page")

    assert (refusal.value.category, refusal.value.url) == ("train-ai", f"{server.origin}/page")
    assert deciding in str(refusal.value)
    assert isinstance(refusal.value, httpx2.TransportError)
    assert refusal.value.request.url == refusal.value.url
    assert ("/page" in pages(server)) is made
    left_out = log[-1]
    assert (left_out["url"], left_out["made"], left_out["reason"]) == (
        refusal.value.url,
        made,
        "usage-disallowed",
    )
    assert left_out["usage"]["train-ai"]["preference"] == "disallow"
    assert left_out["respect"] == {"uses": ["train-ai"], "only_if_allowed": False}
    assert left_out["robots"]["outcome"] == "rules"
    assert deciding in left_out["usage"]["train-ai"]["by"]
    again = pickle.loads(pickle.dumps(refusal.value))
    assert (again.category, again.usage, str(again)) == ("train-ai", refusal.value.usage, str(refusal.value))


#: The use, the page, and what decides; None if the page is returned.
SEARCHED = [
    ("search", page(b"<meta name=robots content=noindex>"), "meta line 1 `noindex`"),
    ("search", page(x_robots_tag="none"), "header `X-Robots-Tag: none`"),
    ("search", page(x_robots_tag="unavailable_after: 1 Jan 1999"), "unavailable_after: 1 Jan 1999"),
    ("search", page(x_robots_tag="unavailable_after: 1 Jan 2999"), None),
    ("search", page(x_robots_tag="otherbot: noindex"), None),
    ("search", page(b"<meta name=robots content=nosnippet>"), None),
    ("index", page(b"<meta name=robots content=noindex>"), "`noindex` (meta robots, line 1)"),
    ("index", page(x_robots_tag="noindex"), "`noindex` (X-Robots-Tag: noindex)"),
    ("index", page(content_usage="search=n"), None),
    ("index", page(x_robots_tag="noindex", status=404), None),
    ("train-ai", page(x_robots_tag="noindex"), None),
]  # fmt: skip


@flavours
@pytest.mark.parametrize("method", ["get", "page"])
@pytest.mark.parametrize(("use", "route", "deciding"), SEARCHED)
def test_respect_of_noindex(flavour, method, use, route, deciding):
    refusal = None
    with site(route, b"User-agent: *\nNoindex: /page") as server, open_robot(flavour, respect=use) as robot:
        try:
            getattr(robot, method)(f"{server.origin}/page")
        except comity.UsageDisallowed as error:
            refusal = error

    if deciding is None:
        assert refusal is None
    else:
        assert (refusal.category, deciding in refusal.reason) == (use, True)


@flavours
def test_index_must_be_allowed_explicitly_if_required(flavour):
    options = {"respect": "index", "only_if_allowed": True}
    said = page(b"<meta name=robots content=all>")
    with site(page(), said=said) as server, open_robot(flavour, **options) as robot:
        assert robot.page(f"{server.origin}/said").directives.index
        with pytest.raises(comity.UsageDisallowed, match="no statement about index"):
            robot.get(f"{server.origin}/page")


@flavours
def test_refused_page_has_its_links(flavour):
    with (
        site(page(b"<meta name=robots content=noindex>" + LINKS)) as server,
        open_robot(flavour, respect="index") as robot,
        pytest.raises(comity.UsageDisallowed) as refusal,
    ):
        robot.page(f"{server.origin}/page")

    assert [link.url for link in refusal.value.page.links] == [
        f"{server.origin}/tea",
        "http://other.example/z",
    ]


@flavours
@pytest.mark.parametrize("method", ["get", "page"])
@pytest.mark.parametrize(("robots_txt", "route", "files"), HANDED_OUT)
def test_permitted_use_returns_content(flavour, method, robots_txt, route, files):
    with site(route, robots_txt, **files) as server, open_robot(flavour, respect=["train-ai"]) as robot:
        getattr(robot, method)(f"{server.origin}/page")

    assert pages(server)[-1] == "/page"


@flavours
@pytest.mark.parametrize(
    ("robots_txt", "route", "handed_out"),
    [
        (b"", page(), False),
        (CLOSED.replace(b"/open", b"/page"), page(), True),
        (b"", page(content_usage="train-ai=y"), True),
        (b"", page(META % 0), True),
        (b"", page(content_usage="search=y"), False),
        (CLOSED.replace(b"/open", b"/page"), page(META % 1), False),
        (b"", page(status=404), True),  # without content
        (b"", redirect("/moved"), False),
    ],
)
def test_only_if_allowed(flavour, robots_txt, route, handed_out):
    options = {"respect": "train-ai", "only_if_allowed": True}
    with site(route, robots_txt, moved=page()) as server, open_robot(flavour, **options) as robot:
        if handed_out:
            robot.get(f"{server.origin}/page")
        else:
            with pytest.raises(comity.UsageDisallowed):
                robot.get(f"{server.origin}/page")


@flavours
def test_stream_is_refused_before_reading(flavour):
    with (
        site(
            page(b"x", content_usage="train-ai=n"), more=page(tdm_reservation="1"), free=page(b"y")
        ) as server,
        open_robot(flavour, respect="train-ai") as robot,
    ):
        for path in ("/page", "/more"):
            with pytest.raises(comity.UsageDisallowed), robot.stream("GET", f"{server.origin}{path}"):
                pass
        with robot.stream("GET", f"{server.origin}/free") as response:
            assert robot.load(response) == b"y"


@flavours
def test_stream_redirected_to_another_site(flavour):
    with (
        site(page(b"y")) as other,
        site(redirect(f"{other.origin}/page")) as server,
        open_robot(flavour, respect="train-ai") as robot,
        robot.stream("GET", f"{server.origin}/page") as response,
    ):
        assert robot.load(response) == b"y"
    assert pages(other) == [*FILES, "/page"]


@flavours
def test_redirect_to_content_with_disallowed_use(flavour):
    with (
        site(page(), CLOSED) as other,
        site(redirect(f"{other.origin}/page"), b"") as server,
        open_robot(flavour, respect="train-ai") as robot,
        pytest.raises(comity.UsageDisallowed) as refusal,
    ):
        robot.get(f"{server.origin}/page")

    assert refusal.value.url == f"{other.origin}/page"
    assert pages(other) == []


@flavours
def test_site_files_are_requested_once(flavour):
    with site(page()) as server, open_robot(flavour, respect="train-ai") as robot:
        for _ in range(3):
            robot.get(f"{server.origin}/page")
        robot.clock.now += 90_000
        robot.page(f"{server.origin}/page")

    assert pages(server) == [*FILES, *["/page"] * 3, *FILES, "/page"]


@flavours
def test_site_files_are_requested_if_needed(flavour):
    with site(page()) as server, open_robot(flavour) as robot:
        robot.get(f"{server.origin}/page")
        assert pages(server) == ["/page"]
        robot.page(f"{server.origin}/page")
        assert pages(server) == ["/page", *FILES, "/page"]
    with site(page()) as server, open_robot(flavour, respect=("search",)) as robot:
        robot.get(f"{server.origin}/page")
        robot.page(f"{server.origin}/page")
        assert pages(server) == ["/page"] * 2


def test_site_files_are_requested_once_by_many_tasks():
    with (
        site(page()) as server,
        open_robot("sync", respect="train-ai") as robot,
        ThreadPoolExecutor(8) as pool,
    ):
        list(pool.map(robot.page, [f"{server.origin}/page"] * 8))

    assert sorted(pages(server)) == sorted([*FILES, *["/page"] * 8])


#: Unavailable site files, and the reasons.
UNHEARD = [
    ("ai.txt", answer(503), "its server answers 503"),
    (".well-known/tdmrep.json", answer(500), "its server answers 500"),
    (".well-known/tdmrep.json", answer(429), "its server answers 429"),
    (".well-known/tdmrep.json", answer(401), "its server answers 401"),
    ("ai.txt", answer(401), "its server answers 401"),
    (".well-known/tdmrep.json", redirect(f"http://127.0.0.1:{unused_port()}/"), "is unavailable"),
    ("ai.txt", Server.resets(None), "is unavailable"),
]


@flavours
@pytest.mark.parametrize("method", ["get", "page"])
@pytest.mark.parametrize(("path", "route", "why"), UNHEARD)
def test_unavailable_site_file_prevents_fetch(flavour, method, path, route, why):
    log = []
    with (
        site(page(), **{path: route}) as server,
        open_robot(flavour, respect="train-ai", log=log.append) as robot,
    ):
        for _ in range(2):
            with pytest.raises(comity.UsageDisallowed) as refusal:
                getattr(robot, method)(f"{server.origin}/page")
        assert "whether train-ai is disallowed is not known: " in str(refusal.value)
        assert f"/{path} is unavailable" in str(refusal.value)
        assert why in str(refusal.value)
        left_out = log[-1]
        assert (left_out["made"], left_out["reason"], left_out["status"]) == (False, "usage-disallowed", None)
        assert left_out["error"] == refusal.value.reason
        assert left_out["usage"]["train-ai"] == {"preference": "unknown", "by": None}
        assert "/page" not in pages(server)
        assert pages(server).count(f"/{path}") == 1  # and not again for a while

        server.routes[f"/{path}"] = answer(404)
        robot.clock.now += 3600
        getattr(robot, method)(f"{server.origin}/page")
        assert pages(server)[-1] == "/page"


@flavours
def test_unavailable_sources_without_respect(flavour):
    with site(page(LINKS), **{"ai.txt": answer(503)}) as server, open_robot(flavour) as robot:
        read = robot.page(f"{server.origin}/page")

    assert read.unavailable_sources == f"{server.origin}/ai.txt is unavailable: its server answers 503"
    assert read.unavailable_sources in read.explain()
    assert len(list(read.links)) == 2


@flavours
@pytest.mark.parametrize("method", ["get", "page"])
def test_page_longer_than_limit_raises_with_respect(flavour, method):
    body = b"<p>tea</p>" + b"tea\n" * 3_750_000 + b'<meta name="robots" content="noai">'
    with (
        site(page(body)) as server,
        open_robot(flavour, respect="train-ai") as robot,
        pytest.raises(comity.UsageDisallowed, match="only the first 15,000,000 bytes were read"),
    ):
        getattr(robot, method)(f"{server.origin}/page")


@flavours
def test_refused_page_has_links(flavour):
    with (
        site(page(b'<meta name="robots" content="noai">' + LINKS)) as server,
        open_robot(flavour, respect="train-ai") as robot,
        pytest.raises(comity.UsageDisallowed) as refusal,
    ):
        robot.page(f"{server.origin}/page")

    assert len(list(refusal.value.page.links)) == 2
    assert refusal.value.page.body == b""
    assert pickle.loads(pickle.dumps(refusal.value)).page == refusal.value.page


@flavours
def test_site_files_of_disallowed_page_are_not_requested(flavour):
    with (
        site(page()) as server,
        open_robot(flavour, respect="train-ai") as robot,
        pytest.raises(comity.Disallowed),
    ):
        robot.get(f"{server.origin}/private")
    assert pages(server) == []


@flavours
def test_usage_is_logged_without_respect(flavour):
    log = []
    robots_txt = b"User-agent: *\nContent-Signal: search=yes\n"
    body = b'<meta name="robots" content="noindex"><meta name="tdm-reservation" content="1">'
    with (
        site(page(body, content_usage="train-ai=n"), robots_txt) as server,
        open_robot(flavour, log=log.append) as robot,
    ):
        robot.page(f"{server.origin}/page")
    asked, *_, fetched, read = log

    assert asked["usage"] is None
    assert {name: said["preference"] for name, said in fetched["usage"].items()} == {
        "search": "allow",
        "train-ai": "disallow",
    }
    assert (fetched["reason"], fetched["page"]) == ("group-without-rules", None)
    assert (read["reason"], read["made"], read["status"]) == ("page-read", True, 200)
    assert read["page"] == {
        "sha256": sha256(body).hexdigest(),
        "hops": [],
        "forbids": {"index": "noindex (meta robots, line 1)"},
        "unavailable_sources": None,
    }
    assert read["usage"]["ai-input"] == {"preference": "unknown", "by": None}
    assert read["robots"] == fetched["robots"]
    assert read["respect"] is None
    assert read["usage"]["tdm"] == {"preference": "disallow", "by": "meta line 1 `tdm-reservation: 1`"}
    json.dumps(log)


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"respect": "training"}, comity.InvalidArgument),
        ({"respect": ("train-ai", "x"), "only_if_allowed": True}, comity.InvalidArgument),
        ({"respect": "train-genai"}, comity.InvalidArgument),
        ({"vocabulary": "mine"}, comity.InvalidArgument),
        ({"only_if_allowed": True}, ValueError),
    ],
)
def test_unknown_use_raises(options, error):
    with pytest.raises(error):
        comity.Robot("ExampleBot/1.0", contact="bot@example.com", **options)


@flavours
def test_other_vocabulary(flavour):
    labels = comity.Vocabulary("ours", ("train-ai", "translate"))
    with (
        site(page(), b"User-agent: *\nContent-Usage: translate=n\n") as server,
        open_robot(flavour, respect="translate", vocabulary=labels) as robot,
        pytest.raises(comity.UsageDisallowed) as refusal,
    ):
        robot.get(f"{server.origin}/page")
    assert refusal.value.category == "translate"


@flavours
def test_message_about_an_invalid_url_has_no_password(flavour):
    with open_robot(flavour) as robot, pytest.raises(httpx2.InvalidURL) as error:
        robot.check("http://user:hunter2/x@site.example/")

    assert str(error.value) == "'http://site.example/' is not valid; write / as %2F in a password"


@pytest.mark.parametrize("server", ["redis://:hunter2/x@site.example", "foo://:hunter2@site.example"])
def test_message_about_an_invalid_store_has_no_password(server):
    pytest.importorskip("redis")
    with pytest.raises(comity.InvalidArgument) as error:
        comity.stores.RedisStore(server)

    assert "hunter2" not in str(error.value)
