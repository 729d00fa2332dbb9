"""Signal handlers and finalizers may ask any rules at any time; neither engine waits for itself."""

import os
import signal
import subprocess
import sys

import pytest
from platforms import posix_only

pytestmark = posix_only("signal.setitimer")

#: Asks the same rules, other rules and new rules, from a signal handler or a finalizer.
SCRIPT = r"""
import faulthandler, gc, signal, sys
import comity
faulthandler.dump_traceback_later(100, exit=True)
BODY = "User-agent: *\n" + "".join(f"Disallow: /%7eé{n}*x{n}?q=/{n}\nAllow: /p{n}/\n" for n in range(60))
SMALL = "User-agent: *\nDisallow: /a\n"
URLS = ["/~é7ax7?q=/7", "/p3/", "h.example/a", "https://h.example/a%2Fb", "//x", "/~\u00e9"] * 3
asked = 0
current, other = comity.parse(BODY).rules_for("A"), comity.parse(BODY).rules_for("B")
expected = current.allowed_many(URLS)
inside = False

def ask(*_):
    global asked, other, inside
    if inside:  # a handler may be interrupted itself; two levels suffice
        return
    inside = True
    asked += 1
    if asked % 7 == 0:
        other = comity.parse(BODY).rules_for("B")
    for rules in (current, other, comity.parse(SMALL).rules_for("C")):
        for url in URLS[: asked % 5]:
            rules.allowed(url)
    inside = False
    if sys.argv[1] == "signal" and asked < wanted:
        signal.setitimer(signal.ITIMER_REAL, 0.0002)

class Finalized:
    def __init__(self):
        self.cycle = self
    def __del__(self):
        ask()

wanted = int(sys.argv[2])
if sys.argv[1] == "signal":
    signal.signal(signal.SIGALRM, ask)
    signal.setitimer(signal.ITIMER_REAL, 0.0002)
else:
    gc.set_threshold(20, 0)  # 0, so that a free-threaded Python collects as often as others
while asked < wanted:
    current = comity.parse(BODY).rules_for("A")
    if sys.argv[1] == "finalizer":
        [Finalized() for _ in range(3)]
    for _ in range(3):
        assert current.allowed_many(URLS) == expected
    assert tuple(bool(current.check(url)) for url in URLS[:3]) == expected[:3]
gc.set_threshold(0)
print(comity.engine, "answered")
"""


@pytest.mark.parametrize("pure", ["0", "1"])
@pytest.mark.parametrize("interruption", ["signal", "finalizer"])
def test_handlers_may_ask_rules(interruption, pure):
    environment = {**os.environ, "COMITY_PURE": pure, "PYTHONIOENCODING": "utf-8"}
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, interruption, "150"],
        env=environment,
        capture_output=True,
        encoding="utf-8",
    )
    assert done.stdout.split()[1:] == ["answered"], done.stdout + done.stderr


#: Asks many slow questions. The list prints "ready" itself, and is then read without the interpreter.
LONG = r"""
import faulthandler, itertools, os, signal, sys, time
import comity
faulthandler.dump_traceback_later(100, exit=True)
rules = comity.parse("User-agent: *\\n" + "".join(f"Disallow: /*{'a*b*' * n}z\\n" for n in range(200))).rules_for("A")
url = "/" + "ab" * 200
signal.signal(signal.SIGINT, signal.default_int_handler)  # a parent may have ignored it

def ready():
    print(comity.engine, flush=True)
    yield "/"

if sys.argv[1] == "arrow":
    import pyarrow
    urls = pyarrow.array(["/abab"] * 3_000_000)
    signal.signal(signal.SIGALRM, signal.default_int_handler)
    print(comity.engine, flush=True)
else:
    urls = itertools.chain(ready(), itertools.repeat(url, 2_000_000))
try:
    if sys.argv[1] == "arrow":
        signal.setitimer(signal.ITIMER_REAL, 0.02)
    rules.allowed_many(urls)
    print("finished")
except KeyboardInterrupt:
    print("interrupted")
"""


@pytest.mark.parametrize("pure", ["0", "1"])
@pytest.mark.parametrize("urls", ["iterable", "arrow"])
def test_many_questions_are_interrupted(urls, pure):
    """Ctrl-C ends `allowed_many`. To its end it would take minutes."""
    if urls == "arrow":
        pytest.importorskip("pyarrow")
    with subprocess.Popen(
        [sys.executable, "-c", LONG, urls],
        env={**os.environ, "COMITY_PURE": pure, "PYTHONIOENCODING": "utf-8"},
        stdout=subprocess.PIPE,
        encoding="utf-8",
    ) as child:
        try:
            assert child.stdout.readline()
            if urls == "iterable":
                child.send_signal(signal.SIGINT)
            assert child.communicate()[0] == "interrupted\n"
        finally:
            child.kill()
