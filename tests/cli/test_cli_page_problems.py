"""The problems that `comity check --page` reports, against loopback servers."""

import json

import pytest
from click.testing import CliRunner
from command_home import own_home
from http_server import HOSTS, Server, answer

from comity.cli import main
from comity.desk.page_resources import needs_of
from comity.politeness.page import page_of_response

ROBOTS = b"""\
User-agent: *
Disallow: /private
Disallow: /style/

User-agent: ClosedBot
Disallow: /hidden

User-agent: Googlebot
Disallow: /style/
Disallow: /private
"""
HTML = {"content-type": "text/html"}


def html(body, **fields):
    return answer(200, body, {**HTML, **{name.replace("_", "-"): value for name, value in fields.items()}})


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    own_home(tmp_path, monkeypatch)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def site():
    with Server({"/robots.txt": answer(200, ROBOTS)}) as server:
        yield server


def check(*words):
    sent = ["--contact", "bot@example.com", "--user-agent", "OurBot/1.0"]
    result = CliRunner().invoke(main, ["check", "--page", *words, *sent])
    assert "Traceback" not in result.output
    return result


def problems(*words):
    result = check(*words, "--json")
    return {
        one["code"]: one for one in json.loads(result.stdout.splitlines()[0])["problems"]
    }, result.exit_code


def test_mistakes_of_directives(site):
    body = b'<meta name="robots" content="noindex nofollow, nosnipet">\n<meta name=robots content="unavailable_after: soon">'
    site.routes["/page"] = html(body)
    found, status = problems(f"{site.origin}/page")

    assert (list(found), status) == (["missing-comma", "misspelt-rule", "invalid-value"], 1)
    assert [one["line"] for one in found.values()] == [1, 1, 2]
    text = check(f"{site.origin}/page")
    assert (
        f"Problems of {site.origin}/page:\n  error missing-comma: `noindex nofollow` is one unknown rule"
        in text.stdout
    )
    assert text.exit_code == 1
    assert check(f"{site.origin}/page", "--respect", "ai-input").exit_code == 0  # the status is about the use


def test_page_without_mistakes(site):
    site.routes["/page"] = html(b'<meta name="robots" content="noarchive, noodp, tea">')
    found, status = problems(f"{site.origin}/page")

    assert ({code: one["severity"] for code, one in found.items()}, status) == (
        {"unknown-rule": "information"},
        0,
    )


def test_noindex_that_the_robot_cannot_read(site):
    site.routes["/hidden"] = html(b"<p>", x_robots_tag="noindex")
    found, status = problems(f"{site.origin}/hidden", "--agent", "ClosedBot")

    assert (list(found), status) == (["unread-noindex"], 1)
    assert (
        "ClosedBot may not fetch the page, so it cannot read `noindex`" in found["unread-noindex"]["message"]
    )
    assert "line 6 `Disallow: /hidden`" in found["unread-noindex"]["message"]
    both, _ = problems(f"{site.origin}/hidden", "--agent", "ClosedBot", "--agent", "ExampleBot")
    assert list(both) == ["unread-noindex"]
    assert problems(f"{site.origin}/hidden", "--agent", "ExampleBot") == ({}, 0)
    assert problems(f"{site.origin}/hidden/gone", "--agent", "ClosedBot") == ({}, 1)  # 404: nothing is read
    assert "GET /hidden/gone" in site.asked


def test_page_that_nobody_may_fetch_is_not_fetched(site):
    found, status = problems(f"{site.origin}/private", "--agent", "ExampleBot")

    assert (list(found), found["page-not-read"]["severity"], status) == (["page-not-read"], "information", 1)
    assert "GET /private" not in site.asked


def test_closed_canonical(site):
    site.routes |= {
        "/html": html(b'<base href="/private/"><link rel="canonical" href="x">'),
        "/header": html(b"<p>", link='</tea>; rel="next", </private/y>; rel="nofollow canonical"'),
        "/self": html(b'<link rel=canonical href="/self">'),
        "/two": html(b'<link rel=canonical href="/a"><link rel=canonical href="/b">'),
        "/odd": html(b'<link rel=canonical href="mailto:a@b">'),
    }
    for path, line in (("/html", 1), ("/header", None)):
        found, status = problems(f"{site.origin}{path}", "--agent", "ExampleBot")
        assert (list(found), found["closed-canonical"]["line"], status) == (["closed-canonical"], line, 1)
        assert "ExampleBot may not fetch the canonical URL" in found["closed-canonical"]["message"]
    assert problems(f"{site.origin}/self") == ({}, 0)
    assert list(problems(f"{site.origin}/two")[0]) == ["several-canonicals"]
    assert list(problems(f"{site.origin}/odd")[0]) == ["invalid-canonical"]


