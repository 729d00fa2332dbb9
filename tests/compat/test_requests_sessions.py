"""The sessions and functions of `comity.compat.requests`, and the program of its page, on loopback servers."""

import os
import pickle
import re
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest
import requests as original
from http_server import Server, answer, redirect

import comity
from comity.compat import requests

PAGE = (Path(__file__).parents[2] / "docs/how-to/requests.md").read_text(encoding="utf-8")
PROGRAM = re.search(r"^```python title=pages.py\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)[1]
CHANGES = re.search(r"^```diff\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)[1].splitlines()

HEADERS = {"User-Agent": "ExampleBot/1.0 (+https://example.com/bot)"}


@pytest.fixture
def site(monkeypatch):
    monkeypatch.setattr(requests, "_robots", {})
    monkeypatch.setattr(requests, "Robot", partial(comity.Robot, delay=0.0))
    monkeypatch.setenv("NO_PROXY", "*")
    routes = {
        "/robots.txt": answer(body=b"User-agent: *\nDisallow: /cart\n"),
        "/tea": answer(body=b"tea"),
        "/cart": answer(),
        "/trap": redirect("/cart"),
    }
    with Server(routes) as server:
        yield server
    for robot in requests._robots.values():
        robot.close()


def test_the_program_has_forty_lines_and_two_of_them_change():
    assert 35 <= len(PROGRAM.splitlines()) <= 45
    assert [line[0] for line in CHANGES] == ["-", "+", "-", "+"]
    assert all(PROGRAM.count(line[1:] + "\n") == 1 for line in CHANGES[::2])


def test_the_program_follows_no_redirect_into_a_closed_path_when_it_has_switched(site, tmp_path):
    changed = PROGRAM
    for before, after in zip(CHANGES[::2], CHANGES[1::2], strict=True):
        changed = changed.replace(before[1:] + "\n", after[1:] + "\n")
    pages = [site.origin + path for path in ("/tea", "/cart", "/trap")]
    found = []
    for text in (PROGRAM, changed):
        (tmp_path / "program.py").write_text(text, encoding="utf-8")
        site.visits.clear()
        run = subprocess.run(
            [sys.executable, tmp_path / "program.py", *pages],
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
            check=True,
            capture_output=True,
            encoding="utf-8",
        )
        assert run.stdout.splitlines()[:2] == [f"{pages[0]} tea", f"{pages[1]} None"]
        found.append((run.stdout.split()[-1], "/cart" in site.paths()))

    assert found[1] == ("Disallowed", False)
    assert found[0][1]


def test_sessions_and_functions_with_the_same_identity_share_a_robot(site):
    with requests.Session() as session:
        session.headers.update(HEADERS)
        assert session.get(f"{site.origin}/tea").text == "tea"
        with pytest.raises(requests.RequestException) as caught:
            session.get(f"{site.origin}/trap")
    assert isinstance(caught.value, comity.Disallowed)
    assert requests.get(f"{site.origin}/tea", headers=HEADERS).content == b"tea"
    for send in (requests.post, requests.put, requests.patch, requests.delete, requests.options):
        send(f"{site.origin}/tea", headers=HEADERS)
    assert requests.head(f"{site.origin}/trap", headers=HEADERS).status_code == 301

    assert site.paths() == ["/robots.txt", "/tea", "/trap", *["/tea"] * 6, "/trap"]
    assert {head["user-agent"] for head in site.heads} == set(HEADERS.values())


@pytest.mark.parametrize(
    ("headers", "contact"),
    [
        ({"User-Agent": "A/1", "From": "a@example.com"}, "a@example.com"),
        ({"User-Agent": b"A/1 (b@example.com)"}, "b@example.com"),
        ({"User-Agent": "Mozilla/5.0 (compatible; A/1; +https://example.com/a)"}, "https://example.com/a"),
    ],
)
def test_contact_of_the_robot(site, headers, contact):
    requests.get(f"{site.origin}/tea", headers=headers)

    assert [key[2] for key in requests._robots] == [contact]
    assert site.heads[-1].get("from", contact) == contact


@pytest.mark.parametrize("headers", [{}, {"User-Agent": "Mozilla/5.0"}, {"User-Agent": None}])
def test_a_request_without_a_contact_is_refused(site, headers):
    with pytest.raises(requests.RequestException, match="set the header From") as caught:
        requests.get(f"{site.origin}/tea", headers=headers)

    assert isinstance(caught.value, comity.InvalidArgument)
    assert (caught.value.name, caught.value.request.method) == ("headers", "GET")
    assert site.asked == []


def test_a_name_that_is_not_a_robots_is_refused(site):
    with pytest.raises(requests.RequestException, match="Mozilla") as caught:
        requests.get(f"{site.origin}/tea", headers={"User-Agent": "Mozilla/5.0", "From": "a@example.com"})

    assert isinstance(caught.value, comity.InvalidArgument)


def test_the_adapters_of_the_caller_send_the_requests(site):
    sent = []

    class Mine(requests.adapters.HTTPAdapter):
        def send(self, request, **options):
            sent.append(request.url)
            return super().send(request, **options)

    session = pickle.loads(pickle.dumps(requests.session()))
    session.mount("http://", Mine())
    session.mount("file:", Mine())
    session.get(f"{site.origin}/tea", headers=HEADERS)
    with pytest.raises(requests.exceptions.InvalidSchema):
        session.get("ftp://example.com/", headers=HEADERS)

    assert sent == [f"{site.origin}/tea"]
    assert isinstance(session.get_adapter("file:///tea"), Mine)


def test_nothing_of_requests_sends_without_asking():
    from comity.compat.requests.api import get
    from comity.compat.requests.sessions import Session

    assert (get, Session) == (requests.get, requests.Session)
    assert (get, Session) == (requests.api.get, requests.sessions.Session)
    assert not {get, Session} & {original.api.get, original.Session}


def test_submodules_are_those_of_requests():
    program = """
import pkgutil, sys
import requests
names = {each.name for each in pkgutil.iter_modules(requests.__path__) if not each.name.startswith("_")}
for name in sorted(names - {"api", "help", "sessions"}):
    exec(f"import comity.compat.requests.{name} as found")
    assert found is sys.modules[f"requests.{name}"], name
from comity.compat.requests.adapters import HTTPAdapter
from comity.compat.requests.auth import HTTPBasicAuth
from comity.compat.requests.exceptions import ConnectionError, Timeout
import comity.compat.requests.utils
assert requests.get.__module__ == "requests.api"
"""
    run = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        encoding="utf-8",
    )
    assert run.stderr == ""


def test_other_names_are_those_of_requests():
    names = (
        "__version__",
        "exceptions",
        "models",
        "packages",
        "status_codes",
        "ReadTimeout",
        "FileModeWarning",
    )
    assert all(getattr(requests, name) is getattr(original, name) for name in names)
    left_out = {"packages", *(name for name in original.__all__ if not hasattr(requests, name))}
    assert left_out == {"packages"}
