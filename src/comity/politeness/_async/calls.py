"""The calls of one client that are under way, to refuse those that interrupt another one."""

from collections.abc import Callable

from ..concurrency._async import current_task_id


class AsyncCall:
    """A block in which a task or thread is in the middle of a call; see `AsyncCalls.call`.

    A generator would take several times as long, and a stream has a block for each part.
    """

    __slots__ = ("_calls", "_task")

    def __init__(self, calls: "AsyncCalls") -> None:
        self._calls = calls
        self._task: object = None

    def __enter__(self) -> None:
        try:
            self._task = self._calls.unmarked()
            self._calls.begin(self._task)
        except BaseException:  # of a signal handler
            self._calls.end(self._task)
            raise

    def __exit__(self, *_: object) -> None:
        self._calls.end(self._task)


class AsyncCalls:
    """The tasks or threads that are in the middle of a request of one client.

    A signal handler or a finalizer runs within the thread that it has interrupted. If it uses the same
    client, it would wait for a lease or a lock of its own thread, which cannot continue before the handler
    returns. Such a call is refused. Other tasks and threads wait for one another.
    """

    def __init__(self) -> None:
        self._tasks: set[object] = set()
        #: Mark the task that `unmarked` has returned. A signal may end it here, so call this in a `try`.
        self.begin: Callable[[object], None] = self._tasks.add
        #: Remove the mark of that task, if it has one.
        self.end: Callable[[object], None] = self._tasks.discard

    @property
    def is_interrupted(self) -> bool:
        """Whether the running task or thread is already in the middle of a call."""
        return current_task_id() in self._tasks

    def unmarked(self) -> object:
        """Return the running task or thread, or None if it is in the middle of a call."""
        task = current_task_id()
        return None if task in self._tasks else task

    def call(self) -> AsyncCall:
        """Return a block that marks the running task or thread as being in the middle of a call."""
        return AsyncCall(self)
