"""Run the workloads on every library that is installed, and print the figures as JSON.

All libraries get the same inputs in the same run, alternating, so that a slow phase of the machine affects
all of them. `run.py` runs this script in a separate environment.
"""

import gc
import json
import os
import platform
import random
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import corpus
import footprint
import hostile
import many_sites
import politeness
from peers import LIBRARIES, Peer, open_peer

#: (prepared object of one robot, robot, URL)
Question = tuple[Any, str, str]

#: The result of a measurement for each library: a figure, its ratio to Comity's, and notes.
Figures = dict[str, dict[str, Any]]


@dataclass(frozen=True)
class Effort:
    """The amount of work: the whole benchmark, or a quick sample."""

    repeats: int = 3
    part: int = 1  # use every n-th file
    sample: int = 300
    urls: int = 200
    file_budget: int = 3_000_000  # time limit in nanoseconds for the questions of one file and library
    starts: int = 15
    rounds: int = 200  # each of twenty requests
    sites: tuple[int, ...] = (1_000, 10_000)  # visited with each store
    hostile: bool = True  # include the largest bodies, and all libraries


QUICK = Effort(
    repeats=2,
    part=4,
    sample=60,
    urls=60,
    file_budget=1_500_000,
    starts=5,
    rounds=40,
    sites=(200, 1_000),
    hostile=False,
)


