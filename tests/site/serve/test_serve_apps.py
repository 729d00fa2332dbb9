"""A site in front of applications: each framework by its own test client, and the protocols by hand."""

import io
import warnings
from contextlib import contextmanager
from wsgiref.util import FileWrapper
from wsgiref.validate import validator

import anyio
import pytest
import web_apps
from hypothesis import given
from hypothesis import strategies as st

import comity
from comity.integrations import asgi, wsgi
from comity.site.serve import HeaderRule, ServedRequest, Site

# Frameworks ---------------------------------------------------------------------------------------


class Reply:
    """What every test client gives, in the same words."""

    def __init__(self, status, lines, text):
        self.status = status
        self.text = text
        self._lines = [(name.lower(), value) for name, value in lines]

    def __getitem__(self, name):
        return ", ".join(value for known, value in self._lines if known == name)


@contextmanager
def flask_client(site):
    with web_apps.flask_app(site).test_client() as client:

        def ask(method, path, headers):
            with client.open(path, method=method, headers=headers) as found:
                return Reply(found.status_code, found.headers.items(), found.get_data(as_text=True))

        yield ask


def starlette_client_of(make):
    @contextmanager
    def opened(site):
        from starlette.testclient import TestClient

        with TestClient(make(site), raise_server_exceptions=False) as client:

            def ask(method, path, headers):
                found = client.request(method, path, headers=headers)
                return Reply(found.status_code, found.headers.multi_items(), found.text)

            yield ask

    return opened


@contextmanager
def django_client(site):
    web_apps.django_settings()
    from django.test import Client, override_settings

    with override_settings(COMITY_SITE=site):

        def ask(method, path, headers):
            found = Client(raise_request_exception=False).generic(method, path, headers=headers)
            text = b"".join(found).decode()
            found.close()
            return Reply(found.status_code, found.items(), text)

        yield ask


@contextmanager
def django_async_client(site):
    web_apps.django_settings()
    from django.test import AsyncClient, override_settings

    async def fetch(method, path, headers):
        found = await AsyncClient(raise_request_exception=False).generic(method, path, headers=headers)
        if getattr(found, "is_async", False):
            text = b"".join([piece async for piece in found]).decode()
        else:
            text = b"".join(found).decode()
        return Reply(found.status_code, found.items(), text)

    with override_settings(COMITY_SITE=site):
        yield lambda *request: anyio.run(fetch, *request)


CLIENTS = {
    "flask": flask_client,
    "starlette": starlette_client_of(web_apps.starlette_app),
    "fastapi": starlette_client_of(web_apps.fastapi_app),
    "django": django_client,
    "django async": django_async_client,
}

frameworks = pytest.mark.parametrize("client", CLIENTS.values(), ids=CLIENTS)


@frameworks
def test_fields_of_each_path(client):
    with client(web_apps.site()) as ask:
        for path, (tags, usage) in web_apps.SAID.items():
            if client is django_async_client and "%C3" in path:
                continue  # it decodes paths as ISO 8859-1, unlike any server
            for method in ("GET", "HEAD"):
                found = ask(method, path, {})
                if method == "HEAD" and found.status == 405:
                    continue  # FastAPI answers HEAD only on request
                assert found.status == (404 if "missing" in path else 200)
                assert (found["x-robots-tag"], found["content-usage"]) == (tags, usage), path


@frameworks
def test_robots_txt(client):
    with client(web_apps.site()) as ask:
        found = ask("GET", "/robots.txt", {})
        head = ask("HEAD", "/robots.txt", {})
        again = ask("GET", "/robots.txt", {"If-None-Match": found["etag"]})
        other = ask("POST", "/robots.txt", {})
        below = ask("GET", "/drafts/robots.txt", {})

    assert (found.status, found.text) == (200, web_apps.ROBOTS.decode())
    assert found["content-type"] == "text/plain; charset=utf-8"
    assert found["content-length"] == str(len(web_apps.ROBOTS))
    assert (found["cache-control"], found["x-robots-tag"]) == ("max-age=3600", "")
    assert (head.status, head.text, head["content-length"]) == (200, "", found["content-length"])
    assert (again.status, again.text, again["etag"]) == (304, "", found["etag"])
    assert again["content-type"] == ""
    assert (other.status, other["allow"]) == (405, "GET, HEAD, OPTIONS")
    assert (below.text, below["x-robots-tag"]) == ("Tea.", "noindex, nofollow")


