"""The benchmark: every call of a library works, and figures compare libraries on the same input."""

import importlib
import sys
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parents[2] / "bench"))
corpus, peers, race, workloads = map(importlib.import_module, ("corpus", "peers", "race", "workloads"))

EFFORT = race.Effort(rounds=2, urls=2, least=0, most=1)


@pytest.mark.parametrize("name", ["Comity", "comity.compat.protego"])
def test_every_call_of_comity_answers(name):
    peer = peers.PEERS[name]
    works = {key: work for key, work in workloads.WORKLOADS.items() if work.call in peer.calls}
    files = workloads.FileSet("small", "A small file", "", (corpus.SMALL,), tuple(works))

    figures = race.run({name: peer}, files, EFFORT, base=name)

    calls = {call for by_name in figures.values() for call in _timed(by_name[name])}
    assert calls == {call for work in works.values() for call in peer.expressions(work.call, work.argument)}


def _timed(figure):
    return [figure["call"], *figure["slower"]]


def test_every_library_names_known_workloads():
    keys = {work.call for work in workloads.WORKLOADS.values()}

    assert all(set(peer.calls) <= keys for peer in peers.PEERS.values())


@pytest.mark.parametrize(
    ("from_url", "call", "expected"),
    [
        ("url", "robots.allowed(path, agent)", "robots.allowed(url, agent)"),
        ("url_path(url)", "robots.allowed(path, agent)", "robots.allowed(url_path(url), agent)"),
        ("url", "rules.allowed_many(paths)", "rules.allowed_many(urls)"),
        ("url_path(url)", "rules.many(paths)", "rules.many([url_path(url) for url in urls])"),
    ],
)
def test_call_for_urls(from_url, call, expected):
    peer = peers.Peer("Toy", "toy", from_url=from_url, calls={"ask": (call,)})

    assert peer.expressions("ask", "url") == (expected,)


def test_files_on_which_a_library_crashes_are_left_out_of_its_figures():
    picky = peers.Peer(
        "Picky", "json", setup="import json", source="body", calls={"parse": ("json.loads(body)",)}
    )
    plain = peers.Peer("Plain", "json", source="body", calls={"parse": ("len(body)",)})
    files = workloads.FileSet("all", "All files", "", (b"1", b"no", b"22"), ("parse",))

    figures = race.run({"Plain": plain, "Picky": picky}, files, EFFORT, base="Plain")["parse"]

    assert {name: (figure["files"], figure["bytes"]) for name, figure in figures.items()} == {
        "Plain": (3, 5),
        "Picky": (2, 3),
    }
    assert figures["Plain"]["ratio"] == 1
