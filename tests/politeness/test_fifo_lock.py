"""The locks of the queues of a client in an event loop, which finalizers may release in other threads."""

import threading

import anyio
import pytest

from comity.politeness.concurrency._async import FifoLock


@pytest.mark.parametrize("backend", ["asyncio", "trio"])
def test_lock_released_by_another_thread_goes_to_the_next_task(backend):
    failures, acquired = [], []

    def release(lock):
        try:
            lock.release()
        except RuntimeError as error:  # the event loop was called in this thread
            failures.append(error)

    async def acquire(lock):
        acquired.append(await lock.acquire(3600.0))

    async def main():
        lock = FifoLock()
        assert lock.acquire_now()
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(acquire, lock)
            await anyio.wait_all_tasks_blocked()
            thread = threading.Thread(target=release, args=(lock,))
            thread.start()
            thread.join()
            for _ in range(1000):
                if acquired:
                    break
                await anyio.sleep(0)
            tasks.cancel_scope.cancel()

    # asyncio checks in its debug mode only that no other thread calls its functions
    anyio.run(main, backend=backend, backend_options={"debug": True} if backend == "asyncio" else {})
    assert (failures, acquired) == ([], [True])
