"""Two robots that share a store in a file."""

from tempfile import TemporaryDirectory

import comity
from comity.stores import MemoryStore, SQLiteStore, Store
from comity.testing import FakeSite


def visit(site: FakeSite, store: Store) -> None:
    with comity.Robot(
        "ExampleBot/1.0", contact="bot@example.com", store=store, transport=site, clock=site.clock
    ) as robot:
        robot.get("https://example.com/")


def both(store: Store) -> list[str]:
    site = FakeSite({"/": "Tea."}, robots="User-agent: *\nAllow: /")
    visit(site, store)
    visit(site, store)
    return site.paths


with TemporaryDirectory() as folder, SQLiteStore(f"{folder}/robots.sqlite3", max_origins=100) as shared:
    assert both(shared) == ["/robots.txt", "/", "/"]
    known: comity.Access | None = shared.load("https://example.com")
    assert known is not None
    assert known.robots.allowed("/", agent="ExampleBot")
with MemoryStore() as memory:
    assert both(memory) == ["/robots.txt", "/", "/"]
