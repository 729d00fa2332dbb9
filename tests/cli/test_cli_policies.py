"""Access policies and dialects in every way to fetch: robots, transports, Scrapy, the sans-I/O fetch, commands.

Authority for 401 and 403: RFC 9309 2.3.1.3 (open); draft-koster-robots-00 3.1 (closed, recommended);
libwww-perl's LWP::RobotUA and GNU Wget, which use only a successful answer (open).
"""

import asyncio
import json
from contextlib import ExitStack
from http.client import HTTPConnection

import forked_python
import httpx2
import pytest
import scrapy_harness
from click.testing import CliRunner
from command_home import own_home
from http_server import Server, answer

import comity
from comity.cli import main
from comity.protocol.access import POLICIES
from comity.protocol.robotstxt.engine.dialect import DIALECTS

#: Whether 401 and 403 for robots.txt close the site.
CLOSED = {
    "rfc9309": False, "google": False, "draft1996": True, "lwp": False, "wget": False, "strict": True,
}  # fmt: skip

#: A file that each dialect reads differently: an index page, a wildcard, and Allow in a file order.
ROBOTS = b"User-agent: *\nAllow: /d/index.html\nDisallow: /d/\nDisallow: /w*x\nAllow: /p/ok\nDisallow: /p/\n"

#: The paths that it opens.
OPENED = {
    "rfc9309": ["/p/ok"],
    "google": ["/d/", "/p/ok"],
    "draft1996": ["/w1x", "/p/ok"],
    "1994": ["/w1x"],
}

PATHS = ["/d/", "/w1x", "/p/ok"]


@pytest.fixture(autouse=True)
def alone(tmp_path, monkeypatch):
    own_home(tmp_path, monkeypatch)


# The ways to fetch: each requests some URLs, which the server logs. ------------------------------

AGENT = {"user_agent": "ExampleBot/1.0", "contact": "bot@example.com", "delay": 0.0}

NAMED = ["--user-agent", AGENT["user_agent"]]


def robot(urls, **reading):
    with comity.Robot(trust_env=False, **AGENT, **reading) as client:
        _get(client, urls)


def transport(urls, **reading):
    wrapped = comity.RobotsTransport(httpx2.HTTPTransport(), **AGENT, **reading)
    with httpx2.Client(transport=wrapped) as client:
        _get(client, urls)


def _get(client, urls):
    for url in urls:
        try:
            client.get(url)
        except comity.Disallowed:
            continue


def async_robot(urls, **reading):
    asyncio.run(_aget(comity.AsyncRobot(trust_env=False, **AGENT, **reading), urls))


def async_transport(urls, **reading):
    wrapped = comity.AsyncRobotsTransport(httpx2.AsyncHTTPTransport(), **AGENT, **reading)
    asyncio.run(_aget(httpx2.AsyncClient(transport=wrapped), urls))


async def _aget(client, urls):
    async with client:
        for url in urls:
            try:
                await client.get(url)
            except comity.Disallowed:
                continue


def sans_io(urls, **reading):
    for url in urls:
        fetch = comity.Fetch(url, **reading)
        while fetch.request:
            status, headers, body = _plain_get(fetch.request.url)
            if fetch.receive(status, headers, now=0.0):
                fetch.data(body)
                fetch.finish(now=0.0)
        if fetch.access.allowed(url, agent="ExampleBot"):
            _plain_get(url)


def _plain_get(url):
    parts = httpx2.URL(url)
    connection = HTTPConnection(parts.host, parts.port, timeout=60)
    connection.request("GET", parts.raw_path.decode())
    response = connection.getresponse()
    with response:
        return response.status, response.getheaders(), response.read()


def scrapy(urls, policy="rfc9309", dialect=None, agent_match=None):
    reading = {"COMITY_POLICY": policy, "COMITY_DIALECT": dialect, "COMITY_AGENT_MATCH": agent_match}
    scrapy_harness.crawl(*urls, **reading, USER_AGENT=AGENT["user_agent"], LOG_LEVEL="ERROR")


def crawl(urls, **reading):
    """Crawl start URLs. With a way to read, stop after a page and resume the job, which has its own options."""
    words = ["-m", "comity", "crawl", "--contact", "bot@example.com", "--json", "--job", "job"]
    runs = [[*urls, "--delay", "0", "--span-hosts", *NAMED, *_options(**reading)]]
    if reading.keys() & {"dialect", "agent_match"}:
        runs = [[*runs[0], "--limit", "1"], ["--resume", "--limit", "9"]]
    for extra in runs:
        done = forked_python.run([*words, *extra], capture_output=True, encoding="utf-8")
        assert done.returncode in (0, 1, 3), done.stderr
        assert json.loads(done.stdout)["job"] == "job"


def check_page(urls, **reading):
    _run("check", "--page", "--json", "--agent", "ExampleBot", *urls, *NAMED, *_options(**reading))


def fetch_page(urls, **reading):
    for url in urls:
        _run("fetch", "--page", "--json", url, *NAMED, *_options(**reading))


def _options(**reading):
    return [word for name, value in reading.items() for word in (f"--{name.replace('_', '-')}", value)]


def _run(*arguments):
    result = CliRunner().invoke(main, arguments)
    assert result.exit_code in (0, 1, 3), result.output
    return result


