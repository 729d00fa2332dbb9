"""`comity check --page` and `comity fetch --page`, against test servers."""

import json
import re
import subprocess
import sys
from functools import partial
from itertools import pairwise

import pytest
from click.testing import CliRunner
from command_home import own_home
from http_server import HOSTS, Server, answer, redirect, unused_port
from pace_model import make_demand

from comity.cli import main
from comity.desk import site_client
from comity.politeness import pace
from comity.stores import SQLiteStore
from comity.testing import FakeClock

ROBOTS = b"""\
User-agent: *
Disallow: /private
Content-Usage: search=y
Content-Usage: /open train-ai=y
Content-Usage: /stale train-ai=n
User-agent: TrainBot
Disallow: /
"""

PAGE = b"""\
<html><head>
<meta name="robots" content="noarchive, max-snippet:50">
<meta name="tdm-reservation" content="1">
<meta name="searchbot" content="noindex">
"""


def comity(*arguments):
    return CliRunner().invoke(main, arguments)


@pytest.fixture(autouse=True)
def store(tmp_path, monkeypatch):
    own_home(tmp_path, monkeypatch)
    return tmp_path / "store.sqlite3"


@pytest.fixture
def site():
    html = {"content-type": "text/html"}
    routes = {
        "/robots.txt": answer(200, ROBOTS),
        "/page": answer(200, PAGE, {**html, "x-robots-tag": "nofollow"}),
        "/open": answer(200, b"Tea.", html),
        "/moved": redirect("/page"),
        "/trap": redirect("/private"),
        "/gone": answer(410),
        "/stale": redirect("/open"),
        "/hidden": answer(200, b"<p>\n<meta name=robots content=noindex>", html),
        "/unlisted": answer(200, b"<p>", {**html, "x-robots-tag": "examplebot: noindex"}),
    }
    with Server(routes) as server:
        yield server


def rows(result):
    """Return the printed table: the answer and the reason, by question."""
    lines = [
        line.split(maxsplit=1)
        for line in result.stdout.splitlines()[2:]
        if not line.startswith(("http", "  "))
    ]
    return {words[0]: tuple(words[1].split(maxsplit=1)) for words in lines if len(words) == 2}


def test_table_has_an_answer_and_a_reason_per_question(site):
    result = comity("check", "--page", f"{site.origin}/page", "--agent", "ExampleBot")

    assert result.stdout.startswith(f"{site.origin}/page for ExampleBot (200)\n")
    assert rows(result) == {
        "crawl": ("allowed", "no rule matches (group *, lines 1-5, because no group names ExampleBot), so the URL is allowed"),
        "index": ("allowed", "nothing forbids it"),
        "follow": ("disallowed", "`nofollow` (X-Robots-Tag: nofollow)"),
        "archive": ("disallowed", "`noarchive` (meta robots, line 2)"),
        "snippet": ("allowed", "no more than `max-snippet: 50` (meta robots, line 2)"),
        "train-ai": ("disallowed", "meta line 3 `tdm-reservation: 1`"),
        "ai-input": ("unknown", "no statement about ai-input"),
        "search": ("allowed", "robots.txt line 3 `Content-Usage: search=y`"),
        "tdm": ("disallowed", "meta line 3 `tdm-reservation: 1`"),
    }  # fmt: skip
    assert result.exit_code == 0
    assert site.asked == [
        "GET /robots.txt",
        "GET /.well-known/tdmrep.json",
        "GET /ai.txt",
        "GET /page",
        "GET /llms.txt",
    ]


def test_requests_to_a_site_have_a_gap(site, monkeypatch):
    monkeypatch.setattr(site_client, "FLOOR", 0.05)
    comity("check", "--page", f"{site.origin}/page")
    visits = sorted(site.visits)

    assert len(visits) == 5
    assert min(after.began - before.ended for before, after in pairwise(visits)) >= 0.05


