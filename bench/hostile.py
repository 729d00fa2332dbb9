"""Inputs designed to be slow, each in sizes that differ by a factor of ten.

The growth of the time matters: ten times the input should take at most about ten times as long. Each library
runs each input in a separate process, with a limit of `LIMIT` seconds.
"""

import json
import random
import statistics
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass

from peers import PEERS, Peer
from race import compile_loop

__all__ = ["CASES", "LIMIT", "Case", "suffer", "trial"]

#: Time limit in seconds for all sizes of one input, including its generation.
LIMIT = 5

#: Time in seconds after which a measurement is not repeated.
_PATIENCE = 0.25

#: Time in seconds of the questions that are timed together.
_BRIEF = 0.001

_AGENT = "ExampleBot"
_ALL_ROBOTS = b"User-agent: *\n"


@dataclass(frozen=True)
class Case:
    """A hostile input of variable size, and the operation that is timed.

    `timed` is "parse"; "first" for parsing and one question; or "question" for one of many questions
    to a parsed file. `make` returns a body and paths. If `for_all` is false, only Comity is measured, with
    a longer limit.
    """

    title: str
    unit: str
    sizes: tuple[int, ...]
    timed: str
    make: Callable[[int], tuple[bytes, list[str]]]
    for_all: bool = True


def _rules(patterns: list[str]) -> bytes:
    return _ALL_ROBOTS + "".join(f"Disallow: {pattern}\n" for pattern in patterns).encode()


def _literal_patterns(count: int) -> list[str]:
    """Generate different literal patterns, like a shop with a rule for each page."""
    chance = random.Random(count)
    return [f"/{chance.choice(_SECTIONS)}/{chance.choice(_SECTIONS)}/{number:06}" for number in range(count)]


_SECTIONS = ("shop", "blog", "news", "forum", "user", "media", "archive", "search", "product", "help")


def _hits(count: int) -> tuple[bytes, list[str]]:
    patterns = _literal_patterns(count)
    paths = [f"{pattern}/page" for pattern in random.Random(0).choices(patterns, k=200)]
    return _rules(patterns), paths


def _misses(count: int) -> tuple[bytes, list[str]]:
    patterns = _literal_patterns(count)
    paths = [f"{pattern[:-1]}-" for pattern in random.Random(0).choices(patterns, k=200)]
    return _rules(patterns), paths


def _stars(count: int) -> tuple[bytes, list[str]]:
    return _rules(["/" + "*a" * 12 + "b"]), [f"/{'a' * count}"]


def _wildcards(count: int) -> tuple[bytes, list[str]]:
    return _rules([f"/*a*a*a*a*a*a{number}b" for number in range(count)]), [f"/{'a' * 2_000}"]


def _same_piece(count: int) -> tuple[bytes, list[str]]:
    return _rules([f"/*aaaaaaaa*{number}" for number in range(count)]), [f"/{'a' * 2_000}"]


def _long_path(count: int) -> tuple[bytes, list[str]]:
    return _rules([f"/*aaaaaaaa*{number}" for number in range(200)]), [f"/{'a' * count}"]


def _wild_beginnings(count: int) -> tuple[bytes, list[str]]:
    return _rules([f"/*x{number}y" for number in range(count)]), [f"/x/shop/x{'y' * 20}"]


