"""The decision log has a line for each request that was sent or refused, with any outcome."""

import json
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import httpx2
import pytest
from http_server import Server, answer, redirect, unused_port
from platforms import posix_only
from robot_flavours import FLAVOURS, open_robot

import comity
from comity.testing import FakeSite

RULES = b"User-agent: *\nDisallow: /private\nCrawl-delay: 10\n"
PAGE = answer(body=b"a page")

FIELDS = {
    "schema": int,
    "number": int,
    "id": str,
    "time": str,
    "sent": (str, type(None)),
    "ended": (str, type(None)),
    "method": str,
    "url": str,
    "made": bool,
    "reason": str,
    "line": (int, type(None)),
    "rule": (str, type(None)),
    "robots": (dict, type(None)),
    "age": (float, type(None)),
    "waited": float,
    "gap": (dict, type(None)),
    "status": (int, type(None)),
    "error": (str, type(None)),
    "usage": (dict, type(None)),
    "page": (dict, type(None)),
    "agent": str,
    "client": dict,
    "respect": (dict, type(None)),
    "previous": str,
    "hash": str,
}

flavours = pytest.mark.parametrize("flavour", FLAVOURS)


def is_complete(record):
    return list(record) == list(FIELDS) and all(
        isinstance(record[name], kind) for name, kind in FIELDS.items()
    )


def lines(path):
    records = [json.loads(line) for line in path.read_text("ascii").splitlines()]
    assert all(map(is_complete, records))
    return records


def told(records, server):
    """Return the fields of records that a test compares."""
    return [
        (record["method"], record["url"].removeprefix(server.origin), record["made"], record["reason"], record["status"], record["error"] is not None)
        for record in records
    ]  # fmt: skip


ASKED = ("GET", "/robots.txt", True, "robots-txt-itself", 200, False)

#: What the server answers, what is asked for, and the lines of it: method, path, made or not, why, status,
#: and whether there is an error.
CASES = {
    "a page": ({}, ["/page"], [ASKED, ("GET", "/page", True, "no-rule-matches", 200, False)]),
    "robots.txt itself": ({}, ["/robots.txt"], [ASKED, ("GET", "/robots.txt", True, "robots-txt-itself", 200, False)]),
    "an error": ({"/page": answer(500)}, ["/page"], [ASKED, ("GET", "/page", True, "no-rule-matches", 500, False)]),
    "forbidden": ({}, ["/private"], [ASKED, ("GET", "/private", False, "longest-match", None, False)]),
    "redirect": (
        {"/page": redirect("/private")},
        ["/page"],
        [ASKED, ("GET", "/page", True, "no-rule-matches", 301, False), ("GET", "/private", False, "longest-match", None, False)],
    ),
    "too early": (
        {},
        ["/page", "/page"],
        [ASKED, *[("GET", "/page", True, "no-rule-matches", 200, False), ("GET", "/page", False, "crawl-delay", None, False)]],
    ),
    "reset": (
        {"/page": Server.resets(None)},
        ["/page", "/page"],
        [ASKED, ("GET", "/page", True, "no-rule-matches", None, True), ("GET", "/page", False, "back-off", None, False)],
    ),
    "no robots.txt": (
        {"/robots.txt": answer(404)},
        ["/page"],
        [("GET", "/robots.txt", True, "robots-txt-itself", 404, False), ("GET", "/page", True, "unavailable", 200, False)],
    ),
    "robots.txt unreachable": (
        {"/robots.txt": b"what"},
        ["/page"],
        [("GET", "/robots.txt", True, "robots-txt-itself", None, True), ("GET", "/page", False, "unreachable", None, False)],
    ),
    "a robots.txt elsewhere": (
        {"/robots.txt": redirect("/rules"), "/rules": answer(body=b"User-agent: *\nDisallow: /private\n")},
        ["/page"],
        [
            ("GET", "/robots.txt", True, "robots-txt-itself", 301, False),
            ("GET", "/rules", True, "robots-txt-itself", 200, False),
            ("GET", "/page", True, "no-rule-matches", 200, False),
        ],
    ),
}  # fmt: skip


@flavours
@pytest.mark.parametrize(("routes", "paths", "expected"), CASES.values(), ids=CASES)
def test_log_records(tmp_path, flavour, routes, paths, expected):
    log = tmp_path / "decisions.jsonl"
    rules = answer(body=RULES)
    with Server({"/robots.txt": rules, "*": PAGE, **routes}) as server:
        with open_robot(flavour, log=log, max_wait=0) as robot:
            robot.access(server.origin)
            robot.clock.now += 10  # of the Crawl-delay
            for path in paths:
                with suppress(httpx2.TransportError):
                    robot.get(f"{server.origin}{path}")
        records = lines(log)

    assert told(records, server) == expected