def test_each_robot_has_its_own_answer(site):
    names = ["--agent", "TrainBot", "--agent", "SearchBot"]
    result = comity("check", "--page", f"{site.origin}/moved", "--json", *names)
    train, search = map(json.loads, result.stdout.splitlines())

    assert (train["agent"], train["allowed"], train["line"], train["page"]) == ("TrainBot", False, 7, None)
    assert train["answers"]["train-ai"] == {
        "answer": "disallowed",
        "reason": "the page may not be fetched",
        "line": 7,
    }
    assert (search["agent"], search["allowed"]) == ("SearchBot", True)
    assert search["answers"]["index"] == {
        "answer": "disallowed",
        "reason": "`noindex` (meta searchbot, line 4)",
        "line": 4,
    }
    assert (search["page"]["url"], search["page"]["hops"]) == (
        f"{site.origin}/page",
        [f"{site.origin}/moved"],
    )
    assert search["usage"]["preferences"]["train-ai"] == "disallow"
    assert result.exit_code == 1  # fmt: skip


@pytest.mark.parametrize(
    ("path", "respect", "code"),
    [
        ("/page", [], 0),
        ("/page", ["train-ai"], 1),
        ("/page", ["search"], 0),
        ("/open", ["train-ai", "search"], 0),
        ("/open", ["index"], 0),
        ("/hidden", [], 0),
        ("/hidden", ["index"], 1),
        ("/hidden", ["search"], 1),  # Content-Usage allows it, and noindex wins
        ("/hidden", ["ai-input"], 0),
        ("/unlisted", ["search", "index"], 0),  # for another robot
        ("/gone", ["index"], 1),
        ("/private", [], 1),
        ("/trap", [], 1),
        ("/gone", [], 0),
        ("/gone", ["train-ai"], 1),  # an error has no content
        ("/stale", ["train-ai"], 1),  # the redirecting URL disallows training
    ],
)
@pytest.mark.parametrize("command", ["check", "fetch"])
def test_exit_status(site, command, path, respect, code):
    words = [word for use in respect for word in ("--respect", use)]
    result = comity(command, "--page", f"{site.origin}{path}", *words)

    assert (result.exit_code, "Traceback" in result.output) == (code, False)
    assert "GET /private" not in site.asked


def test_noindex_decides_search(site):
    result = comity("check", "--page", f"{site.origin}/hidden", "--respect", "search")

    assert rows(result)["index"] == ("disallowed", "`noindex` (meta robots, line 2)")
    assert rows(result)["search"] == ("disallowed", "meta line 2 `noindex`")
    header = comity(
        "check", "--page", f"{site.origin}/unlisted", "--agent", "ExampleBot", "--respect", "search"
    )
    assert rows(header)["search"] == ("disallowed", "header `X-Robots-Tag: examplebot: noindex`")
    assert header.exit_code == 1


REGIONS = b"""\
<html xmlns:y="http://yandex.example/ns"><p>tea
<y:noindex>cups
</y:noindex><x:noindex>pots</x:noindex>
<!--noindex-->leaves<!--/noindex-->
<!--googleoff: index-->mill
<!--googleon: index-->
<div class="robots-nocontent"><div>menu</div>
</div>
<span data-nosnippet>price
"""


def test_regions_of_a_page(site):
    site.routes["/regions"] = answer(200, REGIONS, {"content-type": "application/xhtml+xml"})
    words = ["check", "--page", "--regions", f"{site.origin}/regions"]
    shown = comity(*words).stdout
    table = shown[shown.index("\nlines") + 1 :].splitlines()

    assert [re.split(r"  +", line) for line in table[:7]] == [
        ["lines", "closed to", "mark", "read by"],
        ["2-3", "index", "<y:noindex>", "Yandex"],
        ["3", "index", "<x:noindex>", "Yandex"],
        ["4", "index", "<!--noindex-->", "Yandex"],
        ["5-6", "index", "googleoff: index", "Google Search Appliance"],
        ["7-8", "index", "robots-nocontent", "Yahoo"],
        ["9-10 (end)", "snippet", "data-nosnippet", "Google"],
    ]
    assert "\n(end): without an end mark, so up to the end of the page\n" in shown
    record = json.loads(comity(*words, "--json").stdout)
    assert [(one["line"], one["end_line"], one["kind"], one["closed"]) for one in record["regions"]] == [
        (2, 3, "index", True), (3, 3, "index", True), (4, 4, "index", True), (5, 6, "index", True),
        (7, 8, "index", True), (9, 10, "snippet", False),
    ]  # fmt: skip
    assert {one["robot"] for one in record["regions"]} == {
        "Yandex",
        "Google Search Appliance",
        "Yahoo",
        "Google",
    }
    assert record["regions_omitted"] == 0
    assert "regions" not in json.loads(comity("check", "--page", f"{site.origin}/regions", "--json").stdout)


