"""A signal handler that uses the robot whose request it has interrupted is refused at once."""

import os
import subprocess
import sys
import time

import pytest
from http_server import Server, answer
from platforms import posix_only

pytestmark = posix_only("signal.setitimer")

#: Interrupts the request of /slow again and again, and prints the answers that the handler gets.
SCRIPT = r"""
import faulthandler, signal, sys, time
import comity
faulthandler.dump_traceback_later(60, exit=True)
origin, other, how, seconds = *sys.argv[1:4], float(sys.argv[4])
robot = comity.Robot(
    "ExampleBot/1.0", contact="bot@example.com", delay=0.0, trust_env=False, respect=sys.argv[5:]
)
seen, longest, inside = [], 0.0, False

def handler(*_):
    global longest, inside
    if inside:
        return
    inside = True
    for url in (f"{origin}/page", f"{other}/page"):
        started = time.monotonic()
        try:
            answer = robot.get(url).status_code
        except comity.MustWait as error:
            answer = error.reason
        longest = max(longest, time.monotonic() - started)
        seen.append(answer)
    inside = False

signal.signal(signal.SIGALRM, handler)
signal.setitimer(signal.ITIMER_REAL, seconds, seconds)
end = time.monotonic() + 20
statuses = set()
while len(seen) < 40 and time.monotonic() < end:
    if how == "get":
        statuses.add(robot.get(f"{origin}/slow").status_code)
    else:
        statuses.add(robot.page(f"{origin}/slow").status)
signal.setitimer(signal.ITIMER_REAL, 0)
statuses.add(robot.get(f"{origin}/page").status_code)  # the robot works as before
print(statuses == {200}, sum("middle of a request" in str(answer) for answer in seen) > 0, longest < 5)
print(*sorted(set(map(str, seen))), sep="\n")
"""


def slowly(connection):
    connection.sendall(b"HTTP/1.1 200 OK\r\ncontent-length: 4\r\nconnection: close\r\n\r\nab")
    time.sleep(0.02)
    connection.sendall(b"cd")


@pytest.mark.parametrize("how", ["get", "page", "respect"])
@pytest.mark.parametrize("seconds", ["0.005", "0.0007"])
def test_signal_handler_is_refused_at_once(how, seconds):
    """Wherever the signal interrupts the request, no call of the handler waits for its own thread."""
    routes = {"/slow": slowly, "/page": answer(200, b"x")}
    respect = ["train-ai"] if how == "respect" else []
    with Server(dict(routes)) as one, Server(dict(routes)) as other:
        done = subprocess.run(
            [sys.executable, "-c", SCRIPT, one.origin, other.origin, how.replace("respect", "get"), seconds]
            + respect,
            env={**os.environ, "PYTHONIOENCODING": "utf-8"},
            capture_output=True,
            encoding="utf-8",
            timeout=90,
        )
    assert done.stdout.split("\n")[0] == "True True True", done.stdout + done.stderr