def test_canonical_in_the_body_counts_for_nothing(site):
    """Google reads it only in the head; a visitor may have written it in a comment."""
    site.routes["/page"] = html(
        b'<title>Tea</title><link rel=canonical href="/page"><p>Tea<link rel=canonical href="/private/x">'
    )
    found, status = problems(f"{site.origin}/page", "--agent", "ExampleBot")

    assert (list(found), found["canonical-in-body"]["severity"], status) == (
        ["canonical-in-body"],
        "warning",
        1,
    )


def test_refresh_to_a_closed_page(site):
    site.routes |= {
        "/old": html(b'<base href="/private/"><meta http-equiv=Refresh content="0; URL=new">'),
        "/again": html(b'<meta http-equiv=refresh content="30"><template><meta http-equiv=refresh content="0; url=/private/"></template>'),
    }  # fmt: skip
    found, status = problems(f"{site.origin}/old", "--agent", "ExampleBot")

    assert (list(found), found["closed-refresh"]["line"], status) == (["closed-refresh"], 1, 1)
    assert "ExampleBot may not fetch" in found["closed-refresh"]["message"]
    assert problems(f"{site.origin}/again") == ({}, 0)


def test_resources_that_googlebot_may_not_fetch(site):
    with Server(
        {"/robots.txt": answer(200, b"User-agent: Googlebot\nDisallow: /app\n")}, host=HOSTS[1]
    ) as other:
        site.routes["/page"] = html(
            b'<link rel="stylesheet" href="/style/a.css">\n<link rel="alternate stylesheet" href="/style/b.css">\n'
            b'<script src="%s/app.js"></script><script type="application/json" src="/style/data"></script>\n'
            b'<script src="/open.js"></script><link rel=icon href="/style/i.png"><script src="data:,x"></script>'
            b'<link rel=preload as=style href="/style/a.css#x">' % other.origin.encode()
        )
        result = check(f"{site.origin}/page", "--agent", "ExampleBot")
        asked = other.asked
    lines = [line.strip() for line in result.stdout.splitlines() if "closed-resource" in line]

    assert [line.partition(": line")[0] for line in lines] == [
        f"error closed-resource: Googlebot may not fetch the style sheet {site.origin}/style/a.css",
        f"error closed-resource: Googlebot may not fetch the script {other.origin}/app.js",
    ]
    assert (asked, result.exit_code) == (["GET /robots.txt"], 1)
    assert "GET /style/a.css" not in site.asked


def test_many_resources_on_many_hosts_are_bounded(site):
    hosts = b"".join(b'<script src="http://127.0.0.1:%d/x.js"></script>' % port for port in range(1, 40))
    files = b"".join(b'<link rel=stylesheet href="/style/%d.css">' % number for number in range(1000))
    site.routes |= {"/hosts": html(files + hosts)}
    result = check(f"{site.origin}/hosts", "--json")
    found = json.loads(result.stdout)["problems"]

    assert len([one for one in found if one["code"] == "closed-resource"]) == 20
    assert [one["code"] for one in found][-2:] == ["more-closed-resources", "resources-not-checked"]


def test_references_of_a_hostile_page_are_bounded():
    hostile = '<x>;a="x;rel="' + " canonical" * 6000
    body = b"".join(
        b"<link rel=canonical href=%d><script src=%d></script>" % (one, one) for one in range(2000)
    )
    fields = [("content-type", "text/html"), ("link", hostile)]
    page = page_of_response("https://example.com/", (), 200, fields, body, agent="", now=0.0)
    needs = needs_of(page)

    assert (len(needs.canonicals), len(needs.resources), needs.omitted) == (10, 500, 1500)
    assert needs.resources[0] == ("script", "https://example.com/0", "0", 1)


def test_fetch_lists_the_problems_of_directives(site):
    site.routes["/typo"] = html(b"<p>", x_robots_tag="nosnipet")
    words = [
        "fetch",
        "--page",
        f"{site.origin}/typo",
        "--contact",
        "bot@example.com",
        "--user-agent",
        "OurBot/1.0",
    ]
    text, record = (CliRunner().invoke(main, [*words, *more]) for more in ([], ["--json"]))

    assert (text.exit_code, "error misspelt-rule: `nosnipet`" in text.stdout) == (0, True)
    assert [one["code"] for one in json.loads(record.stdout)["problems"]] == ["misspelt-rule"]
