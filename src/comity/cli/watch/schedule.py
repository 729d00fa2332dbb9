"""When a site is checked next, from its last answer alone: so a restart continues the schedule."""

from hashlib import sha256
from typing import NamedTuple

from ...protocol.access import Access

#: Shortest interval in seconds between two checks of a site.
SHORTEST = 60.0

#: Wait in seconds after a first failure; later waits are as long as the failure lasts.
_RETRY = 600.0

#: Longest wait for a site that fails: in intervals, and in seconds.
_FACTOR, _DAY = 4, 86_400.0

#: Maximum shift of a check, in intervals, so that many sites are not checked at once.
_JITTER = 0.1

#: Maximum difference of clocks in seconds: another machine may have stored the answer.
_AHEAD = 300.0


class Schedule(NamedTuple):
    """How often sites are checked: each `every` seconds.

    A failure is reported when it has lasted for `patience` seconds.
    """

    every: float
    patience: float

    def next_check(self, access: Access | None, now: float) -> float:
        """Return when to check a site, in seconds since 1970; `access` is its last answer, None for none.

        It is not before the end of a Retry-After.
        """
        if access is None or access.checked > now + _AHEAD:  # a clock was wrong
            return now
        wait = self.every
        if access.failing_since is not None:
            longest = max(self.every, min(_FACTOR * self.every, _DAY))
            lasted = access.checked - access.failing_since
            wait = min(max(min(_RETRY, self.every), lasted), longest)
        return max(access.checked + wait * _jitter(access), access.expires)

    def is_reported(self, access: Access) -> bool:
        """Return whether a failure has lasted long enough to be reported."""
        return access.failing_since is not None and access.checked - access.failing_since >= self.patience


def _jitter(access: Access) -> float:
    """Return a factor near 1 that differs between sites and checks, and is the same after a restart."""
    digest = sha256(f"{access.origin} {access.checked!r}".encode()).digest()
    return 1 - _JITTER + 2 * _JITTER * int.from_bytes(digest[:4]) / (1 << 32)