@frameworks
def test_streams_are_not_buffered(client):
    with client(web_apps.site("staging")) as ask:
        found = ask("GET", "/stream", {})

    assert (found.status, found.text, found["x-robots-tag"]) == (200, "Tea, slowly.", "noindex, nofollow")


@frameworks
def test_closed_site(client):
    with client(web_apps.site("staging")) as ask:
        for path, status in (
            ("/", 200),
            ("/drafts/open/plan", 200),
            ("/own", 200),
            ("/missing", 404),
            ("/boom", 500),
        ):
            found = ask("GET", path, {})
            page = comity.page_directives(headers={"x-robots-tag": found["x-robots-tag"]}, agent="ExampleBot")
            usage = comity.usage(
                path, headers=[("content-usage", found["content-usage"])], agent="ExampleBot"
            )
            assert found.status == status
            assert not page.index
            assert not page.follow
            assert not usage.permits("train-ai")
            assert not usage.permits("search")
        assert not comity.parse(ask("GET", "/robots.txt", {}).text).allowed("/", agent="ExampleBot")


def test_django_without_setting_raises():
    web_apps.django_settings()
    from django.core.exceptions import ImproperlyConfigured
    from django.test import Client, override_settings

    with override_settings(COMITY_SITE=b"User-agent: *"), pytest.raises(ImproperlyConfigured) as complaint:
        Client().get("/")

    assert (
        "COMITY_SITE must be a comity.site.serve.Site or Sites, or a function of a request, not b'User-agent: *'"
        in str(complaint.value)
    )


def test_django_paths_that_are_not_utf_8():
    """Django escapes such bytes, and they are compared in their original form."""
    web_apps.django_settings()
    from django.test import Client, override_settings

    site = Site(None, environment="production", headers=[HeaderRule("/caf%E9", "noindex")])
    with override_settings(COMITY_SITE=site):
        assert Client().get("/caf%E9")["X-Robots-Tag"] == "noindex"
        assert "X-Robots-Tag" not in Client().get("/caf%C3%A9")


@pytest.mark.parametrize(
    ("pattern", "path", "has_noindex"),
    [
        ("/caf%25E9", "/caf%25E9", True),  # both are one to Django, and to the site's owner they are in doubt
        ("/caf%25E9", "/caf%E9", True),
        ("/caf%E9", "/caf%25E9", True),
        ("/a%E9/b%25E9", "/a%E9/b%25E9", True),  # each for itself
        ("/caf%C3%A9", "/caf%25C3%25A9", False),  # which Django would have decoded
        ("/caf%25C3%25A9", "/caf%25C3%25A9", True),
        ("/%25E9%25E9%25E9%25E9%25E9%25E9", "/%25E9%25E9%25E9%25E9%25E9%25E9", True),
        ("/%E9%E9%E9%E9%E9%E9", "/%E9%E9%E9%E9%E9%E9", True),
        ("/caf%25e9", "/caf%25e9", True),  # Django writes upper case alone
    ],
)
def test_django_ambiguous_paths(pattern, path, has_noindex):
    """Under WSGI, Django passes a byte that is not UTF-8 like an escape that was escaped."""
    web_apps.django_settings()
    from django.test import Client, override_settings

    rules = [HeaderRule(pattern, "noindex", "train-ai=n"), HeaderRule("/", "all", "train-ai=y")]
    with override_settings(COMITY_SITE=Site(None, environment="production", headers=rules)):
        found = Client().get(path)
    assert ("noindex" in found["X-Robots-Tag"]) is has_noindex
    assert found["Content-Usage"] == f"train-ai={'n' if has_noindex else 'y'}"


def test_django_many_escapes_are_fast():
    web_apps.django_settings()
    from comity.integrations.django import _paths

    assert len(_paths(b"/" + b"%E9" * 10_000)) == 32