@flavours
def test_record_contains_robots_txt_evidence(tmp_path, flavour):
    log = tmp_path / "decisions.jsonl"
    with Server({"/robots.txt": answer(body=RULES), "*": PAGE}) as server:
        with open_robot(flavour, log=log) as robot:
            with pytest.raises(comity.Disallowed):
                robot.get(f"{server.origin}/private\u202e")
            robot.get(f"{server.origin}/page")
            digest = robot.access(server.origin).sha256
        robots_txt, private, page = lines(log)

    assert robots_txt["time"] == "2023-11-14T22:13:20.000Z"
    assert (private["line"], private["rule"], private["agent"]) == (2, "Disallow: /private", "ExampleBot")
    assert private["robots"] == page["robots"] == {
        "origin": server.origin,
        "url": f"{server.origin}/robots.txt",
        "hops": [],
        "outcome": "rules",
        "cause": "ok",
        "status": 200,
        "sha256": digest,
        "truncated": False,
        "fetched": "2023-11-14T22:13:20.000Z",
        "kept": True,
    }  # fmt: skip
    assert (page["time"], page["sent"]) == ("2023-11-14T22:13:20.000Z", "2023-11-14T22:13:30.000Z")
    assert (page["age"], page["waited"]) == (10.0, 10.0)


def test_robots_share_a_log_file(tmp_path):
    """Each in its thread, and nothing is lost or torn."""
    log = tmp_path / "decisions.jsonl"
    rules = answer(body=b"User-agent: *\nDisallow: /private\n")

    def crawl(name):
        with (
            Server({"/robots.txt": rules, "*": PAGE}) as server,
            open_robot("sync", name=f"{name}/1.0", log=log) as robot,
        ):
            for n in range(40):
                with suppress(comity.Disallowed):
                    robot.get(f"{server.origin}/{'private' if n % 2 else 'page'}")

    with ThreadPoolExecutor(4) as crowd:
        for done in [crowd.submit(crawl, f"Bot{letter}") for letter in "ABCD"]:
            done.result()

    records = lines(log)
    for letter in "ABCD":
        made = [record["made"] for record in records if record["agent"] == f"Bot{letter}"]
        assert made == [True, *[True, False] * 20]
    assert len(records) == 4 * 41


def test_threads_share_a_robot(tmp_path):
    log = tmp_path / "decisions.jsonl"
    with Server({"/robots.txt": answer(body=b"User-agent: *\nDisallow: /private\n"), "*": PAGE}) as server:

        def crawl(robot):
            for n in range(40):
                with suppress(comity.Disallowed):
                    robot.get(f"{server.origin}/{'private' if n % 2 else 'page'}")

        with open_robot("sync", log=log) as robot, ThreadPoolExecutor(4) as crowd:
            for done in [crowd.submit(crawl, robot) for _ in range(4)]:
                done.result()

    records = lines(log)
    assert [record["made"] for record in records].count(False) == 80
    assert len(records) == 161


class Full(Exception):
    """The disk is full."""


@flavours
@pytest.mark.parametrize("when", ["robots.txt", "page", "failure", "refusal", "delay"])
def test_failing_log_loses_nothing(flavour, when):
    """What was fetched arrives, and nothing more is sent before the record is written."""
    is_full, records = threading.Event(), []

    def log(record):
        if is_full.is_set():
            raise Full
        records.append(record)

    routes = {"/robots.txt": answer(body=b"User-agent: *\nDisallow: /private\n"), "*": PAGE, "/failure": Server.resets(None)}  # fmt: skip
    with Server(routes) as server, open_robot(flavour, log=log) as robot:
        if when != "robots.txt":
            robot.access(server.origin)
        if when == "delay":
            server.routes["/delay"] = answer(503, headers={"retry-after": "700"})
            robot.get(f"{server.origin}/delay")
        is_full.set()
        path = f"{server.origin}/{'private' if when == 'refusal' else when}"
        if when == "robots.txt":
            assert not robot.allowed(f"{server.origin}/private")
        elif when == "page":
            assert robot.get(path).status_code == 200
        else:
            expected = {"failure": httpx2.ReadError, "refusal": comity.Disallowed, "delay": comity.MustWait}
            with pytest.raises(expected[when]):
                robot.get(path)
        asked = list(server.asked)
        for _ in range(3):
            with pytest.raises(Full):
                robot.get(f"{server.origin}/page")
        assert server.asked == asked  # nothing is sent that could not be logged
        is_full.clear()
        robot.clock.now += 1000
        robot.get(f"{server.origin}/page")

    assert server.asked.count("GET /robots.txt") == 1
    assert [record["url"].removeprefix(server.origin) for record in records if record["made"]] == [
        request.removeprefix("GET ") for request in server.asked
    ]
    assert [record["number"] for record in records] == list(range(1, len(records) + 1))


