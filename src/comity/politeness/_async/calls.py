"""The calls of one client that are under way, to refuse those that interrupt another one."""

from collections.abc import Iterator
from contextlib import contextmanager

from ..concurrency._async import current_task_id


class AsyncCalls:
    """The tasks or threads that are in the middle of a request of one client.

    A signal handler or a finalizer runs within the thread that it has interrupted. If it uses the same
    client, it would wait for a lease or a lock of its own thread, which cannot continue before the handler
    returns. Such a call is refused. Other tasks and threads wait for one another.
    """

    def __init__(self) -> None:
        self._tasks: set[object] = set()

    @property
    def is_interrupted(self) -> bool:
        """Whether the running task or thread is already in the middle of a call."""
        return current_task_id() in self._tasks

    @contextmanager
    def call(self) -> Iterator[None]:
        """Mark the running task or thread as being in the middle of a call, unless it is marked."""
        task = current_task_id()
        if task in self._tasks:
            yield
            return
        try:
            self._tasks.add(task)
            yield
        finally:
            self._tasks.discard(task)
