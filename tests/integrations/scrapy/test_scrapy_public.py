"""`COMITY_PUBLIC_ONLY`: Scrapy connects to public addresses only; the servers' logs are the judge."""

import asyncio

import pytest
from http_server import Server, answer, redirect
from scrapy import Request
from scrapy.http import Response
from scrapy.settings import Settings
from scrapy_harness import Crawler, crawl
from twisted.internet.address import IPv4Address, IPv6Address

import comity
from comity.integrations.scrapy import Addon, NotPublic, RobotsTxtMiddleware
from comity.integrations.scrapy.public_connections import PublicResolver
from comity.integrations.scrapy.sites import Sites

SITE = "http://public.example"

TYPE = {"content-type": "text/html"}


@pytest.mark.parametrize("reactor", ["asyncio", "classic"])
def test_links_and_redirects_into_the_private_network(reactor):
    """127.0.0.1 is private too, so the project names the first server; `localhost` is resolved."""
    with Server({"*": answer(200, b"secret")}) as inside:
        links = f'<a href="http://localhost:{inside.port}/name">1</a><a href="{inside.origin}/">2</a><a href="/hop">3</a>'
        routes = {
            "/robots.txt": answer(404),
            "/": answer(200, links.encode(), TYPE),
            "/hop": redirect(f"http://0x7f.1:{inside.port}/"),
        }
        with Server(routes) as site:
            settings = {"COMITY_PUBLIC_ONLY": True, "COMITY_PRIVATE_HOSTS": [f"127.0.0.1:{site.port}"]}
            result = crawl(f"{site.origin}/", reactor=reactor, follow=True, **settings)

    assert inside.asked == []
    assert [item["url"] for item in result.items] == [f"{site.origin}/"]
    assert {(kind, text.rpartition(": ")[2]) for _, kind, text in result.errors} == {
        ("NotPublic", "127.0.0.1 (loopback)"),
        ("NotPublic", "the host 127.0.0.1 is not public (loopback)"),
    }


class Resolution:
    """A resolver with a fixed answer."""

    def __init__(self, *addresses):
        self.addresses = addresses

    def resolveHostName(self, receiver, name, port=0, *_):  # noqa: N802
        receiver.resolutionBegan(None)
        for each in self.addresses:
            kind = IPv6Address if ":" in each else IPv4Address
            receiver.addressResolved(kind("TCP", each, port))
        receiver.resolutionComplete()


class Receiver:
    def __init__(self):
        self.hosts = []

    def resolutionBegan(self, _):  # noqa: N802
        pass

    def addressResolved(self, address):  # noqa: N802
        self.hosts.append(address.host)

    def resolutionComplete(self):  # noqa: N802
        pass


def resolved(resolver, host, port=80):
    receiver = Receiver()
    resolver.resolveHostName(receiver, host, port)
    return receiver.hosts


def test_addresses_of_guarded_hosts_are_filtered():
    resolver = PublicResolver(Resolution("10.0.0.1", "8.8.8.8", "::1", "2606:4700::1111", "fe80::1%1"))
    with resolver.guard("xn--bcher-kva.example", 80):
        assert resolved(resolver, "b\u00fccher.example") == ["8.8.8.8", "2606:4700::1111"]
        assert resolver.refused("xn--bcher-kva.example", 80) is None
        assert len(resolved(resolver, "other.example")) == 5
        assert resolved(resolver, "not%20valid") == ["8.8.8.8", "2606:4700::1111"]
    assert len(resolved(resolver, "b\u00fccher.example")) == 5


def test_host_without_public_address_is_refused():
    resolver = PublicResolver(Resolution("::1", "10.0.0.1"))
    with resolver.guard("inside.example", 80), resolver.guard("inside.example", 80):
        assert resolved(resolver, "inside.example") == []
        assert resolver.refused("inside.example", 80) == ("::1", "loopback")
    assert resolver.refused("inside.example", 80) is None


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"DOWNLOAD_HANDLERS": {"https": "project.Handler"}}, "download handler 'project.Handler' of https"),
        ({"TWISTED_REACTOR_ENABLED": False}, "needs a Twisted reactor"),
        ({"COMITY_PRIVATE_HOSTS": ["a b"]}, "COMITY_PRIVATE_HOSTS: expected hosts"),
    ],
)
def test_settings_that_cannot_be_enforced(settings, says):
    with pytest.raises(comity.InvalidArgument, match=says):
        Addon().update_settings(Settings({"COMITY_PUBLIC_ONLY": True, **settings}))


def test_handlers_that_are_not_checked_are_turned_off():
    settings = Settings({"COMITY_PUBLIC_ONLY": True, "DOWNLOAD_HANDLERS": {"s3": None, "http": None}})
    Addon().update_settings(settings)
    handlers = settings.getwithbase("DOWNLOAD_HANDLERS")
    assert handlers["http"] == handlers["https"] != Settings().getwithbase("DOWNLOAD_HANDLERS")["http"]
    assert handlers["ftp"] is handlers["s3"] is None


def test_robots_txt_that_redirects_into_the_private_network_is_not_stored():
    """It is unreachable for this crawl, and requested once. Others that share the store are not affected."""
    store = comity.stores.MemoryStore()
    there = "http://inside.example/robots.txt"
    answers = {
        f"{SITE}/robots.txt": Response(f"{SITE}/robots.txt", status=301, headers={"Location": there}),
        there: NotPublic(there, "inside.example", "10.0.0.1", "private network"),
    }
    crawler = Crawler(answers, COMITY_STORE=store)

    async def ask():
        middleware, refused = RobotsTxtMiddleware(crawler), []
        for url in (f"{SITE}/a", f"{SITE}/b", "http://inside.example/"):
            try:
                await middleware.process_request(Request(url))
            except comity.ComityError as error:
                refused.append(type(error).__name__)
                message = str(error)
        assert (
            message
            == "http://inside.example/: the host inside.example is not public: 10.0.0.1 (private network)"
        )
        return refused

    assert asyncio.run(ask()) == ["Unreachable", "Unreachable", "NotPublic"]
    assert crawler.urls == [f"{SITE}/robots.txt", there, there]
    assert store.load(SITE) is None
    assert store.load("http://inside.example") is None
    Sites.of(crawler)._engine_stopped()
