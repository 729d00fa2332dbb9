"""The drop-in for reppy: its API, with answers by RFC 9309. Facts were recorded from reppy 0.4.14 and 0.3.4."""

import builtins
import copy
import pickle
import threading
import time
import tracemalloc

import pytest
import requests
from http_server import Server, answer, redirect, unused_port

import comity.compat.reppy as reppy
from comity import InvalidArgument
from comity.compat.reppy import exceptions
from comity.compat.reppy.cache import AgentCache, BaseCache, RobotsCache
from comity.compat.reppy.cache.policy import DefaultObjectPolicy, ReraiseExceptionPolicy
from comity.compat.reppy.parser import Rules
from comity.compat.reppy.robots import Agent, AllowAll, AllowNone, Robots
from comity.compat.reppy.ttl import HeaderWithDefaultPolicy, TTLPolicyBase
from comity.compat.reppy.util import parse_date

FILE = "User-agent: *\nDisallow: /x\nCrawl-delay: 2\nSitemap: /s\nSitemap: http://a.com/s\n\nUser-agent: Foo\nAllow: /x\nDisallow: /\n"
URL = "http://a.com/robots.txt"
BOT = "ExampleBot"


def parsed(content=FILE, **options):
    return Robots.parse(URL, content, **options)


#: Answers of reppy 0.4.14 to FILE: URL, for ExampleBot, for foo.
ANSWERS = [
    *[
        ("/x", False, True),
        ("/y", True, False),
        ("http://a.com/x", False, True),
        ("https://a.com:8/x", False, True),
    ],
    *[("http://b.com/x", False, False), ("http://b.com/y", False, False), ("mailto:x@y", False, True)],
    *[
        ("x", False, True),
        ("x/y", False, True),
        ("", True, False),
        ("?x", True, False),
        ("//a.com/x", False, True),
    ],
    *[
        ("http://a.com", True, False),
        ("/robots.txt", True, True),
        ("/x#y", False, True),
        ("/%78", False, True),
    ],
]


@pytest.mark.parametrize(("url", "for_bot", "for_foo"), ANSWERS)
def test_answers_are_those_of_reppy(url, for_bot, for_foo):
    robots = parsed()

    assert (robots.allowed(url, BOT), robots.allowed(url, "foo")) == (for_bot, for_foo)
    assert (robots.agent(BOT).allowed(url), robots.agent("FOO").allowed(url)) == (for_bot, for_foo)
    assert robots.allowed(url.encode(), BOT.encode()) is for_bot


#: (section, file, robot, URL, the answer of reppy 0.4.14). Ours is the opposite.
DIFFERENCES = [
    ("RFC 9309 2.2.1: a header has a token", f"User-agent: {BOT}\nDisallow: /", f"{BOT}/1.0", "/", True),
    ("RFC 9309 2.2: groups begin with a name", "Disallow: /", BOT, "/", False),
    (
        "RFC 9309 2.2.4: other records",
        "User-agent: a\nCrawl-delay: 1\nUser-agent: b\nDisallow: /",
        "a",
        "/",
        True,
    ),
    ("RFC 9309 2.2.2: allow wins a tie", "User-agent: *\nDisallow: /a\nAllow: /a", BOT, "/a", False),
    ("RFC 9309 2.2: line ends", "User-agent: *\rDisallow: /", BOT, "/", True),
    ("RFC 9309 2.2.3: a $ within", "User-agent: *\nDisallow: /a$b", BOT, "/a$b", True),
]


@pytest.mark.parametrize(("section", "content", "agent", "url", "recorded"), DIFFERENCES)
def test_differences_are_decided_by_a_standard(section, content, agent, url, recorded):
    assert parsed(content).allowed(url, agent) is not recorded


#: Crawl-delays as reppy 0.4.14 reads them.
DELAYS = [
    ("2", 2),
    ("0.5", 0.5),
    ("5s", 5),
    ("1e2", 100),
    ("abc", None),
    ("0", None),
    ("-1", None),
    ("nan", None),
]


@pytest.mark.parametrize(("value", "seconds"), DELAYS)
def test_delay(value, seconds):
    assert parsed(f"User-agent: *\nCrawl-delay: {value}").agent(BOT).delay == seconds


def test_sitemaps_are_a_list_of_values():
    assert parsed().sitemaps == ["/s", "http://a.com/s"]
    assert AllowNone(URL).sitemaps == []


