"""How a request enters the queue of its host within one client."""

import logging

from .. import pace
from ..concurrency._async import current_task_id
from .queues import AsyncHostQueue

#: Maximum wait in seconds of a task for its own open response: to receive the rest of it, and for
#: another task to close it.
OWN_WAIT = 10.0

_logger = logging.getLogger("comity.robot")


async def enter(queue: AsyncHostQueue, origin: str, *, gap: float, patience: float) -> pace.Wait | None:
    """Wait in the queue of a host for at most `patience` seconds. Return None once the request is next.

    Otherwise return how long it would have to wait. Each request before it takes at least a `gap`.
    """
    why = pace.WaitReason.BUSY
    if gap * (queue.length + 1) > patience:
        return pace.Wait(gap * (queue.length + 1), why)
    if queue.owner == current_task_id():
        own_patience = 0.0 if queue.is_read_at_once else min(patience, OWN_WAIT)
        response = None if queue.response is None else queue.response()
        if response is None or not own_patience or not await response.receive_rest(own_patience):
            why, patience = pace.WaitReason.OPEN_RESPONSE, own_patience
            _logger.warning("%s: the task requests a page while it has a response open", origin)
    queue.length += 1
    try:
        acquired = await queue.lock.acquire(max(patience, 0.0))
    finally:
        queue.length -= 1
    if not acquired:  # without a gap, the end of the request under way is not known
        if queue.response is not None and queue.response() is not None:  # perhaps of another task
            why = pace.WaitReason.OPEN_RESPONSE
        return pace.Wait(max(gap * (queue.length + 1), pace.POLL), why)
    queue.owner = current_task_id()
    return None