def test_django_below_a_path():
    web_apps.django_settings()
    from django.test import Client, override_settings

    with override_settings(COMITY_SITE=web_apps.site(), FORCE_SCRIPT_NAME="/drafts"):
        found = Client().get("/robots.txt")
        assert (found.content, found["X-Robots-Tag"]) == (b"Tea.", "noindex, nofollow")


def test_starlette_add_middleware_misses_failures():
    """Which Starlette answers outside of all its middlewares; so docs/reference/serve.md has it around the whole."""
    from starlette.applications import Starlette
    from starlette.routing import Route
    from starlette.testclient import TestClient

    async def fails(request):
        raise ValueError

    app = Starlette(routes=[Route("/", fails)])
    app.add_middleware(asgi.RobotsMiddleware, site=web_apps.site("staging"))
    for whole, tags in (
        (app, ""),
        (asgi.RobotsMiddleware(app, web_apps.site("staging")), "noindex, nofollow"),
    ):
        with TestClient(whole, raise_server_exceptions=False) as client:
            found = client.get("/")
        assert found.status_code == 500
        assert set(found.headers.get("x-robots-tag", "").split(", ")) == set(tags.split(", "))


@pytest.mark.parametrize("make", [web_apps.starlette_app, web_apps.fastapi_app])
def test_websockets_are_passed_on(make):
    from starlette.testclient import TestClient

    with (
        TestClient(make(web_apps.site("staging"))) as client,
        client.websocket_connect("/drafts/socket") as socket,
    ):
        socket.send_text("tea")
        assert socket.receive_text() == "tea"


def test_mounted_application_has_no_robots_txt():
    """RFC 9309 2.3: it is at the root of a host, and the paths of rules begin there too."""
    from starlette.applications import Starlette
    from starlette.routing import Mount
    from starlette.testclient import TestClient

    app = Starlette(routes=[Mount("/drafts", web_apps.starlette_app(web_apps.site()))])
    with TestClient(app) as client:
        found = client.get("/drafts/robots.txt")
        assert (found.text, found.headers["x-robots-tag"]) == ("Tea.", "noindex, nofollow")
        assert client.get("/robots.txt").status_code == 404


def test_robots_app():
    from starlette.applications import Starlette
    from starlette.routing import Route
    from starlette.testclient import TestClient

    app = asgi.RobotsApp(web_apps.site())
    for whole in (app, Starlette(routes=[Route("/robots.txt", app)])):
        with TestClient(whole) as client:
            assert client.get("/robots.txt").content == web_apps.ROBOTS
            assert client.get("/page").status_code == 404
    with TestClient(app) as client:
        assert client.get("/drafts/x").headers["x-robots-tag"] == "noindex, nofollow"


def test_asgi_robots_app_opens_no_socket():
    from starlette.testclient import TestClient
    from starlette.websockets import WebSocketDisconnect

    with (
        TestClient(asgi.RobotsApp(web_apps.site())) as client,
        pytest.raises(WebSocketDisconnect),
        client.websocket_connect("/"),
    ):
        pass


# WSGI by hand -------------------------------------------------------------------------------------


class Started:
    """Acts as the server, and records the start of a response."""

    def __init__(self):
        self.calls = []
        self.written = []

    def __call__(self, status, headers, *failure):
        assert type(status) is str
        assert type(headers) is list
        self.calls.append((status, dict(headers), failure))
        return self.written.append


def environ(path="/", script="", method="GET", **more):
    return {
        "REQUEST_METHOD": method,
        "SCRIPT_NAME": script,
        "PATH_INFO": path,
        "QUERY_STRING": "",
        "SERVER_NAME": "127.0.0.1",
        "SERVER_PORT": "80",
        "SERVER_PROTOCOL": "HTTP/1.1",
        "wsgi.version": (1, 0),
        "wsgi.url_scheme": "http",
        "wsgi.input": io.BytesIO(),
        "wsgi.errors": io.StringIO(),
        "wsgi.multithread": False,
        "wsgi.multiprocess": False,
        "wsgi.run_once": False,
        **more,
    }


