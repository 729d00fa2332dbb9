"""The time of the linter is proportional to the file, whatever it holds."""

import time
from itertools import count

import pytest

import comity
from comity.site.linter import fixing
from comity.site.linter.fixing import fixed

#: Size of a file in bytes. A quadratic step takes tens of seconds at this size, a linear one a second.
SIZE = 250_000

#: Maximum CPU time in seconds, with much to spare on a busy machine.
SECONDS = 15


def fill(lines, size=SIZE):
    """Join lines up to a size."""
    body = bytearray()
    for line in lines:
        if len(body) + len(line) >= size:
            return bytes(body)
        body += line.encode() + b"\n"
    return bytes(body)


def name(number):
    """Return a name of letters alone, as every dialect compares it."""
    return "".join(chr(ord("a") + int(digit)) for digit in str(number))


COMMON = fill((f"User-agent: {name(at)}" for at in count()), SIZE // 3)
SHAPES = {
    "groups without end": fill(f"User-agent:{name(at)}\nAllow:/" for at in count()),
    "own and common fields": COMMON
    + fill((f"Content-Signal: k{at}=no" for at in count()), SIZE // 3)
    + b"Disallow: /\n"
    + fill((f"User-agent: {name(at)}\nContent-Signal: o{at}=no\nDisallow: /" for at in count()), SIZE // 3),
    "one name many times": fill(f"User-agent: *\nCrawl-delay: {at}" for at in count()),
    "names like a known one": fill(f"User-agent: Goglebot{name(at)}\nDisallow: /" for at in count()),
    "comments for one line": fill(("# comity: ignore C607" for _ in count()), SIZE // 2)
    + b"Content-Signal: "
    + ",".join(f"k{at}=y" for at in range(SIZE // 20)).encode(),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_time_is_proportional_to_the_file(shape):
    start = time.process_time()
    comity.lint(SHAPES[shape])
    assert time.process_time() - start < SECONDS


def test_large_file_gets_few_passes(monkeypatch):
    passes = []
    monkeypatch.setattr(fixing, "applied", lambda body, found, unsafe: passes.append(0) or body + b"#\n")
    monkeypatch.setattr(fixing, "findings", lambda *arguments, **named: [])
    fixed(b"#" * 400_000)
    assert 4 <= len(passes) <= 6
