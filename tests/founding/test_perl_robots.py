"""The appendix on robots.txt for robots in Perl: how a file is found and read, and what LWP::RobotUA does."""

import pytest
from click.testing import CliRunner
from dialect_answers import DIALECTS, allowed
from http_server import Server, answer, redirect

import comity
from comity.cli import main
from comity.errors import Disallowed, MustWait
from comity.testing import FakeClock

POLICIES = ("rfc9309", "google", "draft1996", "lwp", "wget", "strict")


def check(url, *options):
    return CliRunner().invoke(main, ["check", url, *options]).exit_code


def open_robot(**options):
    settings = {"contact": "bot@example.com", "delay": 0.0, "clock": FakeClock(), "trust_env": False}
    return comity.Robot("ExampleBot/1.0", **settings | options)


def test_robot_can_be_reached():
    with Server({"*": answer(404)}) as site, open_robot() as robot:
        robot.get(f"{site.origin}/")

        assert site.heads[0]["user-agent"] == site.heads[1]["user-agent"] == "ExampleBot/1.0"
        assert site.heads[0]["from"] == site.heads[1]["from"] == "bot@example.com"
    with pytest.raises(TypeError, match="contact"):
        comity.Robot("ExampleBot/1.0")
    with pytest.raises(comity.InvalidArgument):
        comity.Robot("", contact="bot@example.com")


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_redirects_are_followed(policy, status):
    routes = {
        "/robots.txt": redirect("/elsewhere", status),
        "/elsewhere": answer(200, b"User-agent: *\nDisallow: /x\n"),
    }
    with Server(routes) as site, open_robot(policy=policy) as robot:
        assert not robot.allowed(f"{site.origin}/x")
        assert site.paths() == ["/robots.txt", "/elsewhere"]


@pytest.mark.parametrize("policy", ["draft1996", "strict"])
@pytest.mark.parametrize("status", [401, 403])
def test_forbidden_file_closes_the_site(policy, status):
    with Server({"/robots.txt": answer(status)}) as site, open_robot(policy=policy) as robot:
        assert not robot.allowed(f"{site.origin}/x")


@pytest.mark.parametrize("policy", POLICIES)
def test_absent_file_opens_the_site(policy):
    with Server({"/robots.txt": answer(404)}) as site:
        assert check(f"{site.origin}/x", "--policy", policy) == 0


#: The example site of the Internet Draft of 1996 has rules of each kind.
DRAFT = """\
# /robots.txt for http://www.fict.org/
User-agent: unhipbot
Disallow: /

User-agent: webcrawler
User-agent: excite
Disallow:

User-agent: *
Disallow: /org/plans.html
Allow: /org/
Allow: /serv
Allow: /~mak
Disallow: /
"""


@pytest.mark.parametrize(("agent", "path", "answer"), [
    ("unhipbot/0.1", "/services/fast.html", False),
    ("WebCrawler/3.0", "/org/plans.html", True),
    ("excite/1.0", "/%7Ejim/jim.html", True),
    ("other", "/org/plans.html", False),
    ("other", "/org/about.html", True),
    ("other", "/%7Emak/mak.html", True),
    ("other", "/orgo.gif", False),
    ("other", "/robots.txt", True),
])  # fmt: skip
def test_draft_of_1996_adds_allow_and_escapes(agent, path, answer):
    assert allowed(DRAFT, agent, path, "draft1996") is answer


#: The example of a polite and an impolite robot.
TWO_ROBOTS = "User-agent: friendly-indexer\nUser-agent: search-thingy\nDisallow: /cgi-bin/\nAllow: /\n\nUser-agent: *\nDisallow: /\n"


@pytest.mark.parametrize("dialect", ["rfc9309", "google", "draft1996"])
@pytest.mark.parametrize(("agent", "path", "answer"), [
    ("Friendly-Indexer/1.0", "/a", True),
    ("SEARCH-THINGY", "/a", True),
    ("search-thingy", "/cgi-bin/a", False),
    ("another", "/a", False),
])  # fmt: skip
def test_three_directives(dialect, agent, path, answer):
    assert allowed(TWO_ROBOTS, agent, path, dialect) is answer


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize(("pattern", "path", "answer"), [
    ("/index", "/index.html", False),
    ("/index", "/index/summary.html", False),
    ("/index/", "/index/summary.html", False),
    ("/index/", "/index.html", True),
    ("/", "/any", False),
])  # fmt: skip
def test_prefixes_of_the_appendix(dialect, pattern, path, answer):
    assert allowed(f"User-agent: *\nDisallow: {pattern}\n", "visitor", path, dialect) is answer


