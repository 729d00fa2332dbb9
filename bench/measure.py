"""Run the workloads on every library that is installed, and print the figures as JSON.

python bench/measure.py [--quick]                   all measurements
python bench/measure.py [--quick] --races A B ...   only the races of the libraries A, B ...

All libraries get the same inputs in the same run, alternating, so that a slow phase of the machine affects
all of them. `run.py` runs this script in separate environments.
"""

import argparse
import contextlib
import json
import os
import platform
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import comity
import corpus
import crawling
import footprint
import hostile
import many_sites
import politeness
import race
from peers import PEERS, Peer
from workloads import WORKLOADS, file_sets


@dataclass(frozen=True)
class Effort:
    """The amount of work: the whole benchmark, or a quick sample."""

    race: race.Effort
    part: int = 1  # use every n-th file
    sample: int = 200
    starts: int = 15
    rounds: int = 150  # each of twenty requests
    sites: tuple[int, ...] = (1_000, 10_000)  # visited with each store
    crawls: tuple[int, int] = (400, 3)  # pages, and crawls with each program
    hostile: bool = True  # include the largest bodies, and all libraries


FULL = Effort(race.Effort(rounds=7, urls=200, least=0.01, most=0.3))
QUICK = Effort(
    race.Effort(rounds=7, urls=50, least=0.001, most=0.05),
    part=20,
    sample=30,
    starts=5,
    rounds=40,
    sites=(200, 1_000),
    crawls=(100, 1),
    hostile=False,
)


def main() -> None:
    """Run all measurements, with progress on standard error."""
    parser = argparse.ArgumentParser(description="Measure the libraries that are installed.")
    parser.add_argument("--quick", action="store_true", help="measure fewer files, fewer times")
    parser.add_argument("--races", nargs="+", metavar="LIBRARY", help="only the races of these libraries")
    arguments = parser.parse_args()
    effort = QUICK if arguments.quick else FULL
    peers = {name: peer for name, peer in PEERS.items() if peer.installed}
    files = corpus.load(effort.part)
    results: dict[str, object] = {}
    if arguments.races:
        raced = {name: peers[name] for name in arguments.races if name in peers}
        results = {"raced": arguments.races, "races": _races(raced, files, effort, shared=True)}
    else:
        results = dict(_everything(peers, files, effort))
    titles = {name: peer.title for name, peer in peers.items()}
    json.dump({**results, "titles": titles, "engine": comity.engine}, sys.stdout)


def _everything(
    peers: Mapping[str, Peer], files: corpus.Corpus, effort: Effort
) -> Iterator[tuple[str, object]]:
    yield "absent", [name for name in PEERS if name not in peers]
    yield "machine", _machine()
    yield "effort", {"rounds": effort.race.rounds, "urls": effort.race.urls, "quick": effort is QUICK}
    yield "sets", {each.key: [each.title, each.text] for each in file_sets(files, effort.sample)}
    workloads: dict[str, Callable[[], object]] = {
        "races": lambda: _races(peers, files, effort),
        "same": lambda: dict(_same_answers(peers, files.sample(effort.sample))),
        "hostile": lambda: dict(_trials(list(peers), effort)),
        "memory": lambda: footprint.memory(list(peers), effort.part),
        "imports": lambda: footprint.imports(list(peers), effort.starts),
        "politeness": lambda: politeness.overhead(effort.rounds),
        "sites": lambda: many_sites.sites(effort.sites),
        "requests": lambda: many_sites.requests(effort.rounds // 5),
        "crawls": lambda: crawling.crawls(*effort.crawls),
        "links": lambda: crawling.many_links(effort.crawls[1]),
    }
    for title, workload in workloads.items():
        with _progress(title):
            yield title, workload()


def _races(
    peers: Mapping[str, Peer], files: corpus.Corpus, effort: Effort, shared: bool = False
) -> dict[str, Any]:
    """Run the race on each set of files, if `shared` only for the workloads that all libraries have."""
    results = {}
    for each in file_sets(files, effort.sample):
        able = [
            work for work in each.works if all(WORKLOADS[work].call in peer.calls for peer in peers.values())
        ]
        some = replace(each, works=tuple(able)) if shared else each
        with _progress(each.title):
            results[each.key] = race.run(peers, some, effort.race, base=next(iter(peers)))
    return results


def _same_answers(peers: Mapping[str, Peer], bodies: Sequence[bytes]) -> Iterator[tuple[str, float]]:
    """Yield how many questions, in percent, each library answers as Comity does."""
    asked = [(body, agent, page) for body in bodies for agent in corpus.AGENTS for page in _some_pages(body)]
    ours: list[bool | None] = []
    for name, peer in peers.items():
        answers = list(_answers(peer, asked))
        ours = ours or answers
        pairs = [pair for pair in zip(answers, ours, strict=True) if pair[0] is not None]
        yield name, 100 * sum(given == right for given, right in pairs) / max(len(pairs), 1)


def _some_pages(body: bytes) -> list[str]:
    return [corpus.SITE + path for path in corpus.questions(body, 10)]


def _answers(peer: Peer, asked: Sequence[tuple[bytes, str, str]]) -> Iterator[bool | None]:
    """Yield an answer for each file, robot and URL, `None` if the library crashes."""
    opened = peer.load()
    call = compile(peer.expressions("first", "url")[0], peer.name, "eval")
    for body, agent, url in asked:
        try:
            yield eval(call, {**opened, peer.source: peer.read(body), "agent": agent, "url": url})
        except Exception:
            yield None


def _trials(names: list[str], effort: Effort) -> Iterator[tuple[str, dict[str, list[float | str]]]]:
    for key, case in hostile.CASES.items():
        if effort.hostile or case.unit != "bytes":
            suffering = names if effort.hostile and case.for_all else names[:1]
            yield key, {name: hostile.trial(name, key) for name in suffering}


@contextlib.contextmanager
def _progress(title: str) -> Iterator[None]:
    begin = time.perf_counter()
    yield
    print(f"{title}: {time.perf_counter() - begin:.0f} s", file=sys.stderr, flush=True)


def _machine() -> str:
    return (
        f"{platform.python_implementation()} {platform.python_version()}, "
        f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores"
    )


if __name__ == "__main__":
    main()