def main() -> None:
    """Run all measurements, with progress on standard error."""
    effort = QUICK if "--quick" in sys.argv else Effort()
    names = [name for name, library in LIBRARIES.items() if library.installed]
    peers = {name: open_peer(name) for name in names}
    files = corpus.load(effort.part)
    sample, largest = files.sample(effort.sample), files.largest(10)
    gc.collect()
    gc.freeze()  # earlier objects should not slow down the garbage collector
    workloads: dict[str, Callable[[], object]] = {
        "parse": lambda: parsing(peers, files.bodies, effort.repeats),
        "parse-and-ask": lambda: parsing_and_asking(peers, files.bodies, effort.repeats),
        "question": lambda: asking(peers, sample, effort),
        "batch": lambda: asking_many(peers, sample, effort),
        "largest": lambda: asking(peers, largest, effort, patience=10),
        "hostile": lambda: dict(_trials(names, effort)),
        "memory": lambda: footprint.memory(names, effort.part),
        "imports": lambda: footprint.imports(names, effort.starts),
        "politeness": lambda: politeness.overhead(effort.rounds),
        "sites": lambda: many_sites.sites(effort.sites),
        "requests": lambda: many_sites.requests(effort.rounds // 5),
    }
    results: dict[str, object] = {
        "titles": {name: LIBRARIES[name].title for name in names},
        "absent": [name for name in LIBRARIES if name not in names],
        "corpus": files.shape(),
        "machine": _machine(),
        "effort": {"repeats": effort.repeats, "files": len(sample), "urls": effort.urls},
    }
    for title, workload in workloads.items():
        begin = time.perf_counter()
        results[title] = workload()
        print(f"{title}: {time.perf_counter() - begin:.0f} s", file=sys.stderr, flush=True)
    json.dump(results, sys.stdout)


def parsing(peers: dict[str, Peer], bodies: tuple[bytes, ...], repeats: int) -> Figures:
    """Measure parsing of every file that a library can parse, in megabytes a second."""
    actions = {name: peer.parse for name, peer in peers.items() if peer.keeps}
    figures = _whole_runs(peers, actions, bodies, repeats)
    for figure in figures.values():
        figure["speed"] = figure["bytes"] / figure["seconds"] / 1e6
    return figures


def parsing_and_asking(peers: dict[str, Peer], bodies: tuple[bytes, ...], repeats: int) -> Figures:
    """Measure parsing and one question, in microseconds a file."""
    url, agent = "https://example.com/shop/article-7.html?id=7", corpus.AGENTS[-1]

    def first_question(peer: Peer) -> Callable[[Any], object]:
        return lambda source: peer.ask(peer.prepare(peer.parse(source), agent), agent, url)

    actions = {name: first_question(peer) for name, peer in peers.items()}
    figures = _whole_runs(peers, actions, bodies, repeats)
    for figure in figures.values():
        figure["speed"] = figure["seconds"] / figure["files"] * 1e6
    return figures


def _whole_runs(
    peers: dict[str, Peer],
    actions: dict[str, Callable[[Any], object]],
    bodies: tuple[bytes, ...],
    repeats: int,
) -> Figures:
    """Time an action on all files, and compare each library with Comity on the files that it can parse."""
    runs: dict[str, list[list[int | None]]] = {name: [] for name in actions}
    for _ in range(repeats):
        for name, action in actions.items():
            sources = [peers[name].read(body) for body in bodies]
            gc.collect()
            runs[name].append([_timed(action, source) for source in sources])
    figures: Figures = {}
    for name, times in runs.items():
        alive = [place for place, nanoseconds in enumerate(times[0]) if nanoseconds is not None]
        if not alive:
            continue
        seconds, ours = _median_sum(times, alive), _median_sum(runs["Comity"], alive)
        figures[name] = {
            "seconds": seconds,
            "ratio": seconds / ours,
            "files": len(alive),
            "bytes": sum(len(bodies[place]) for place in alive),
            "crashes": len(bodies) - len(alive),
        }
    return figures


def _timed(action: Callable[[Any], object], source: Any) -> int | None:
    begin = time.perf_counter_ns()
    try:
        action(source)
    except Exception:  # the crash is the result
        return None
    return time.perf_counter_ns() - begin


def _median_sum(runs: list[list[int | None]], places: list[int]) -> float:
    return statistics.median(sum(run[place] or 0 for place in places) for run in runs) / 1e9


def asking(peers: dict[str, Peer], bodies: list[bytes], effort: Effort, patience: int = 1) -> Figures:
    """Measure single questions, in nanoseconds, and the share of answers that agree with Comity.

    If a library is slow on a file, it gets as many questions as its time limit permits.
    """
    times: dict[str, list[float | None]] = {name: [] for name in peers}
    same: dict[str, list[int]] = {name: [0, 0] for name in peers}
    budget = effort.file_budget * patience
    for body in bodies:
        asked = [(agent, url) for agent in corpus.AGENTS for url in corpus.questions(body, effort.urls)]
        random.Random(len(body)).shuffle(asked)
        ready = {name: _put(peer, body, asked) for name, peer in peers.items()}
        answers = {name: _answers(peers[name].ask, questions) for name, questions in ready.items()}
        for name, given in answers.items():
            same[name][0] += sum(a == b for a, b in zip(given or (), answers["Comity"] or (), strict=False))
            same[name][1] += len(given or ())
        runs: dict[str, list[float]] = {name: [] for name in peers}
        for _ in range(effort.repeats):
            for name, questions in ready.items():
                if answers[name] is not None:
                    runs[name].append(_question_time(peers[name].ask, questions, budget))
        for name in peers:
            times[name].append(statistics.median(runs[name]) if runs[name] else None)
    return {
        name: {**_compare(times[name], times["Comity"]), "same": 100 * same[name][0] / max(same[name][1], 1)}
        for name in peers
    }


def _put(peer: Peer, body: bytes, asked: list[tuple[str, str]]) -> list[Question]:
    """Prepare a file for each robot. Return no questions if the library crashes."""
    try:
        parsed = peer.parse(peer.read(body))
        prepared = {agent: peer.prepare(parsed, agent) for agent in corpus.AGENTS}
    except Exception:
        return []
    return [(prepared[agent], agent, url) for agent, url in asked]


def _answers(ask: Callable[..., bool], questions: list[Question]) -> list[bool] | None:
    """Answer some questions untimed, to trigger lazy work. Return `None` if the library crashes."""
    end = time.perf_counter() + 0.01
    answers: list[bool] = []
    try:
        for question in questions[:90]:
            answers.append(ask(*question))
            if time.perf_counter() > end:
                break
    except Exception:
        return None
    return answers or None


def _question_time(ask: Callable[..., bool], questions: list[Question], budget: int) -> float:
    done = spent = 0
    size = 1
    while done < len(questions) and spent < budget:
        some = questions[done : done + size]
        begin = time.perf_counter_ns()
        for prepared, agent, url in some:
            ask(prepared, agent, url)
        spent += time.perf_counter_ns() - begin
        done += len(some)
        size *= 4
    return spent / done


def asking_many(peers: dict[str, Peer], bodies: list[bytes], effort: Effort) -> Figures:
    """Measure questions in batches, in nanoseconds a question."""
    times: dict[str, list[float | None]] = {name: [] for name in peers}
    for body in bodies:
        urls = corpus.questions(body, effort.urls)
        runs: dict[str, list[float]] = {name: [] for name in peers}
        for name, peer in peers.items():
            ready = _put(peer, body, [(agent, "") for agent in corpus.AGENTS])
            if (expected := _expected(peer, ready, urls)) is not None:
                some = urls[: max(1, int(effort.file_budget / expected / len(ready)))]
                runs[name] = [_batch_time(peer, ready, some) for _ in range(effort.repeats)]
        for name in peers:
            times[name].append(statistics.median(runs[name]) if runs[name] else None)
    return {name: _compare(times[name], times["Comity"]) for name in peers}


def _expected(peer: Peer, ready: list[Question], urls: list[str]) -> float | None:
    """Return the time of one question in nanoseconds, `None` if the library crashes."""
    asked = [(prepared, agent, url) for url in urls[:30] for prepared, agent, _ in ready]
    begin = time.perf_counter_ns()
    answers = _answers(peer.ask, asked)
    return None if answers is None else (time.perf_counter_ns() - begin) / len(answers)


def _batch_time(peer: Peer, ready: list[Question], urls: list[str]) -> float:
    begin = time.perf_counter_ns()
    for prepared, agent, _ in ready:
        peer.many(prepared, agent, urls)
    return (time.perf_counter_ns() - begin) / len(urls) / len(ready)


def _compare(times: list[float | None], ours: list[float | None]) -> dict[str, float]:
    """Return the mean time over files, and its ratio to Comity's on the files that both can parse."""
    pairs = [(t, c) for t, c in zip(times, ours, strict=True) if t is not None and c is not None]
    if not pairs:
        return {}
    mean, of_ours = (statistics.fmean(column) for column in zip(*pairs, strict=True))
    return {"speed": mean, "ratio": mean / of_ours, "crashes": len(times) - len(pairs)}


def _trials(names: list[str], effort: Effort) -> Iterator[tuple[str, dict[str, list[float | str]]]]:
    for key, case in hostile.CASES.items():
        if effort.hostile or case.unit != "bytes":
            suffering = names if effort.hostile and case.for_all else names[:1]
            yield key, {name: hostile.trial(name, key) for name in suffering}


def _machine() -> str:
    return (
        f"{platform.python_implementation()} {platform.python_version()}, "
        f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores"
    )


if __name__ == "__main__":
    main()