def page(wsgi_environ, start):
    start("200 OK", [("Content-Type", "text/plain")])
    return [b"Tea."]


@pytest.mark.parametrize("method", ["GET", "HEAD", "POST", "OPTIONS"])
@pytest.mark.parametrize("path", ["/robots.txt", "/drafts/x", "/"])
@pytest.mark.parametrize("condition", ["", "*"])
def test_wsgi_conforms(method, path, condition):
    """PEP 3333, as the standard library checks it, from both sides."""
    app = validator(wsgi.RobotsMiddleware(validator(page), web_apps.site()))
    more = {"HTTP_IF_NONE_MATCH": condition} if condition else {}
    started = Started()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the validator knows four methods
        found = app(environ(path, method=method, **more), started)
        body = b"".join(found)
        found.close()

    assert len(started.calls) == 1
    assert body in (b"Tea.", b"", web_apps.ROBOTS)


@pytest.mark.parametrize(
    ("script", "path", "is_file", "tags"),
    [
        ("", "/robots.txt", True, None),
        ("/robots.txt", "", True, None),
        ("/shop", "/robots.txt", False, None),
        ("/drafts", "/robots.txt", False, "noindex, nofollow"),
        ("", "/drafts/plan", False, "noindex, nofollow"),
        ("/drafts", "/plan", False, "noindex, nofollow"),
        ("", "", False, None),
        ("", "*", False, None),
    ],
)
def test_wsgi_paths_begin_at_the_host(script, path, is_file, tags):
    started = Started()
    body = b"".join(wsgi.RobotsMiddleware(page, web_apps.site())(environ(path, script), started))

    assert body == (web_apps.ROBOTS if is_file else b"Tea.")
    assert started.calls[0][1].get("X-Robots-Tag") == tags


def test_wsgi_passes_failures_on():
    failure = (ValueError, ValueError("late"), None)

    def app(wsgi_environ, start):
        start("200 OK", [("Content-Type", "text/plain")])
        start("500 Internal Server Error", [], failure)
        return []

    started = Started()
    wsgi.RobotsMiddleware(app, web_apps.site())(environ("/drafts/x"), started)

    assert [(status, fields.get("X-Robots-Tag"), rest) for status, fields, rest in started.calls] == [
        ("200 OK", "noindex, nofollow", ()),
        ("500 Internal Server Error", "noindex, nofollow", (failure,)),
    ]


@pytest.mark.parametrize("path", ["/", "/drafts/x"])
def test_wsgi_passes_bodies_on(path):
    """Servers can send files, close the body, and call `write`."""
    body = FileWrapper(io.BytesIO(b"Tea."))

    def app(wsgi_environ, start):
        start("200 OK", [])(b"Early.")
        return body

    started = Started()
    assert wsgi.RobotsMiddleware(app, web_apps.site())(environ(path), started) is body
    assert started.written == [b"Early."]


def test_wsgi_robots_app():
    app = wsgi.RobotsApp(web_apps.site())
    found, missed = Started(), Started()

    assert app(environ("/robots.txt"), found) == [web_apps.ROBOTS]
    assert app(environ("/drafts/x"), missed) == []
    assert (found.calls[0][0], missed.calls[0][0]) == ("200 OK", "404 Not Found")
    assert missed.calls[0][1]["X-Robots-Tag"] == "noindex, nofollow"


@given(st.text(), st.text(), st.text(), st.text())
def test_wsgi_never_raises(script, path, query, condition):
    wsgi_environ = environ(path, script, QUERY_STRING=query, HTTP_IF_NONE_MATCH=condition)

    assert wsgi.RobotsMiddleware(page, web_apps.site())(wsgi_environ, Started())


# ASGI by hand -------------------------------------------------------------------------------------


def scope(path="/", **more):
    return {"type": "http", "method": "GET", "path": path, "query_string": b"", "headers": [], **more}


def sent_by(app, asgi_scope):
    """Run an ASGI application for one request, and give the messages that it sends."""
    sent = []

    async def run():
        async def receive():
            return {"type": "http.request", "body": b"", "more_body": False}

        async def send(message):
            sent.append(message)

        await app(asgi_scope, receive, send)

    anyio.run(run)
    return sent


