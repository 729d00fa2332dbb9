"""One process among several that share a home: `python store_process.py visit|write HOME PLACE NAME ...`.

`visit` takes so many turns and logs when each began and ended; `write` takes turns, keeps answers and
says so for as long as it lives.
"""

import sys
import time
from itertools import count

from pace_model import make_demand
from store_backends import make_access, open_store

from comity.politeness.pace import Lease

ORIGINS = [f"https://{name}.example" for name in "abc"]


def visit(kept, name, turns, gap):
    """Begin as soon as the home allows, and log the turns by this machine's clock."""
    due = dict.fromkeys(ORIGINS, 0.0)
    left = dict.fromkeys(ORIGINS, turns)
    number = count()
    while due:
        origin = min(due, key=due.get)
        time.sleep(max(due[origin] - time.time(), 0))  # the point of this process is to take its time
        holder = f"{name}-{next(number)}"
        answer = kept.acquire(origin, make_demand(gap), holder, None, 60.0)
        if not isinstance(answer, Lease):
            due[origin] = time.time() + answer.seconds
            continue
        began = time.time()
        kept.load(origin)
        kept.save(make_access(origin, holder.encode()))
        print(origin, began, time.time(), flush=True)
        kept.release(origin, holder, None, 200)
        left[origin] -= 1
        if not left[origin]:
            del due[origin]


def write(kept):
    """Change all that can be changed until somebody ends the process."""
    for number in count():
        origin = ORIGINS[number % len(ORIGINS)]
        answer = kept.acquire(origin, make_demand(0.0), f"{number}", None, 0.3)
        kept.save(make_access(origin, b"x" * (number % 9000)))
        if isinstance(answer, Lease) and number % 5:
            kept.release(origin, f"{number}", None, 200)
        print(number, flush=True)


if __name__ == "__main__":
    task, home, place, *rest = sys.argv[1:]
    with open_store(home, None, place) as store:
        if task == "visit":
            visit(store, rest[0], int(rest[1]), float(rest[2]))
        else:
            write(store)
