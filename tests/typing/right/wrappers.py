"""Typed functions and classes around Comity."""

from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Protocol, TypeVar

import comity
from comity.testing import FakeSite

T = TypeVar("T")


class Judge(Protocol):
    """What robots and parsed files have in common, for one robot."""

    def allowed(self, url: str) -> bool: ...


@dataclass
class Counter:
    """Counts refusals by reason."""

    reasons: dict[comity.Reason, int] = field(default_factory=dict[comity.Reason, int])

    def call(self, function: Callable[[], T]) -> T | None:
        try:
            return function()
        except comity.Disallowed as refusal:
            reason = refusal.verdict.reason
            self.reasons[reason] = self.reasons.get(reason, 0) + 1
            return None


@contextmanager
def polite(site: FakeSite, delay: float | None = None) -> Generator[comity.Robot, None, None]:
    seconds = 1.0 if delay is None else delay
    with comity.Robot("A/1", contact="a@b.example", transport=site, clock=site.clock, delay=seconds) as robot:
        yield robot


def first_allowed(judge: Judge, *urls: str) -> str | None:
    return next((url for url in urls if judge.allowed(url)), None)


counter = Counter()
with polite(FakeSite(robots="User-agent: *\nDisallow: /a"), delay=0) as robot:
    counter.call(lambda: robot.get("https://example.com/a"))
    assert first_allowed(robot, "https://example.com/a", "https://example.com/b") == "https://example.com/b"
rules = comity.parse("User-agent: *\nDisallow: /a").rules_for("A")
assert first_allowed(rules, "/a", "/b") == "/b"
assert counter.reasons == {comity.Reason.LONGEST_MATCH: 1}
