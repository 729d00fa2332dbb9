"""Several hosts behind one application, and targets in absolute form."""

import asyncio
import http.client
import threading
from wsgiref.simple_server import WSGIRequestHandler, demo_app, make_server

import pytest
import web_apps

import comity
from comity.integrations import asgi, wsgi
from comity.site.serve import HeaderRule, ServedRequest, Site, Sites

SHOP = Site(
    "User-agent: *\nDisallow: /cart/\n", environment="production", headers=[HeaderRule("/a", "noindex")]
)
WWW = Site("User-agent: *\nDisallow: /tmp/\n", environment="production")
CLOSED = Site(None, environment="staging")
BY_NAME = {"shop.example.com": SHOP, "Bücher.example": WWW}

#: (Host, the site)
HOSTS = [
    ("shop.example.com", SHOP),
    ("SHOP.Example.Com", SHOP),
    ("shop.example.com:8080", SHOP),
    ("shop.example.com.", SHOP),
    ("shop.example.com.:443", SHOP),
    ("xn--bcher-kva.example", WWW),
    ("XN--BCHER-KVA.example:80", WWW),
    ("bücher.example", WWW),
    ("example.com", None),
    ("shop.example.com.evil.example", None),
    ("evil.example/shop.example.com", None),
    ("shop.example.com@evil.example", None),
    ("evil.example#.shop.example.com", None),
    (" shop.example.com", None),
    ("shop.example.com:port", None),
    ("shop.example.com:99999", None),
    ("[::1", None),
    ("192.0.2.1", None),
    ("", None),
    ("\udcff", None),
    ("a" * 100_000, None),
]


@pytest.mark.parametrize(("host", "site"), HOSTS, ids=[row[0][:40] for row in HOSTS])
@pytest.mark.parametrize("is_function", [False, True])
def test_site_of_a_host(host, site, is_function):
    by_name = {"shop.example.com": SHOP, "xn--bcher-kva.example": WWW}
    sites = Sites(by_name.get if is_function else BY_NAME)
    request = ServedRequest("GET", b"/robots.txt", b"", (), host)

    assert sites.site_for(host) is site
    assert sites.answer(request) == (site and site.answer(request))
    assert sites.fields_for(request.replace(path=b"/a")).tags == (("noindex",) if site is SHOP else ())
    assert Sites(BY_NAME, otherwise=CLOSED).site_for(host) is (site or CLOSED)


@pytest.mark.parametrize(
    ("sites", "error", "message"),
    [
        ({"a.example:80": SHOP}, comity.InvalidArgument, "expected a name without a port"),
        ({"http://a.example": SHOP}, comity.InvalidArgument, "expected a name without a port"),
        ({"": SHOP}, comity.InvalidArgument, "expected a name without a port"),
        ({"a.example": SHOP, "A.example.": WWW}, comity.InvalidArgument, "the host a.example occurs twice"),
        ({"a.example": b"User-agent: *"}, TypeError, "the site of a.example must be a Site"),
        (None, TypeError, "sites must be a mapping or a function"),
    ],
)
def test_wrong_sites(sites, error, message):
    with pytest.raises(error, match=message):
        Sites(sites)


def test_function_that_returns_something_else_raises():
    with pytest.raises(TypeError, match=r"the site of a.example must be a Site, not b''"):
        Sites(lambda name: b"").site_for("a.example")
    with pytest.raises(TypeError, match="otherwise must be a Site"):
        Sites({}, otherwise=b"")


def answers(app, **scope):
    """Return the status, the header fields and the body of an ASGI application."""
    sent = []

    async def send(message):
        sent.append(message)

    async def receive():
        if requests:
            return requests.pop()
        return await asyncio.Event().wait()  # the client does not disconnect

    requests = [{"type": "http.request", "body": b"", "more_body": False}]
    scope = {"type": "http", "method": "GET", "query_string": b"", "headers": [], **scope}
    asyncio.run(app(scope, receive, send))
    fields = {name.decode(): value.decode() for name, value in sent[0]["headers"]}
    return sent[0]["status"], fields, b"".join(message.get("body", b"") for message in sent[1:])