def test_regions_of_other_pages(site):
    site.routes["/many"] = answer(200, b"<noindex></noindex>" * 1200, {"content-type": "text/html"})
    words = ["check", "--page", "--regions"]

    assert "\nRegions: none\n" in comity(*words, f"{site.origin}/open").stdout
    assert (
        "Regions: unknown: no page: the server answered 410" in comity(*words, f"{site.origin}/gone").stdout
    )
    assert "Regions: unknown: the page may not be fetched" in comity(*words, f"{site.origin}/private").stdout
    assert "\nand 200 more regions\n" in comity(*words, f"{site.origin}/many").stdout
    record = json.loads(comity(*words, f"{site.origin}/many", "--json").stdout)
    assert (len(record["regions"]), record["regions_omitted"]) == (1000, 200)
    assert json.loads(comity(*words, f"{site.origin}/gone", "--json").stdout)["regions"] is None
    wrong = comity("check", "--regions", f"{site.origin}/open")
    assert (wrong.exit_code, "--regions needs the page; add --page" in wrong.output) == (2, True)


def test_fetch_shows_robots_txt_first(site):
    result = comity("fetch", "--page", f"{site.origin}/open", "--user-agent", "ExampleBot/1.0")
    lines = result.stdout.splitlines()

    assert lines[0] == f"200  {site.origin}/robots.txt"
    assert f"{site.origin}/open for ExampleBot (200)" in lines
    assert {head.get("user-agent") for head in site.heads} == {"ExampleBot/1.0"}
    record = json.loads(comity("fetch", "--page", f"{site.origin}/open", "--json").stdout)
    assert (record["robots"]["outcome"], record["answers"]["train-ai"]["answer"]) == ("rules", "allowed")


def test_json_has_times_in_rfc_3339(site):
    headers = {"x-robots-tag": "unavailable_after: 25 Jun 2099 15:00:00 UTC"}
    site.routes["/until"] = answer(200, b"Tea.", headers)
    record = json.loads(comity("check", "--page", f"{site.origin}/until", "--json").stdout)

    assert record["page"]["unavailable_after"] == "2099-06-25T15:00:00Z"
    assert record["answers"]["index"]["reason"].startswith(
        "until `unavailable_after: 2099-06-25T15:00:00Z` ("
    )


def test_user_agent_that_may_not_fetch_the_page(site):
    words = ["--user-agent", "TrainBot/1.0", "--agent", "ExampleBot"]
    result = comity("check", "--page", f"{site.origin}/page", *words)

    assert rows(result)["index"][0] == "unknown"
    assert "TrainBot may not fetch it: line 7" in rows(result)["index"][1]
    assert site.asked == ["GET /robots.txt"]

    assert comity("check", "--page", f"{site.origin}/page", *words, "--respect", "search").exit_code == 1


def test_other_user_agent_does_not_use_the_cache(site):
    """A server may answer one robot and not another."""
    assert comity("check", f"{site.origin}/page").exit_code == 0
    site.routes["/robots.txt"] = answer(200, b"User-agent: *\nDisallow: /")

    assert comity("check", f"{site.origin}/page").exit_code == 0
    assert comity("check", f"{site.origin}/page", "--user-agent", "ExampleBot/1.0").exit_code == 1