def test_own_rules_of_an_agent():
    agent = Agent()
    assert (len(agent), str(agent), agent.delay, agent.allowed("/x")) == (0, "[]", None, True)

    assert agent.allow("/a").disallow("/a/b") is agent
    assert (len(agent), agent.allowed("/a/b/c"), agent.allowed("/a/c")) == (2, False, True)
    assert agent.disallow(b"/").allowed("http://other.com/q") is False
    assert agent.allow("/q x#y\nDisallow: /").allowed("/q%20x") is True
    assert not Agent().disallow("/").disallow("").allowed("/q")


def test_changed_agent_does_not_change_the_file():
    robots = parsed()
    assert not robots.agent(BOT).disallow("/y").allowed("/y")
    assert robots.allowed("/y", BOT)
    assert robots.agent(BOT).disallow("http://b.com/y").allowed("/y")
    assert Agent.from_robots(robots, b"foo").allowed("/x")


def test_texts_are_those_of_reppy():
    assert str(parsed().agent("foo")) == "[Directive(Allow: /x), Directive(Disallow: /)]"
    assert (
        str(parsed("user-agent:a\nuser-agent:b\ndisallow:/"))
        == "User-agent: a\nUser-agent: b\nDisallow: /\n\n"
    )


def test_expiry():
    now = time.time()
    robots = parsed(expires=now + 100)

    assert (robots.expires, robots.expired) == (now + 100, False)
    assert 90 < robots.ttl <= 100
    assert (parsed(expires=10).expired, parsed(expires=10).ttl) == (True, 0)
    assert parsed().expires is None
    with pytest.raises(TypeError):
        _ = parsed().expired
    with pytest.raises(AttributeError):
        robots.expires = 5


#: URLs of robots.txt, as reppy 0.4.14 returns them.
ROBOTS_URLS = [
    ("http://userinfo@example.com:8080/path;params?query#fragment", "http://example.com:8080/robots.txt"),
    *[("http://a.com:80", "http://a.com/robots.txt"), ("HTTPS://A.com:443/x", "https://a.com/robots.txt")],
    *[("a.com", "robots.txt"), ("mailto:x", "mailto:robots.txt"), ("", "robots.txt")],
    *[("//a.com/x", "//a.com/robots.txt"), (b"http://a.com/x", "http://a.com/robots.txt")],
]


@pytest.mark.parametrize(("url", "expected"), ROBOTS_URLS)
def test_robots_url(url, expected):
    assert Robots.robots_url(url) == expected


@pytest.mark.parametrize("url", ["http://:::cnn.com/", "http://cnn.com:tea/", b"https://cnn.com:70000/x"])
def test_robots_url_of_a_port_that_is_not_valid_raises(url):
    with pytest.raises(ValueError, match="[Pp]ort"):
        Robots.robots_url(url)


@pytest.mark.parametrize("content", ["text", None, 5])
def test_constructor_takes_bytes_only(content):
    with pytest.raises(TypeError):
        Robots(URL, content)


@pytest.mark.parametrize(("path", "name"), [(None, BOT), (5, BOT), ("/x", None), ("/x", 5)])
def test_question_of_other_type_raises_what_reppy_raises(path, name):
    with pytest.raises(AttributeError):
        parsed().allowed(path, name)
    with pytest.raises(AttributeError):
        Robots.parse(URL, path if name == BOT else name)


def test_all_and_none():
    assert not AllowNone(URL, 5).allowed("/", BOT)
    assert AllowNone(URL).allowed("/robots.txt", BOT)
    assert AllowAll(URL).allowed("/", BOT)
    assert isinstance(AllowAll(URL), Robots)

    class Own(Robots):
        pass

    assert type(Own.parse(URL, FILE)) is Own


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, lambda one: pickle.loads(pickle.dumps(one))])
def test_copies_give_same_answers(copied):
    assert not copied(parsed()).allowed("/x", BOT)
    assert not copied(parsed().agent(BOT)).allowed("/x")
    assert copied(exceptions.ServerError("a", 503)).status == 503


def test_names_are_those_of_reppy():
    assert reppy.Robots is Robots
    assert reppy.Agent is Agent
    assert reppy.cache.RobotsCache is RobotsCache
    kinds = [getattr(exceptions, name) for name in exceptions.__all__]
    assert all(issubclass(kind, reppy.ReppyException) for kind in kinds)
    assert exceptions.ServerError("x", status=500).status == 500


# Lifetimes ---------------------------------------------------------------------------------------


class Response:
    def __init__(self, **headers):
        self.headers = {name.replace("_", "-"): value for name, value in headers.items()}


DATE = "Thu, 01 Jan 2026 00:00:00 GMT"

