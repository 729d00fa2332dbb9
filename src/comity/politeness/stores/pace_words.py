"""The words that Python and `pace.lua`, the script of a Redis server, exchange."""

from ..pace import Delay, Lease, Wait, WaitReason


def delay_words(delay: Delay) -> tuple[float | str, ...]:
    """Return what a step needs to know of a delay, for `joined`."""
    return delay.gap, delay.why.name, delay.visit_wait, delay.slow_down


def joined(*values: float | str | None) -> str:
    """Return the arguments of a step as one text: each argument of a command costs processor time.

    >>> joined(None, 1.5, "CRAWL_DELAY")
    '- 1.5 CRAWL_DELAY'
    """
    return " ".join(["-" if value is None else str(value) for value in values])


def is_busy(answer: list[bytes]) -> bool:
    """Return whether the words of an answer name another holder of the lease, as the last one."""
    return answer[0] == b"wait" and len(answer) > 3


def lease_or_wait(answer: list[bytes], holder: str) -> Lease | Wait:
    """Return the lease that the words of an answer grant, or the wait that they ask for."""
    if answer[0] == b"lease":
        return Lease(holder, *map(float, answer[1:]))
    return Wait(float(answer[1]), WaitReason[answer[2].decode()])
