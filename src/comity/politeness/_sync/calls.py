# Generated from _async/calls.py by `make generate`; change that file.
"""The calls of one client that are under way, to refuse those that interrupt another one."""

from collections.abc import Callable
from functools import partial

from ..concurrency._sync import current_task_id


class Calls:
    """The tasks or threads that are in the middle of a request of one client.

    A signal handler or a finalizer runs within the thread that it has interrupted. If it uses the same
    client, it would wait for a lease or a lock of its own thread, which cannot continue before the handler
    returns. Such a call is refused. Other tasks and threads wait for one another.
    """

    def __init__(self) -> None:
        self._tasks: set[object] = set()
        #: returns a context that marks the running task or thread as being in the middle of a call
        self.call: Callable[[], _Call] = partial(_Call, self._tasks)

    @property
    def is_interrupted(self) -> bool:
        """Whether the running task or thread is already in the middle of a call."""
        return current_task_id() in self._tasks


class _Call:
    """Marks a task or thread, unless it is marked. As a generator it would cost several times as much."""

    __slots__ = ("_task", "_tasks")

    def __init__(self, tasks: set[object]) -> None:
        self._tasks = tasks
        self._task: object = None

    def __enter__(self) -> None:
        task = current_task_id()
        if task not in self._tasks:
            self._task = task
            self._tasks.add(task)

    def __exit__(self, *_: object) -> None:
        if self._task is not None:
            self._tasks.discard(self._task)