def test_disallowed_redirect_target_is_named(site):
    with Server({"/robots.txt": answer(200, b"User-agent: *\nDisallow: /secret")}) as other:
        site.routes["/away"] = redirect(f"{other.origin}/secret")
        result = comity("check", "--page", f"{site.origin}/away")
        record = json.loads(comity("check", "--page", f"{site.origin}/away", "--json").stdout)

    assert rows(result)["crawl"][1].startswith(f"{other.origin}/secret: line 2 `Disallow: /secret`")
    assert rows(result)["index"] == ("unknown", "the page may not be fetched")
    assert (record["allowed"], record["verdict_url"]) == (False, f"{other.origin}/secret")


def test_group_for_a_control_token_disallows_training(site):
    site.routes["/robots.txt"] = answer(200, b"User-agent: Google-Extended\nDisallow: /\n")
    result = comity(
        "check", "--page", f"{site.origin}/open", "--agent", "Googlebot", "--agent", "ExampleBot", "--json"
    )
    google, other = (json.loads(line)["answers"]["train-ai"] for line in result.stdout.splitlines())

    assert google == {
        "answer": "disallowed",
        "reason": "robots.txt line 2 `Disallow: / for Google-Extended`",
        "line": 2,
    }
    assert other["answer"] == "unknown"


def test_redirect_loop_and_invalid_redirect(site):
    site.routes |= {"/loop": redirect("/loop"), "/nowhere": redirect("http://[/")}
    result = comity("check", "--page", f"{site.origin}/loop", f"{site.origin}/nowhere")

    assert result.exit_code == 3
    assert f"{site.origin}/loop: redirect loop" in result.stderr
    assert f"{site.origin}/nowhere: redirected, but its Location " in result.stderr
    assert site.asked.count("GET /loop") == 1


def test_error_status_has_no_content(site):
    result = comity("check", "--page", f"{site.origin}/gone")

    assert rows(result)["index"] == ("unknown", "no page: the server answered 410")
    assert result.exit_code == 0


def test_statement_about_a_redirecting_url_counts(site):
    result = comity("check", "--page", f"{site.origin}/stale")

    assert rows(result)["train-ai"] == (
        "disallowed",
        f"{site.origin}/stale: robots.txt line 5 `Content-Usage: /stale train-ai=n`",
    )


def test_unavailable_site_file_is_reported(site):
    site.routes["/ai.txt"] = answer(500, headers={"retry-after": "0"})
    result = comity("check", "--page", f"{site.origin}/page", "--agent", "ExampleBot")

    assert f"Incomplete: {site.origin}/ai.txt is unavailable: its server answers 500" in result.stdout
    assert result.exit_code == 0
    assert comity("check", "--page", f"{site.origin}/open", "--respect", "train-ai").exit_code == 1


def test_unavailable_page_exits_with_3_as_a_program(site):
    """Click's test runner maps errors to statuses itself, so run the program."""
    site.routes["/broken"] = site.resets(b"HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nx")
    words = ["fetch", "--page", f"{site.origin}/broken"]
    run = subprocess.run([sys.executable, "-m", "comity", *words], capture_output=True, encoding="utf-8")

    assert (run.returncode, run.stderr.startswith("Error: ")) == (3, True)
    assert run.stdout.startswith(f"200  {site.origin}/robots.txt")


def test_explain_has_a_sentence_for_each_use(site):
    result = comity("check", "--page", f"{site.origin}/page", "--explain")

    assert "`noindex` (meta searchbot, line 4) does not count: it is for another robot" in result.stdout
    assert "train-ai is disallowed by meta line 3 `tdm-reservation: 1`" in result.stdout


