"""Inputs designed to be slow, each in sizes that differ by a factor of ten.

The growth of the time matters: ten times the input should take at most about ten times as long. Each library
runs each input in a separate process, with a limit of `LIMIT` seconds.
"""

import json
import random
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from peers import Peer, open_peer

__all__ = ["CASES", "LIMIT", "Case", "suffer", "trial"]

#: Time limit in seconds for all sizes of one input, including its generation.
LIMIT = 5

#: Time in seconds after which a measurement is not repeated.
_PATIENCE = 0.25

_AGENT = "ExampleBot"
_SITE = "https://example.com"
_ALL_ROBOTS = b"User-agent: *\n"


@dataclass(frozen=True)
class Case:
    """A hostile input of variable size, and the operation that is timed.

    `timed` is "parse"; "first" for parsing and one question; or "question" for one of many questions
    to a parsed file. `make` returns a body and URLs. If `for_all` is false, only Comity is measured, with
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
    urls = [f"{_SITE}{pattern}/page" for pattern in random.Random(0).choices(patterns, k=200)]
    return _rules(patterns), urls


def _misses(count: int) -> tuple[bytes, list[str]]:
    patterns = _literal_patterns(count)
    urls = [f"{_SITE}{pattern[:-1]}-" for pattern in random.Random(0).choices(patterns, k=200)]
    return _rules(patterns), urls


def _stars(count: int) -> tuple[bytes, list[str]]:
    return _rules(["/" + "*a" * 12 + "b"]), [f"{_SITE}/{'a' * count}"]


def _wildcards(count: int) -> tuple[bytes, list[str]]:
    return _rules([f"/*a*a*a*a*a*a{number}b" for number in range(count)]), [f"{_SITE}/{'a' * 2_000}"]


def _same_piece(count: int) -> tuple[bytes, list[str]]:
    return _rules([f"/*aaaaaaaa*{number}" for number in range(count)]), [f"{_SITE}/{'a' * 2_000}"]


def _long_path(count: int) -> tuple[bytes, list[str]]:
    return _rules([f"/*aaaaaaaa*{number}" for number in range(200)]), [f"{_SITE}/{'a' * count}"]


def _wild_beginnings(count: int) -> tuple[bytes, list[str]]:
    return _rules([f"/*x{number}y" for number in range(count)]), [f"{_SITE}/x/shop/x{'y' * 20}"]


def _same_beginning(count: int) -> tuple[bytes, list[str]]:
    patterns = ["/" + "a" * 100 + f"{number:06}" for number in range(count)]
    return _rules(patterns), [f"{_SITE}{patterns[count // 2]}", f"{_SITE}{patterns[count // 2][:-1]}-"]


def _nested(count: int) -> tuple[bytes, list[str]]:
    return _rules(["/" + "a" * number for number in range(count)]), [f"{_SITE}/{'a' * count}"]


def _escapes(count: int) -> tuple[bytes, list[str]]:
    return _rules(["/a"]), [f"{_SITE}/{'%41' * (count // 3)}"]


def _long_line(count: int) -> tuple[bytes, list[str]]:
    return _rules(["/" + "a" * count]), [f"{_SITE}/{'a' * count}"]


def _one_group_many_times(count: int) -> tuple[bytes, list[str]]:
    body = "".join(f"User-agent: *\nDisallow: /{number}\n\n" for number in range(count))
    return body.encode(), [f"{_SITE}/page"]


def _names(count: int) -> bytes:
    return b"".join(b"User-agent: bot%d\n" % number for number in range(count)) + _ALL_ROBOTS


def _many_names(count: int) -> tuple[bytes, list[str]]:
    return _names(count) + b"".join(b"Disallow: /%d\n" % n for n in range(count)), [f"{_SITE}/page"]


def _many_delays(count: int) -> tuple[bytes, list[str]]:
    return _names(count) + b"Crawl-delay: 1\n" * count + b"Disallow: /x\n", [f"{_SITE}/page"]


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
    "escapes": Case("a URL of `%41`", "bytes", (100_000, 1_000_000), "question", _escapes, False),
    "long-question": Case(
        "a URL against a pattern as long", "bytes", (100_000, 1_000_000), "question", _long_line, False
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
    body, urls = case.make(size)
    source = peer.read(body)
    if case.timed == "parse":
        return _median_time(lambda: peer.parse(source))
    if case.timed == "first":
        return _median_time(lambda: peer.ask(peer.prepare(peer.parse(source), _AGENT), _AGENT, urls[0]))
    return _question_time(peer, peer.prepare(peer.parse(source), _AGENT), urls)


def _question_time(peer: Peer, prepared: Any, urls: list[str]) -> float:
    begin = time.perf_counter()
    asked = 0
    while asked < 20 and time.perf_counter() - begin < _PATIENCE:
        peer.ask(prepared, _AGENT, urls[asked % len(urls)])  # triggers lazy work
        asked += 1
    expected = (time.perf_counter() - begin) / asked
    some = urls[: max(1, int(_PATIENCE / expected))]
    return _median_time(lambda: peer.many(prepared, _AGENT, some)) / len(some)


def _median_time(action: Callable[[], object]) -> float:
    """Time an action up to eleven times, or until the time limit."""
    times: list[float] = []
    while len(times) < 11 and sum(times) < _PATIENCE:
        begin = time.perf_counter()
        action()
        times.append(time.perf_counter() - begin)
    return statistics.median(times)


if __name__ == "__main__":
    for each in CASES[sys.argv[2]].sizes:
        print(json.dumps(suffer(open_peer(sys.argv[1]), CASES[sys.argv[2]], each)), flush=True)
