"""A process that shares a store with others: `store_process.py visit|write BACKEND PLACE NAME ...`.

`visit` acquires a number of leases and prints the start and end of each. `write` acquires leases and saves
answers until the process is killed.
"""

import sys
import time
from itertools import count

from pace_model import make_demand
from store_backends import make_access, open_store

from comity.politeness.pace import Lease

ORIGINS = [f"https://{name}.example" for name in "abc"]


def visit(kept, name, turns, gap):
    """Acquire each lease as early as the store allows, and print its times by this machine's clock."""
    due = dict.fromkeys(ORIGINS, 0.0)
    left = dict.fromkeys(ORIGINS, turns)
    number = count()
    while due:
        origin = min(due, key=due.get)
        time.sleep(max(due[origin] - time.time(), 0))  # a real wait
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
    """Write leases and answers until the process is killed."""
    for number in count():
        origin = ORIGINS[number % len(ORIGINS)]
        answer = kept.acquire(origin, make_demand(0.0), f"{number}", None, 0.3)
        kept.save(make_access(origin, b"x" * (number % 9000)))
        if isinstance(answer, Lease) and number % 5:
            kept.release(origin, f"{number}", None, 200)
        print(number, flush=True)


if __name__ == "__main__":
    task, backend, place, *rest = sys.argv[1:]
    with open_store(backend, None, place) as store:
        if task == "visit":
            visit(store, rest[0], int(rest[1]), float(rest[2]))
        else:
            write(store)
