"""A store of one's own, around one of Comity's, and a subclass of one."""

import comity
from comity.stores import Delay, Lease, MemoryStore, Store, Wait, WaitReason
from comity.testing import FakeSite


class CountingStore:
    """Counts the leases of each host."""

    def __init__(self, inner: Store) -> None:
        self.inner = inner
        self.leases: dict[str, int] = {}
        self.reasons: list[WaitReason] = []

    def load(self, origin: str) -> comity.Access | None:
        return self.inner.load(origin)

    def save(self, access: comity.Access) -> None:
        self.inner.save(access)

    def acquire(
        self, host: str, delay: Delay, holder: str, now: float | None, lease_seconds: float
    ) -> Lease | Wait:
        answer = self.inner.acquire(host, delay, holder, now, lease_seconds)
        if isinstance(answer, Lease):
            self.leases[host] = self.leases.get(host, 0) + 1
        else:
            self.reasons.append(answer.why)
        return answer

    def renew(self, host: str, holder: str, now: float | None, lease_seconds: float) -> None:
        self.inner.renew(host, holder, now, lease_seconds)

    def release(
        self,
        host: str,
        holder: str,
        now: float | None,
        status: int | None,
        retry_after: float | None = None,
        *,
        ago: float = 0.0,
        response_time: float | None = None,
    ) -> None:
        self.inner.release(host, holder, now, status, retry_after, ago=ago, response_time=response_time)

    def wait(self, host: str, delay: Delay, now: float | None) -> Wait | None:
        return self.inner.wait(host, delay, now)

    def visits(self, host: str) -> int:
        return self.inner.visits(host)

    def close(self) -> None:
        self.inner.close()


class VerboseStore(MemoryStore):
    """Keeps the origins that were asked for."""

    def __init__(self) -> None:
        super().__init__(max_origins=10)
        self.asked: list[str] = []

    def load(self, origin: str) -> comity.Access | None:
        self.asked.append(origin)
        return super().load(origin)


inner = VerboseStore()
store = CountingStore(inner)
site = FakeSite({"/": "Tea."})
with comity.Robot(
    "ExampleBot/1.0", contact="bot@example.com", store=store, transport=site, clock=site.clock
) as robot:
    robot.get("https://example.com/")
    assert robot.visits("example.com") == 2
assert store.leases == {"example.com": 2}
assert {reason.code for reason in store.reasons} == {"gap"}
assert inner.asked