#: (target as the server passes it on, Host fields, the body; None if it is not found)
TARGETS = [
    (b"/robots.txt", [b"shop.example.com"], b"/cart/"),
    (b"/robots.txt", [b"xn--bcher-kva.example:8000"], b"/tmp/"),
    (b"http://shop.example.com/robots.txt", [b"xn--bcher-kva.example"], b"/cart/"),  # RFC 9112 3.2.2
    (b"HTTPS://Shop.example.com:8080/robots.txt", [], b"/cart/"),
    (b"http://user@shop.example.com/robots.txt", [], b"/cart/"),
    (b"http://shop.example.com/%72obots.txt", [], b"/cart/"),
    (b"http://evil.example/robots.txt", [b"shop.example.com"], None),
    (b"http://shop.example.com", [b"shop.example.com"], None),
    (b"/robots.txt", [b"shop.example.com", b"xn--bcher-kva.example"], None),
    (b"/robots.txt", [], None),
    (b"/robots.txt", [b"evil.example"], None),
    (b"/http://shop.example.com/robots.txt", [b"shop.example.com"], None),
    (b"ftp://shop.example.com/robots.txt", [b"shop.example.com"], None),
    (b"*", [b"shop.example.com"], None),
]


@pytest.mark.parametrize(("target", "hosts", "body"), TARGETS)
@pytest.mark.parametrize("has_raw_path", [True, False])
def test_targets_under_asgi(target, hosts, body, has_raw_path):
    from urllib.parse import unquote

    scope = {"path": unquote(target.decode()), "headers": [(b"host", host) for host in hosts]}
    found = answers(asgi.RobotsApp(Sites(BY_NAME)), **scope, **({"raw_path": target} if has_raw_path else {}))

    assert found[0] == (404 if body is None else 200)
    assert (body or b"") in found[2]


@pytest.mark.parametrize(("target", "hosts", "body"), [row for row in TARGETS if len(row[1]) < 2 and row[1]])
def test_targets_on_wsgiref(target, hosts, body):
    """The standard library's server passes the absolute form on as the path."""

    class Silent(WSGIRequestHandler):
        def log_message(self, *_):
            pass

    with make_server("127.0.0.1", 0, wsgi.RobotsApp(Sites(BY_NAME)), handler_class=Silent) as server:
        thread = threading.Thread(target=server.handle_request)
        thread.start()
        connection = http.client.HTTPConnection("127.0.0.1", server.server_port)
        connection.putrequest("GET", target.decode(), skip_host=True)
        connection.putheader("Host", hosts[0].decode())
        connection.endheaders()
        response = connection.getresponse()
        found = response.status, response.read()
        connection.close()
        thread.join()

    assert found[0] == (404 if body is None else 200)
    assert (body or b"") in found[1]


def test_application_answers_for_unknown_hosts():
    environ = {"PATH_INFO": "/robots.txt", "HTTP_HOST": "other.example", "REQUEST_METHOD": "GET"}
    started = []
    body = b"".join(
        wsgi.RobotsMiddleware(demo_app, Sites(BY_NAME))(environ, lambda *line: started.append(line))
    )

    assert body.startswith(b"Hello world!")
    assert "X-Robots-Tag" not in dict(started[0][1])


def test_server_name_stands_in_for_a_missing_host():
    environ = {"PATH_INFO": "/robots.txt", "SERVER_NAME": "shop.example.com", "REQUEST_METHOD": "GET"}

    assert b"/cart/" in b"".join(wsgi.RobotsApp(Sites(BY_NAME))(environ, lambda *_: None))


def django_answer(setting, host="shop.example.com", path="/robots.txt"):
    web_apps.django_settings()
    from django.test import Client, override_settings

    with override_settings(COMITY_SITE=setting):
        return Client(headers={"host": host}).get(path)


def by_request(request):
    return SHOP if request.get_host() == "shop.example.com" else None


@pytest.mark.parametrize("setting", [SHOP, Sites(BY_NAME), by_request])
def test_settings_of_django(setting):
    assert b"/cart/" in django_answer(setting).content
    assert django_answer(setting, path="/a")["X-Robots-Tag"] == "noindex"
    other = django_answer(setting, host="other.example")
    assert (b"/cart/" in other.content) is (setting is SHOP)


def test_function_of_django_must_return_a_site():
    from django.core.exceptions import ImproperlyConfigured

    with pytest.raises(
        ImproperlyConfigured, match="COMITY_SITE must return a comity.site.serve.Site or None"
    ):
        django_answer(lambda request: b"")


def test_host_that_django_does_not_allow_has_no_site():
    web_apps.django_settings()
    from django.test import override_settings

    with override_settings(ALLOWED_HOSTS=["www.example.com"]):
        assert django_answer(Sites(BY_NAME)).status_code == 400


async def by_request_later(request):
    return by_request(request)


@pytest.mark.parametrize("setting", [Sites(BY_NAME), by_request, by_request_later])
def test_settings_of_django_under_asgi(setting):
    app = web_apps.django_asgi()
    from django.test import override_settings

    with override_settings(COMITY_SITE=setting):
        app.load_middleware(is_async=True)
        found = answers(app, path="/robots.txt", headers=[(b"host", b"shop.example.com")])

    assert b"/cart/" in found[2]