#: Header fields, and the lifetime by HeaderWithDefaultPolicy(default=100, minimum=5), as reppy computes it.
LIFETIMES = [
    *[({}, 100), ({"cache_control": "max-age=50"}, 50), ({"cache_control": "public, S-MaxAge=50"}, 50)],
    *[({"cache_control": "no-store, max-age=50"}, 5), ({"cache_control": "max-age=1"}, 5)],
    *[({"cache_control": "s-maxage=60,max-age=7"}, 60), ({"cache_control": "max-age=x"}, 100)],
    *[({"expires": "Thu, 01 Jan 2026 00:01:00 GMT", "date": DATE}, 60), ({"expires": "0"}, 100)],
    *[({"expires": DATE, "date": "Thu, 01 Jan 2026 00:01:00 GMT"}, 5), ({"expires": DATE, "date": "x"}, 5)],
]


@pytest.mark.parametrize(("headers", "seconds"), LIFETIMES)
def test_lifetimes(headers, seconds):
    policy = HeaderWithDefaultPolicy(default=100, minimum=5)

    assert policy.ttl(Response(**headers)) == seconds
    assert policy.expires(Response(**headers)) == pytest.approx(time.time() + seconds, abs=600)


def test_abstract_policies_and_dates():
    with pytest.raises(NotImplementedError):
        TTLPolicyBase().ttl(Response())
    with pytest.raises(NotImplementedError):
        BaseCache(1).fetch(URL)
    with pytest.raises(ValueError, match="invalid date"):
        parse_date("soon")
    assert parse_date("Thu, 01 Jan 1970 01:00:00") == 3600


# Requests ----------------------------------------------------------------------------------------


def test_fetch_statuses():
    body = b"User-agent: *\nDisallow: /x"
    with Server(
        {f"/{status}": answer(status, body) for status in (200, 204, 401, 403, 404, 429, 500)}
    ) as server:
        server.routes["/moved"] = redirect("/200", 302)
        kinds = {
            status: Robots.fetch(f"{server.origin}/{status}", timeout=10)
            for status in (200, "moved", 401, 403, 404, 429)
        }
        for status in (204, 500):
            with pytest.raises(exceptions.BadStatusCode) as raised:
                Robots.fetch(f"{server.origin}/{status}", timeout=10)
            assert raised.value.args[1] == status

    assert [type(robots) for robots in kinds.values()] == [
        Robots,
        Robots,
        AllowNone,
        AllowNone,
        AllowAll,
        AllowAll,
    ]
    assert not kinds["moved"].allowed("/x", BOT)
    assert 3500 < kinds[200].ttl <= 3600


def test_fetch_passes_arguments_and_calls_hooks():
    seen = []
    with Server({"/robots.txt": answer(200, FILE.encode(), {"cache-control": "max-age=1"})}) as server:
        robots = Robots.fetch(
            f"{server.origin}/robots.txt",
            HeaderWithDefaultPolicy(default=1, minimum=50),
            headers={"User-Agent": BOT},
            timeout=(10, 10),
            after_response_hook=lambda response: seen.append(response.status_code),
            after_parse_hook=seen.append,
        )

    assert server.heads[0]["user-agent"] == BOT
    assert seen == [200, robots]
    assert 40 < robots.ttl <= 50


def test_fetch_failures_have_the_url_and_are_shown_to_the_hook():
    seen = []
    closed = f"http://127.0.0.1:{unused_port()}/robots.txt"
    with Server() as server:
        server.routes["/loop"] = redirect("/loop")
        server.routes["/silent"] = server.silent
        server.routes["/reset"] = server.resets(b"HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nab")
        cases = [
            (closed, exceptions.ConnectionException),
            (f"{server.origin}/loop", exceptions.ExcessiveRedirects),
            (f"{server.origin}/silent", exceptions.ReadTimeout),
            (f"{server.origin}/reset", exceptions.ConnectionException),
            ("robots.txt", exceptions.MalformedUrl),
        ]
        for url, kind in cases:
            with pytest.raises(kind) as raised:
                Robots.fetch(
                    url,
                    timeout=0.3 if kind is exceptions.ReadTimeout else 60,
                    after_response_hook=seen.append,
                )
            assert raised.value.url == url

    assert [type(error) for error in seen] == [kind for _, kind in cases]


def test_fetch_limits_size_and_time():
    with Server({"/long": answer(200, b"#" * 101)}) as server:
        server.routes["/endless"] = server.endless(b"#" * 1000)
        server.routes["/slow"] = server.drips(b"#", seconds=0.02)
        assert Robots.fetch(f"{server.origin}/long", max_size=101).allowed("/", BOT)
        for path in ("long", "endless"):
            with pytest.raises(exceptions.ContentTooLong):
                Robots.fetch(f"{server.origin}/{path}", max_size=100, timeout=60)
        with pytest.raises(exceptions.ReadTimeout):
            Robots.fetch(f"{server.origin}/slow", timeout=0.3)


