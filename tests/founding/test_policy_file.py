"""Where a site states its policy, who writes it, and how a robot finds it."""

import json

import pytest
from click.testing import CliRunner
from http_server import Server, answer

import comity
from comity.cli import main
from comity.site.serve import ServedRequest, Site
from comity.testing import FakeClock


def run(*arguments, **options):
    return CliRunner().invoke(main, [*map(str, arguments)], **options)


def visit(origin, path, store):
    with (
        comity.stores.SQLiteStore(store) as opened,
        comity.Robot(
            "ExampleBot/1.0", contact="bot@example.com", store=opened, delay=0.0,
            clock=FakeClock(), trust_env=False,
        ) as robot,
    ):  # fmt: skip
        return robot.get(f"{origin}{path}").status_code


def test_robots_txt_is_kept_between_runs(folder):
    with Server({"/robots.txt": answer(200, b"User-agent: *\nDisallow: /x\n"), "*": answer(200)}) as site:
        visit(site.origin, "/a", folder / "rules.db")
        visit(site.origin, "/b", folder / "rules.db")

        assert site.paths() == ["/robots.txt", "/a", "/b"]


def test_owner_states_what_is_closed():
    assert (
        comity.build({"close": ["/tmp/", "/vote"]}).body
        == b"User-agent: *\nDisallow: /tmp/\nDisallow: /vote\n"
    )


def test_one_file_is_made_of_several(folder):
    (folder / "robots.d").mkdir()
    (folder / "robots.d" / "joe.txt").write_bytes(b"# Joe\nUser-agent: *\nDisallow: /~joe/private/ # mine\n")
    (folder / "robots.d" / "map.txt").write_bytes(b"User-agent: *\nDisallow: /map/ # endless\n")

    assert run("build").stdout == (
        "# Joe\nUser-agent: *\nDisallow: /~joe/private/ # mine\nDisallow: /map/ # endless\n"
    )


def test_agents_tell_which_robots_obey():
    said = {
        one["token"]: one["obeys"] for one in map(json.loads, run("agents", "--json").stdout.splitlines())
    }

    assert (said["Googlebot"], set(said.values())) == ("yes", {"yes", "no", "unstated"})


@pytest.mark.parametrize(("url", "found"), [
    ("http://www.example.com/shop/index.html", "http://www.example.com/robots.txt"),
    ("http://hypothetical.example/a?b=/c", "http://hypothetical.example/robots.txt"),
    ("http://www.example.com:8001/index.html", "http://www.example.com:8001/robots.txt"),
    ("https://example.com", "https://example.com/robots.txt"),
])  # fmt: skip
def test_robots_txt_is_at_the_top(url, found):
    assert comity.robots_url(url) == found


def test_one_request_finds_the_policy():
    with Server({"/robots.txt": answer(200, b"User-agent: *\nDisallow: /x\n")}) as site:
        assert run("fetch", f"{site.origin}/shop/index.html").exit_code == 0
        assert site.asked == ["GET /robots.txt"]


def test_policy_is_checked_before_the_page():
    with Server({"/robots.txt": answer(200, b"User-agent: *\nDisallow: /\n"), "*": answer(200)}) as site:
        result = run("check", f"{site.origin}/welcome.html")

        assert (result.exit_code, site.asked) == (1, ["GET /robots.txt"])
        assert result.stdout.splitlines()[1].split()[:4] == [
            "disallowed",
            f"{site.origin}/welcome.html",
            "2",
            "Disallow:",
        ]


def test_file_is_public():
    with Server({"/robots.txt": answer(200, b"User-agent: *\nDisallow: /x\n")}) as site:
        assert run("fetch", "--body", site.origin).stdout == "User-agent: *\nDisallow: /x\n"


@pytest.mark.parametrize(("path", "status"), [
    ("/robots.txt", 200), ("/Robots.TXT", None), ("/ROBOTS.TXT", None), ("/shop/robots.txt", None),
])  # fmt: skip
def test_name_is_lower_case_and_at_the_top(path, status):
    found = Site(b"User-agent: *\nDisallow: /x\n", environment="production").answer(
        ServedRequest("GET", path.encode(), b"", ())
    )

    assert (found.status if found else None) == status