@pytest.mark.parametrize("command", [("check", "--page"), ("usage",)])
@pytest.mark.parametrize(("name", "stated"), [("bingbot", 0), ("msnbot", 1), ("*", 0), (None, 0)])
def test_fallback_is_stated_only_if_it_is_used(site, command, name, stated):
    file = f"User-agent: {name}\nDisallow: /a"
    site.routes["/robots.txt"] = answer(404) if name is None else answer(200, file.encode())
    words = (*command, f"{site.origin}/open", "--agent", "bingbot", "--contact", "bot@example.com")
    outputs = [comity(*words), comity(*words, "--json")]

    assert [output.stdout.count("uses the group of msnbot") for output in outputs] == [stated] * 2


def test_read_aloud_is_listed_if_the_page_forbids_it(site):
    site.routes["/open"] = answer(
        200, b"<meta name=robots content=nopagereadaloud>", {"content-type": "text/html"}
    )
    result = comity("check", "--page", f"{site.origin}/open", "--explain")

    assert rows(result)["read-aloud"] == ("disallowed", "`nopagereadaloud` (meta robots, line 1)")
    assert "it may not read it aloud: `nopagereadaloud` (meta robots, line 1)" in result.stdout


def test_unavailable_page_does_not_stop_the_others(site):
    dead = f"http://{HOSTS[1]}:{unused_port(HOSTS[1])}/"
    site.routes["/broken"] = site.resets(b"HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nx")
    result = comity("check", "--page", dead, f"{site.origin}/open", f"{site.origin}/broken")

    assert result.exit_code == 3
    assert f"{site.origin}/open for * (200)" in result.stdout
    assert f"Error: {site.origin}/broken: " in result.stderr
    record = json.loads(comity("check", "--page", f"{site.origin}/broken", "--json").stdout)
    assert (record["url"], record["allowed"]) == (f"{site.origin}/broken", None)
    assert record["error"].startswith(f"{site.origin}/broken: ")
    assert f"{dead} for * (not fetched)" in result.stdout


def test_slow_page_times_out_and_releases_its_lease(site, store, monkeypatch):
    monkeypatch.setattr(site_client, "_PAGE_TIMEOUT", 0.5)
    site.routes["/slow"] = site.drips(b"<p>", 0.05)
    result = comity("check", "--page", f"{site.origin}/slow")

    assert result.exit_code == 3
    assert result.stderr.startswith(f"Error: {site.origin}/slow: ")
    with SQLiteStore(store) as after:  # the command released its lease before it ended
        answer = after.acquire(site.origin, make_demand(0.0), "next", None, 60.0)
    assert isinstance(answer, pace.Lease)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--respect", "train-ai"], "add --page"),
        (["--page", "--respect", "training"], "--respect: unknown use 'training'"),
        (["--page", "--robots", "robots.txt"], "leave out --robots"),
    ],
)
def test_wrong_usage_exits_with_2(words, message):
    result = comity("check", "https://example.com/", *words)

    assert (result.exit_code, message in result.stderr) == (2, True)


@pytest.mark.parametrize("url", ["/page", "mailto:a@b", "http://[::1", "http://"])
def test_invalid_url_exits_with_2(url):
    result = comity("check", "--page", url)

    assert (result.exit_code, result.stderr[:7]) == (2, "Error: ")


@pytest.mark.parametrize("words", [["check", "--page"], ["fetch", "--page"]], ids=" ".join)
def test_page_outside_visit_time(monkeypatch, words):
    """Both name the page, although its tdmrep.json is what would be requested first, and the opening time."""
    governor = partial(site_client.RequestGovernor, clock=FakeClock())  # at 22:13:20 of 14 November 2023
    monkeypatch.setattr(site_client, "RequestGovernor", governor)
    with Server({"/robots.txt": answer(200, b"User-agent: *\nVisit-time: 0600-0845\n")}) as server:
        result = comity(*words, f"{server.origin}/page")

    assert result.exit_code == 3
    assert result.stderr == (
        f"Error: {server.origin}/page: the robot must wait 28000.0 s more, until 2023-11-15T06:00:00Z: "
        "Visit-time does not allow requests at this time of day\n"
    )
    assert server.asked == ["GET /robots.txt"]
