"""Sites on real servers, each with its own framework, and fetched by a robot that obeys."""

import contextlib
import os
import socket
import subprocess
import sys
import threading
from pathlib import Path

import pytest
import web_apps
from platforms import posix_only

import comity
from comity.testing import FakeClock

TESTS = Path(__file__).parents[2] / "support"
HOUR = 3600.0

needs_fork = posix_only("gunicorn needs fork")

servers = pytest.mark.parametrize(
    ("server", "app"),
    [
        pytest.param("gunicorn", "flask_app", marks=needs_fork),
        pytest.param("gunicorn", "django_wsgi", marks=needs_fork),
        ("uvicorn", "starlette_app"),
        ("uvicorn", "fastapi_app"),
        ("uvicorn", "django_asgi"),
    ],
)


def command(server, app):
    python = [sys.executable, "-m", server]
    if server == "gunicorn":
        return [*python, "--bind", "127.0.0.1:0", "--no-control-socket", f"web_apps:{app}()"]
    return [*python, "--host", "127.0.0.1", "--port", "0", "--no-access-log", "--factory", f"web_apps:{app}"]


@contextlib.contextmanager
def running(server, app, environment="production"):
    """Start a server as its users do, on a free port, and yield the origin that it prints."""
    variables = {**os.environ, "SITE_ENVIRONMENT": environment}
    with subprocess.Popen(
        command(server, app),
        cwd=TESTS,
        env=variables,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        encoding="utf-8",
    ) as process:
        silence = threading.Timer(60.0, process.kill)
        silence.start()
        try:
            output = []
            for line in process.stderr:
                output.append(line)
                if "http://127.0.0.1:" in line:
                    yield "http://127.0.0.1:" + line.rpartition("http://127.0.0.1:")[2].split()[0]
                    return
            pytest.fail(f"{server} did not start: {''.join(output)}")
        finally:
            silence.cancel()
            process.terminate()
            process.stderr.read()  # so that it does not wait for a reader of its output


def robot(clock, log):
    return comity.Robot(
        "ExampleBot/1.0",
        contact="bot@example.com",
        delay=0.0,
        trust_env=False,
        clock=clock,
        log=log.append,
    )


def raw_answer(origin, target):
    """Return the answer to a request target as it is, such as the absolute form that proxies send."""
    host, _, port = origin.removeprefix("http://").partition(":")
    with socket.create_connection((host, int(port)), timeout=30.0) as connection:
        request = f"GET {target} HTTP/1.1\r\nHost: {host}:{port}\r\nConnection: close\r\n\r\n"
        connection.sendall(request.encode())
        return b"".join(iter(lambda: connection.recv(65_536), b""))


def robots_txt_statuses(log):
    return [decision["status"] for decision in log if decision["url"].endswith("/robots.txt")]


@servers
def test_open_site(server, app):
    clock, log = FakeClock(), []
    with running(server, app) as origin, robot(clock, log) as crawler:
        for path, (tags, usage) in web_apps.SAID.items():
            if path.startswith("/private/"):
                with pytest.raises(comity.Disallowed) as refusal:
                    crawler.get(origin + path)
                assert refusal.value.verdict.line == 2
                continue
            page = crawler.get(origin + path)
            assert page.status_code == (404 if "missing" in path else 200)
            assert ", ".join(page.headers.get_list("x-robots-tag")) == tags, path
            assert ", ".join(page.headers.get_list("content-usage")) == usage, path
        assert crawler.get(f"{origin}/stream").text == "".join(web_apps.PIECES)
        assert raw_answer(origin, f"{origin}/robots.txt").endswith(b"\r\n\r\n" + web_apps.ROBOTS)

        own = crawler.get(f"{origin}/own")
        fields = own.headers.multi_items()
        rules = comity.page_directives(headers=fields, agent="ExampleBot")
        assert (bool(rules.index), bool(rules.snippet), bool(rules.archive)) == (False, False, True)
        usage = comity.usage(
            f"{origin}/own", robots=crawler.access(origin), headers=fields, agent="ExampleBot"
        )
        assert (usage.permits("train-ai"), usage.permits("search")) == (False, False)

        known = crawler.access(origin)
        assert (known.body, known.expires - known.checked) == (web_apps.ROBOTS, HOUR)
        clock.now += HOUR - 1
        crawler.get(origin)
        assert robots_txt_statuses(log) == [200]
        clock.now += 1
        crawler.get(origin)
        assert robots_txt_statuses(log) == [200, 304]


@servers
def test_closed_site(server, app):
    with running(server, app, "staging") as origin, robot(FakeClock(), []) as crawler:
        with pytest.raises(comity.Disallowed) as refusal:
            crawler.get(f"{origin}/drafts/open/plan")
        assert refusal.value.verdict.rule.pattern == "/"
        url = f"{origin}/robots.txt"
        itself = crawler.get(url)
        head = crawler.head(url)
        again = crawler.get(url, headers={"If-None-Match": itself.headers["etag"]})
        other = crawler.post(url, content=b"x" * 100_000)
        allowed = crawler.options(url)

    assert not comity.parse(itself.content).allowed("/", agent="ExampleBot")
    assert itself.headers["cache-control"] == "no-store"
    assert (head.content, head.headers["content-length"]) == (b"", str(len(itself.content)))
    assert [found.status_code for found in (itself, head, again, other, allowed)] == [200, 200, 304, 405, 204]
    assert {found.headers["x-robots-tag"] for found in (itself, head, again, other, allowed)} == {
        "noindex, nofollow"
    }