@posix_only("RLIMIT_FSIZE")
def test_full_disk_loses_nothing(tmp_path):
    """The limit of a process for the size of its files acts as a full disk."""
    script = """
import comity, json, resource, signal, sys
from pathlib import Path
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
origin, log = sys.argv[1], Path(sys.argv[2])
robot = comity.Robot("ExampleBot/1.0", contact="bot@example.com", log=log, delay=0.0, trust_env=False)
robot.get(f"{origin}/1")
limits = resource.getrlimit(resource.RLIMIT_FSIZE)
resource.setrlimit(resource.RLIMIT_FSIZE, (log.stat().st_size + 50, limits[1]))
print(robot.get(f"{origin}/2").text)
for _ in range(2):
    try:
        robot.get(f"{origin}/3")
    except OSError as error:
        print(error.strerror)
resource.setrlimit(resource.RLIMIT_FSIZE, limits)
print(robot.get(f"{origin}/3").text)
robot.get(f"{origin}/4")
resource.setrlimit(resource.RLIMIT_FSIZE, (log.stat().st_size + 50, limits[1]))
robot.get(f"{origin}/5")
try:
    robot.close()
except OSError as error:
    print("closed:", error.strerror)
print(*(json.loads(line)["url"].rpartition("/")[2] for line in log.read_text("utf-8").splitlines()))
"""
    with Server({"/robots.txt": answer(body=b"User-agent: *\nDisallow: /private\n"), "*": PAGE}) as server:
        done = subprocess.run(
            [sys.executable, "-c", script, server.origin, str(tmp_path / "log.jsonl")],
            capture_output=True,
            encoding="utf-8",
        )
    assert done.stdout.splitlines() == [
        "a page",
        *["File too large"] * 2,
        "a page",
        "closed: File too large",
        "robots.txt 1 2 3 3 3 4",  # two requests were given up
    ], done.stderr
    assert server.asked == ["GET /robots.txt", *(f"GET /{number}" for number in range(1, 6))]


class Broken:
    """A store that cannot be reached."""

    def load(self, origin):
        raise comity.StoreUnavailable("gone")


class AsyncBroken:
    async def load(self, origin):
        raise comity.StoreUnavailable("gone")


@flavours
def test_cancelled_request_is_logged(flavour):
    records = []
    store = Broken() if flavour == "sync" else AsyncBroken()
    with open_robot(flavour, log=records.append, store=store, max_wait=0) as robot:
        for _ in range(2):  # the queue is free again
            with pytest.raises(comity.StoreUnavailable):
                robot.get(f"http://127.0.0.1:{unused_port()}/page")

    assert all(map(is_complete, records))
    assert [(record["made"], record["reason"], record["error"]) for record in records] == [
        (False, "given-up", "gone")
    ] * 2


def test_refusals_go_to_logging(caplog):
    """They name the URL without its password, and no text of a site or a caller begins a line."""
    caplog.set_level("INFO", "comity.robot")
    site = FakeSite({"/": "page"}, robots="User-agent: *\nDisallow: /private")
    with comity.Robot(
        "ExampleBot/1.0", contact="a@example.com", transport=site, clock=site.clock, max_wait=0
    ) as robot:
        robot.access("https://example.com/")
        for url, options in (
            ("https://user:secret@example.com/private\u2028x", {}),
            ("https://example.com/", {"extensions": {"target": b"/x\r\n2023 forged"}}),
            ("https://example.com/", {}),
        ):
            with pytest.raises((comity.Disallowed, comity.InvalidArgument, comity.MustWait)):
                robot.get(url, **options)

    messages = [record.getMessage() for record in caplog.records]
    assert [message.split(": ")[1].split(" ")[0] for message in messages] == [
        "longest-match",
        "invalid-request",
        "gap",
    ]
    assert messages[0] == (
        "refused GET https://example.com/private%E2%80%A8x: longest-match (line 2 Disallow: /private)"
    )
    assert not any("secret" in message or not message.isprintable() for message in messages)


def test_passwords_of_a_site_are_masked():
    """The stored robots.txt has them, as the site published them; the log has not."""
    records = []
    signal = "Content-Signal: ai-train=no, x=http://user:secret@example.com/"
    site = FakeSite({"/": "page"}, robots=f"User-agent: *\n{signal}\nDisallow: /http://user:secret@x")
    with comity.Robot(
        "ExampleBot/1.0", contact="a@example.com", transport=site, clock=site.clock, log=records.append
    ) as robot:
        robot.get("https://example.com/")
        robot.check("https://example.com/")

    assert records[-1]["usage"]
    assert "secret" not in json.dumps(records)