def test_body_of_a_redirect_is_not_received():
    with Server({"/robots.txt": answer(200, FILE.encode())}) as server, requests.Session() as session:
        head = answer(302, headers={"location": "/robots.txt"}, length=False)
        server.routes["/moved"] = server.endless(b"x" * 65_536, head=head)
        seen = []
        hooks = {"response": lambda response, **_: seen.append(response.status_code)}
        robots = Robots.fetch(f"{server.origin}/moved", hooks=hooks, timeout=60)
        assert (robots.allowed("/x", BOT), seen) == (False, [302, 200])

        server.routes["/robots.txt"] = server.endless(b"x", head=head.replace(b"/robots", b"/other"))
        server.routes["/other.txt"] = answer(200, BAD_BOT)
        assert not RobotsCache(session=session).allowed(f"{server.origin}/", "badbot")


def test_missing_requests_is_named(monkeypatch):
    original = builtins.__import__

    def without_requests(name, *rest):
        if name == "requests":
            raise ModuleNotFoundError("No module named 'requests'", name="requests")
        return original(name, *rest)

    monkeypatch.setattr(builtins, "__import__", without_requests)
    with pytest.raises(ImportError, match="pip install requests"):
        Robots.fetch(URL)
    with pytest.raises(ImportError, match="pip install requests"):
        RobotsCache().allowed("http://a.com/", BOT)


# Caches ------------------------------------------------------------------------------------------