@pytest.mark.parametrize("dialect", DIALECTS)
def test_all_robots_are_out_except_one(dialect):
    text = "User-agent: *\nDisallow: /\n\nUser-agent: search-thingy\nDisallow:\n"

    assert allowed(text, "search-thingy/1.0", "/x", dialect)
    assert not allowed(text, "another", "/x", dialect)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_own_record_replaces_the_default(dialect):
    """A later and more specific record decides, but a later line of one record does not cancel earlier ones."""
    text = "User-agent: *\nDisallow: /a\n\nUser-agent: search-thingy\nDisallow: /b\n"

    assert allowed(text, "search-thingy", "/a", dialect)
    assert not allowed(text, "search-thingy", "/b", dialect)


# LWP::RobotUA ---------------------------------------------------------------------------------------


def test_robot_does_not_wait_if_it_may_not():
    """`use_sleep(0)`: a robot that is asked too early raises, and says how long to wait."""
    with (
        Server({"/robots.txt": answer(404), "*": answer(200)}) as site,
        open_robot(delay=60.0, max_wait=0) as robot,
        pytest.raises(MustWait) as waiting,
    ):
        robot.get(f"{site.origin}/x")

    assert 0 < waiting.value.seconds <= 60.0


def test_disallowed_page_is_not_requested():
    """`403 Forbidden by robots.txt` is an exception that has the rule."""
    with (
        Server({"/robots.txt": answer(200, b"User-agent: *\nDisallow: /x\n"), "*": answer(200)}) as site,
        open_robot() as robot,
    ):
        with pytest.raises(Disallowed) as refusal:
            robot.get(f"{site.origin}/x")

        assert refusal.value.verdict.line == 2
        assert site.paths() == ["/robots.txt"]


@pytest.mark.parametrize("status", [401, 403, 404, 410, 500, 503])
def test_lwp_takes_every_failure_as_no_rules(status):
    with Server({"/robots.txt": answer(status)}) as site:
        assert check(f"{site.origin}/x", "--policy", "lwp") == 0


def test_delay_can_be_set():
    with open_robot(policy="lwp", delay=None) as robot:
        assert robot.delay == 60.0
        robot.delay = 600.0
        assert robot.delay == 600.0


@pytest.fixture
def visited():
    """Yield a robot with a delay of a minute that has fetched one page, and the site."""
    routes = {"/robots.txt": answer(200, b"User-agent: *\nDisallow: /x\n"), "*": answer(200)}
    with Server(routes) as site, open_robot(delay=60.0) as robot:
        robot.get(f"{site.origin}/a")
        yield robot, site


def test_host_wait_is_the_time_until_the_next_request(visited):
    robot, site = visited

    assert 0.0 < robot.host_wait(site.origin) <= 60.0
    assert robot.host_wait("other.example") == 0.0


def test_visits_are_counted_by_host(visited):
    robot, site = visited

    assert (robot.visits(site.origin), robot.visits("other.example")) == (2, 0)


def test_robot_describes_itself(visited):
    robot, _ = visited

    assert "requests: 2" in robot.describe()
    assert "ExampleBot/1.0" in repr(robot)
    assert "0x" not in repr(robot)


def test_rules_can_be_given():
    with open_robot() as robot:
        robot.learn("http://some.example/robots.txt", "User-agent: *\nDisallow: /tmp/\n")
        robot.learn("http://other.example/robots.txt", b"User-agent: ExampleBot\nDisallow:\n")

        assert not robot.allowed("http://some.example/tmp/x")
        assert robot.allowed("http://other.example/tmp/x")
        assert robot.access("http://some.example/").outcome is comity.Outcome.RULES