WAYS = [
    robot, async_robot, transport, async_transport, sans_io, scrapy, crawl, check_page, fetch_page,
]  # fmt: skip


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
def test_policy_decides_about_401_and_403(way, policy):
    with ExitStack() as stack:
        servers = {
            status: stack.enter_context(Server({"/robots.txt": answer(status), "/tea": answer(200, b"tea")}))
            for status in (401, 403)
        }
        way([f"{server.origin}/tea" for server in servers.values()], policy=policy)

        closed = {status: "/tea" not in server.paths() for status, server in servers.items()}
        assert closed == dict.fromkeys((401, 403), CLOSED[policy])
        assert all("/robots.txt" in server.paths() for server in servers.values())


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
def test_dialect_decides_about_pages(way, dialect):
    with Server({"/robots.txt": answer(200, ROBOTS), "*": answer(200, b"tea")}) as server:
        way([f"{server.origin}{path}" for path in PATHS], dialect=dialect)

        assert [path for path in PATHS if path in server.paths()] == OPENED[dialect]


#: The standard of 1994 recommends "a case insensitive substring match of the name without version information".
PARTS = b"User-agent: example/2\nDisallow: /d/\n\nUser-agent: my-examplebot\nDisallow: /w\n"


@pytest.mark.parametrize(
    ("agent_match", "opened"),
    [
        ("token", ["/d/", "/w1x", "/p/ok"]),
        ("value-in-name", ["/w1x", "/p/ok"]),
        ("name-in-value", ["/d/", "/p/ok"]),
        ("substring", ["/p/ok"]),
    ],
)
@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
def test_agent_match_decides_about_pages(way, agent_match, opened):
    with Server({"/robots.txt": answer(200, PARTS), "*": answer(200, b"tea")}) as server:
        way([f"{server.origin}{path}" for path in PATHS], agent_match=agent_match)

        assert [path for path in PATHS if path in server.paths()] == opened


# The commands that fetch no page. -----------------------------------------------------------------


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("status", [401, 403])
@pytest.mark.parametrize(
    "words",
    [["fetch"], ["check"], ["lint"], ["diff", "empty"], ["diff", "--urls", "urls", "empty"]],
    ids=" ".join,
)
def test_policy_decides_in_commands(tmp_path, words, status, policy):
    (tmp_path / "empty").touch()
    (tmp_path / "urls").write_text("https://example.com/\n", encoding="utf-8")
    with Server({"/robots.txt": answer(status)}) as server:
        result = _run(*words, f"{server.origin}/tea", "--policy", policy)

    assert result.exit_code == (3 if CLOSED[policy] else 0)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_dialect_decides_in_check(tmp_path, dialect):
    (tmp_path / "robots.txt").write_bytes(ROBOTS)
    with Server({"/robots.txt": answer(200, ROBOTS)}) as server:
        urls = [f"{server.origin}{path}" for path in PATHS]
        results = [
            _run("check", "--json", *urls, "--dialect", dialect),
            _run("check", "--json", *PATHS, "--robots", "robots.txt", "--dialect", dialect),
        ]
        assert json.loads(_run("fetch", "--json", urls[0], "--dialect", dialect).stdout)["dialect"] == dialect

    for result in results:
        answers = map(json.loads, result.stdout.splitlines())
        assert [path for path, one in zip(PATHS, answers, strict=True) if one["allowed"]] == OPENED[dialect]


@pytest.mark.parametrize("policy", POLICIES)
def test_policy_has_a_dialect(tmp_path, policy):
    (tmp_path / "robots.txt").write_bytes(ROBOTS)
    result = _run("check", "--json", *PATHS, "--robots", "robots.txt", "--policy", policy)

    answers = map(json.loads, result.stdout.splitlines())
    opened = [path for path, one in zip(PATHS, answers, strict=True) if one["allowed"]]
    assert opened == OPENED[POLICIES[policy].dialect]


def test_robots_with_different_matches_share_a_store():
    store = comity.stores.MemoryStore()
    with Server({"/robots.txt": answer(200, PARTS), "*": answer(200)}) as server:
        for agent_match, allowed in (("substring", False), (None, True), ("name-in-value", True)):
            with comity.Robot(store=store, agent_match=agent_match, trust_env=False, **AGENT) as client:
                assert client.allowed(f"{server.origin}/d/") is allowed
                assert (
                    client.access(server.origin).allowed(f"{server.origin}/d/", agent="ExampleBot") is allowed
                )

        assert server.paths() == ["/robots.txt"]


@pytest.mark.parametrize("dialect", DIALECTS)
def test_agent_match_decides_in_check(tmp_path, dialect):
    (tmp_path / "robots.txt").write_bytes(b"User-agent: My-ExampleBot\nDisallow: /\n")
    words = "check", "/", "--robots", "robots.txt", "--agent", "ExampleBot", "--dialect", dialect, "--explain"
    result = _run(*words, "--agent-match", "substring")

    assert "(group My-ExampleBot, lines 1-2)" in result.stdout
    assert _run(*words, "--agent-match", "token").exit_code == 0


def test_robots_with_different_dialects_share_a_store():
    store = comity.stores.MemoryStore()
    with Server({"/robots.txt": answer(200, ROBOTS), "*": answer(200)}) as server:
        for dialect in DIALECTS:
            with comity.Robot(store=store, dialect=dialect, trust_env=False, **AGENT) as client:
                assert [path for path in PATHS if client.allowed(server.origin + path)] == OPENED[dialect]
                assert client.access(server.origin).dialect == dialect

        assert server.paths() == ["/robots.txt"]


@pytest.mark.parametrize("make", [
    lambda dialect: comity.Robot(dialect=dialect, **AGENT),
    lambda dialect: comity.RobotsTransport(httpx2.HTTPTransport(), dialect=dialect, **AGENT),
    lambda dialect: comity.Fetch("https://example.com/", dialect=dialect),
    lambda dialect: comity.Fetch("https://example.com/", agent_match=f"dialect {dialect}"),
])  # fmt: skip
@pytest.mark.parametrize("dialect", ["rfc", "", 1994])
def test_unknown_dialect_is_an_error(make, dialect):
    with pytest.raises(comity.InvalidArgument, match="dialect"):
        make(dialect)