def test_caches_request_each_file_once():
    with Server({"/robots.txt": answer(200, b"User-agent: *\nDisallow: /x")}) as server:
        cache = RobotsCache(capacity=10, timeout=10)
        threads = [
            threading.Thread(target=cache.allowed, args=(f"{server.origin}/{n}", BOT)) for n in range(5)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert not cache.allowed(f"{server.origin}/x", BOT)
        assert isinstance(cache.get(server.origin), Robots)
        assert server.paths() == ["/robots.txt"]
        agents = AgentCache(agent=BOT, capacity=10)
        assert (agents.allowed(f"{server.origin}/x"), agents.allowed(f"{server.origin}/y")) == (False, True)
        assert isinstance(agents.get(server.origin), Agent)


class Counted(BaseCache):
    """A cache that requests nothing, and counts."""

    def __init__(self, *args, lifetime=100.0, **kwargs):
        super().__init__(*args, **kwargs)
        self.fetched = []
        self.lifetime = lifetime

    def fetch(self, url):
        self.fetched.append(url)
        return time.time() + self.lifetime, AllowAll(url)


def test_cache_drops_the_file_used_longest_ago():
    cache = Counted(2)
    for name in ("a", "b", "a", "c", "a", "b"):
        cache.get(f"http://{name}.com/")

    assert cache.fetched == [f"http://{name}.com/robots.txt" for name in ("a", "b", "c", "b")]


def test_cache_requests_an_expired_file_again():
    cache = Counted(2, lifetime=-1.0)
    cache.get(URL)
    cache.get(URL)

    assert len(cache.fetched) == 2


def test_cache_policies_decide_about_failures():
    url = f"http://127.0.0.1:{unused_port()}/"

    assert not RobotsCache(capacity=1).allowed(url, BOT)
    assert not AgentCache(BOT, capacity=1).allowed(url)
    raising = RobotsCache(capacity=1, cache_policy=ReraiseExceptionPolicy(ttl=60))
    for _ in range(2):
        with pytest.raises(exceptions.ConnectionException):
            raising.allowed(url, BOT)
    assert RobotsCache(1, cache_policy=DefaultObjectPolicy(60, AllowAll)).allowed(url, BOT)


def test_many_names_and_rules_of_one_group_take_little_memory():
    """Each of 2,000 names has the same 2,000 rules, so an object for each name would hold 4 million lines."""
    names, rules = (
        b"".join(line % number for number in range(2000))
        for line in (b"User-agent: a%d\n", b"Disallow: /%d\n")
    )
    tracemalloc.start()
    one = Rules(URL, 200, names + rules, 0.0)
    str(Robots(URL, names + rules))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert len(one.agents) == 2001
    assert one.disallowed("/7", "a5")
    assert peak < 10_000_000


# reppy 0.3.4 -------------------------------------------------------------------------------------

BAD_BOT = b"User-agent: badbot\nDisallow: /"

#: User-Agent headers, and whether they are disallowed by BAD_BOT: by whole names, and as brozzler compares.
HEADERS = [
    ("badbot", True, True),
    ("BadBot/2.0", True, True),
    ("im/a bAdBOt/uh huh", False, True),
    ("im", False, False),
]


@pytest.mark.parametrize(("header", "by_name", "by_substring"), HEADERS)
def test_substrings_of_a_header_can_match(header, by_name, by_substring):
    rules = Rules(URL, 200, BAD_BOT, 0.0)
    lenient = Rules(URL, 200, BAD_BOT, 0.0, agent_match="substring")

    assert rules.disallowed("/", header) is by_name
    assert lenient.disallowed("/", header) is by_substring


def test_rules_of_034():
    rules = Rules(URL, 200, FILE, time.time() + 100)

    assert list(rules.agents) == ["*", "foo"]
    assert rules.agents["foo"].allowed("/x")
    assert rules.agents.get("none") is None
    assert rules.sitemaps == ["/s", "http://a.com/s"]
    assert (rules.delay(BOT), rules.delay("Foo/1")) == (2, None)
    assert not rules.expired
    assert Rules(URL, 403, b"", 0.0).disallowed("/", BOT)
    assert Rules(URL, 403, b"", 0.0, disallow_forbidden=False).allowed("/", BOT)
    assert Rules(URL, 404, BAD_BOT, 0.0).allowed("/", "badbot")
    with pytest.raises(exceptions.BadStatusCode):
        Rules(URL, 503, b"", 0.0)
    with pytest.raises(reppy.ReppyException):
        Rules(URL, 302, b"", 0.0)
    with pytest.raises(InvalidArgument):
        Rules(URL, 200, b"", 0.0, agent_match="token")


def test_cache_of_034_uses_the_session():
    session = requests.Session()
    session.headers["User-Agent"] = "archiver"
    with Server({"/robots.txt": answer(200, BAD_BOT)}) as server, session:
        cache = RobotsCache(session=session, disallow_forbidden=False)
        substring = RobotsCache(session=session, agent_match="substring")
        assert not cache.allowed(f"{server.origin}/x", "BadBot/1.0")
        assert cache.allowed(f"{server.origin}/y", "im/a bAdBOt/uh huh")
        assert server.asked == ["GET /robots.txt"]
        assert not substring.allowed(f"{server.origin}/y", "im/a bAdBOt/uh huh")
        assert server.heads[0]["user-agent"] == "archiver"
        server.routes["/robots.txt"] = answer(403)
        assert RobotsCache(session=session, disallow_forbidden=False).allowed(f"{server.origin}/", BOT)
        assert not RobotsCache(session=session).allowed(f"{server.origin}/", BOT)


def test_program_can_replace_the_matching_of_agents(monkeypatch):
    """The way of brozzler 1.9.6."""

    def find(self, agent):
        return next(
            (self.agents[name] for name in self.agents if name in agent.lower()), self.agents.get("*")
        )

    monkeypatch.setattr(reppy.Utility, "short_user_agent", lambda header: header)
    monkeypatch.setattr(reppy.parser.Rules, "__getitem__", find)
    with Server({"/robots.txt": answer(200, BAD_BOT)}) as server:
        cache = reppy.cache.RobotsCache(session=requests.Session(), disallow_forbidden=False)
        assert not cache.allowed(f"{server.origin}/", "im/a bAdBOt/uh huh")
        assert cache.allowed(f"{server.origin}/", "archiver")


def test_failures_of_034_are_raised_and_not_stored():
    class Limited(requests.Session):
        def get(self, url, **kwargs):
            raise LookupError("limit")

    with pytest.raises(exceptions.ServerError) as raised:
        RobotsCache(session=Limited()).allowed("http://a.com/", BOT)
    assert isinstance(raised.value.args[0], LookupError)
    with pytest.raises(exceptions.ConnectionException) as refused:
        RobotsCache(timeout=60).allowed(f"http://127.0.0.1:{unused_port()}/", BOT)
    assert isinstance(refused.value.args[0], requests.ConnectionError)
    with Server({"/robots.txt": answer(503)}) as server:
        cache = RobotsCache(session=requests.Session())
        with pytest.raises(exceptions.BadStatusCode):
            cache.allowed(server.origin, BOT)
        server.routes["/robots.txt"] = answer(404)
        assert cache.allowed(server.origin, BOT)


def test_body_of_034_is_read_up_to_a_limit():
    with Server() as server:
        server.routes["/robots.txt"] = server.endless(b"User-agent: *\n" + b"Disallow: /x\n" * 100_000)
        assert not RobotsCache(timeout=20).allowed(f"{server.origin}/x", BOT)
