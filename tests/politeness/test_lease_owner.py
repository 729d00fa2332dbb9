"""A process finds out whether the holder of a lease has ended on the same machine, and judges no other."""

import os
import subprocess
import sys

import pytest
from platforms import linux_only, posix_only

from comity.politeness.concurrency import lease_owner

pytestmark = linux_only

SCRIPT = "import sys; from comity.politeness.concurrency import lease_owner; print(lease_owner.identity(), flush=True); sys.stdin.read()"


@pytest.fixture
def other():
    """A process that prints its identity and waits."""
    with subprocess.Popen(
        [sys.executable, "-c", SCRIPT], stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8"
    ) as process:
        yield process
        process.kill()


def test_process_has_ended_once_it_is_killed(other):
    text = f"request@{other.stdout.readline().strip()}"

    assert not lease_owner.has_ended(text)
    other.kill()
    os.waitid(os.P_PID, other.pid, os.WEXITED | os.WNOWAIT)  # it has ended, and its parent does not know yet
    assert lease_owner.has_ended(text)
    other.wait()
    assert lease_owner.has_ended(text)


def test_another_process_with_the_same_number_is_not_the_holder():
    namespace, pid, start = lease_owner.identity().split(".")

    assert not lease_owner.has_ended(f"a@{namespace}.{pid}.{start}")
    assert lease_owner.has_ended(f"a@{namespace}.{pid}.{int(start) - 1}")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "a",
        "a@",
        "a@.1.1",
        "other.{pid}.1",
        "a@other.4000000.1",
        "a@{namespace}",
        "a@{namespace}.",
        "a@{namespace}.-1.1",
        "a@{namespace}.٣.1",
        "a@{namespace}.99999999999999999999.1",
    ],
)
def test_unknown_holder_is_not_judged(text):
    namespace, pid, _ = lease_owner.identity().split(".")

    assert not lease_owner.has_ended(text.format(namespace=namespace, pid=pid))


def test_process_without_identity_judges_no_other(monkeypatch):
    ended = f"a@{lease_owner.identity()}1"
    assert lease_owner.has_ended(ended)
    monkeypatch.setattr(lease_owner, "identity", lease_owner.identity.__wrapped__)
    monkeypatch.setattr(lease_owner, "_namespace", lambda: None)

    assert lease_owner.identity() == ""
    assert not lease_owner.has_ended(ended)


@posix_only("os.fork")
def test_child_has_an_identity_of_its_own():
    script = (
        "import os; from comity.politeness.concurrency import lease_owner; print(lease_owner.identity(), flush=True)\n"
        "os.fork() or print(lease_owner.identity(), flush=True) or os._exit(0)\n"
        "os.wait()"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, encoding="utf-8", check=True)
    parent, child = (identity.split(".") for identity in done.stdout.split())

    assert child[0] == parent[0] == lease_owner.identity().split(".")[0]
    assert child[1] != parent[1]