def _same_beginning(count: int) -> tuple[bytes, list[str]]:
    patterns = ["/" + "a" * 100 + f"{number:06}" for number in range(count)]
    return _rules(patterns), [patterns[count // 2], f"{patterns[count // 2][:-1]}-"]


def _nested(count: int) -> tuple[bytes, list[str]]:
    return _rules(["/" + "a" * number for number in range(count)]), [f"/{'a' * count}"]


def _escapes(count: int) -> tuple[bytes, list[str]]:
    return _rules(["/a"]), [f"/{'%41' * (count // 3)}"]


def _long_line(count: int) -> tuple[bytes, list[str]]:
    return _rules(["/" + "a" * count]), [f"/{'a' * count}"]


def _one_group_many_times(count: int) -> tuple[bytes, list[str]]:
    body = "".join(f"User-agent: *\nDisallow: /{number}\n\n" for number in range(count))
    return body.encode(), ["/page"]


def _names(count: int) -> bytes:
    return b"".join(b"User-agent: bot%d\n" % number for number in range(count)) + _ALL_ROBOTS


def _many_names(count: int) -> tuple[bytes, list[str]]:
    return _names(count) + b"".join(b"Disallow: /%d\n" % n for n in range(count)), ["/page"]


def _many_delays(count: int) -> tuple[bytes, list[str]]:
    return _names(count) + b"Crawl-delay: 1\n" * count + b"Disallow: /x\n", ["/page"]


def _body(line: bytes) -> Callable[[int], tuple[bytes, list[str]]]:
    return lambda size: (_ALL_ROBOTS + line * (size // len(line)), [])


_LITERAL = (10, 1_000, 100_000)
_RULES = (200, 2_000)
_MANY = (10_000, 100_000)
_LINES = (2_000, 20_000)
_BODY = (5_000_000, 50_000_000)

CASES = {
    "hits": Case("literal rules, one matches", "rules", _LITERAL, "question", _hits),
    "misses": Case("literal rules, none matches", "rules", _LITERAL, "question", _misses),
    "stars": Case("one pattern with 12 `*`, a path of `a`", "bytes", (2_000, 20_000), "question", _stars),
    "wildcards": Case("patterns `/*a*a*a*a*a*a1b`, 2,000 `a`", "rules", _RULES, "question", _wildcards),
    "same-piece": Case("patterns `/*aaaaaaaa*1`, 2,000 `a`", "rules", _RULES, "question", _same_piece, False),
    "long-path": Case(
        "200 patterns `/*aaaaaaaa*1`, a path of `a`", "bytes", (2_000, 20_000), "question", _long_path, False
    ),
    "wild": Case("patterns `/*x1y`", "rules", _MANY, "question", _wild_beginnings, False),
    "alike": Case(
        "patterns that begin with the same 100 bytes", "rules", _MANY, "question", _same_beginning, False
    ),
    "nested": Case(
        "patterns `/`, `/a`, `/aa` and so on, a path as long", "rules", _RULES, "question", _nested
    ),
    "escapes": Case("a path of `%41`", "bytes", (100_000, 1_000_000), "question", _escapes, False),
    "long-question": Case(
        "a path against a pattern as long", "bytes", (100_000, 1_000_000), "question", _long_line, False
    ),
    "long-line": Case("a line", "bytes", (100_000, 1_000_000), "parse", _long_line, False),
    "first": Case("literal rules", "rules", _MANY, "first", _misses),
    "groups": Case("groups for `*`", "groups", _LINES, "first", _one_group_many_times),
    "names": Case("as many names as rules", "rules", _LINES, "first", _many_names),
    "delays": Case("as many names as delays", "delays", _LINES, "first", _many_delays),
    "body-rules": Case("rules", "bytes", _BODY, "parse", _body(b"Disallow: /page.html\n"), False),
    "body-newlines": Case("line feeds", "bytes", _BODY, "parse", _body(b"\n"), False),
    "body-line": Case("one line of `a`", "bytes", _BODY, "parse", _body(b"a"), False),
    "body-names": Case("lines `User-agent: x`", "bytes", _BODY, "parse", _body(b"User-agent: x\n"), False),
}


def trial(name: str, key: str) -> list[float | str]:
    """Return the time of a library for each size of an input in seconds, or the failure."""
    command = [sys.executable, "-W", "ignore", __file__, name, key]
    limit = LIMIT if CASES[key].for_all else 12 * LIMIT
    try:
        output = subprocess.run(command, capture_output=True, encoding="utf-8", timeout=limit).stdout
        wrong = "crash"
    except subprocess.TimeoutExpired as late:
        output, wrong = (late.stdout or b"").decode(), f"over {limit} s"
    seconds: list[float | str] = [json.loads(line) for line in output.splitlines()]
    return seconds + [wrong] * (len(CASES[key].sizes) - len(seconds))


def suffer(peer: Peer, case: Case, size: int) -> float:
    """Return the time for one size of an input, in seconds."""
    body, paths = case.make(size)
    names, source = peer.load(), peer.read(body)
    if case.timed != "question":
        loop = compile_loop(peer.calls[case.timed][0], peer.source, names)
        path = paths[0] if paths else ""
        return _median_time(lambda: loop([source], agent=_AGENT, path=path))
    found = peer.prepare(names, source, _AGENT)
    loop = compile_loop(peer.calls["ask"][0], "path", names)
    return _question_time(lambda some: loop(some, **found), paths)


def _question_time(ask: Callable[[list[str]], float], paths: list[str]) -> float:
    spent, asked = 0.0, 0
    while asked < 20 and spent < _PATIENCE:
        spent += ask([paths[asked % len(paths)]])  # triggers lazy work
        asked += 1
    some = paths[: max(1, int(_PATIENCE * asked / spent))]
    some = some * max(1, int(_BRIEF * asked / spent / len(some)))
    return _median_time(lambda: ask(some)) / len(some)


def _median_time(measure: Callable[[], float]) -> float:
    """Measure a time up to eleven times, or until the time limit, and return the median."""
    times: list[float] = []
    while len(times) < 11 and sum(times) < _PATIENCE:
        times.append(measure())
    return statistics.median(times)


if __name__ == "__main__":
    for each in CASES[sys.argv[2]].sizes:
        print(json.dumps(suffer(PEERS[sys.argv[1]], CASES[sys.argv[2]], each)), flush=True)