async def asgi_page(asgi_scope, receive, send):
    await send(
        {
            "type": "http.response.start",
            "status": 200,
            "headers": [(b"X-Own", b"\xff"), (b"set-cookie", b"a")],
        }
    )
    await send({"type": "http.response.body", "body": b"Te", "more_body": True})
    await send({"type": "http.response.body", "body": b"a."})


@pytest.mark.parametrize(
    ("asgi_scope", "expected"),
    [
        (scope("/caf\u00e9", root_path="", raw_path=b"/caf%C3%A9"), b"/caf\xc3\xa9"),
        (scope("/caf\ufffd", raw_path=b"/caf%E9"), b"/caf\xe9"),
        (scope("/caf\u00e9"), b"/caf\xc3\xa9"),
        (scope("/a/b", raw_path=b"/a%2Fb"), b"/a/b"),
        (scope("/a", raw_path=b"/a?x=1"), b"/a"),
        (scope("/a", raw_path=None), b"/a"),
        (scope("/x/a", root_path="/x", raw_path=b"/x/a"), b"/x/a"),
        (scope("/x/a", root_path="/x/"), b"/x/a"),
        (scope("/a", root_path="/x"), b"/x/a"),  # of servers that leave the mount out
        (scope("/xy", root_path="/x"), b"/x/xy"),
        (scope("/x", root_path="/x"), b"/x"),
        (scope("/robots.txt", root_path="/x"), b"/x/robots.txt"),
        (scope("/\ud800", root_path="\ud800"), b"\xed\xa0\x80/\xed\xa0\x80"),
        (scope(""), b""),
    ],
)
def test_asgi_paths(asgi_scope, expected):
    assert asgi.request_of(asgi_scope) == ServedRequest("GET", expected, b"", ())


def test_asgi_changes_only_the_start_message():
    messages = sent_by(asgi.RobotsMiddleware(asgi_page, web_apps.site()), scope("/drafts/x"))

    assert messages == [
        {
            "type": "http.response.start",
            "status": 200,
            "headers": [(b"x-own", b"\xff"), (b"set-cookie", b"a"), (b"x-robots-tag", b"noindex, nofollow")],
        },
        {"type": "http.response.body", "body": b"Te", "more_body": True},
        {"type": "http.response.body", "body": b"a."},
    ]
    assert sent_by(asgi.RobotsMiddleware(asgi_page, web_apps.site()), scope("/")) == sent_by(
        asgi_page, scope("/")
    )


def test_asgi_passes_other_messages_on():
    sent = [{"type": "http.response.start", "status": 204, "trailers": True}, {"type": "http.response.trailers", "headers": []}]  # fmt: skip

    async def app(asgi_scope, receive, send):
        for message in sent:
            await send(message)

    start, trailers = sent_by(asgi.RobotsMiddleware(app, web_apps.site("staging")), scope("/"))
    assert (start["trailers"], trailers) == (True, sent[1])
    assert (b"x-robots-tag", b"noindex, nofollow") in start["headers"]


@pytest.mark.parametrize("kind", ["websocket", "lifespan", "one that is yet to come"])
def test_asgi_passes_other_scopes_on(kind):
    seen = []

    async def app(*arguments):
        seen.append(arguments)

    asgi_scope = {"type": kind, "path": "/robots.txt"}
    sent_by(asgi.RobotsMiddleware(app, web_apps.site("staging")), asgi_scope)
    assert seen[0][0] is asgi_scope


@given(
    st.text(),
    st.binary() | st.none(),
    st.text(),
    st.binary(),
    st.lists(st.tuples(st.just(b"if-none-match"), st.binary())),
)
def test_asgi_never_raises(path, raw_path, root_path, query, headers):
    asgi_scope = scope(path, raw_path=raw_path, root_path=root_path, query_string=query, headers=headers)
    request = asgi.request_of(asgi_scope)
    site = web_apps.site()

    assert site.answer(request) or site.fields_for(request) is not None
