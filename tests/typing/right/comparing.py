"""What a new robots.txt changes."""

import comity
from comity.site import Change, equivalent

old = comity.parse(b"User-agent: *\nDisallow: /cart")
new = b"User-agent: *\nDisallow: /cart\nDisallow: /search"

changes: comity.Diff = comity.diff(old, new, agents="ExampleBot", urls=["https://example.com/search"])


def closed(change: Change) -> list[str]:
    return [path.witness for path in change.closed if path.new is not None]


assert [example for change in changes.changes for example in closed(change)] == ["/search"]
assert changes.changes[0].urls_closed == 1
assert equivalent(old, old.body) is True
assert "/search" in changes.explain()
several: comity.Diff = comity.diff("", new, agents=["A", ("B", "C")], dialect="google")
assert several.dialect == "google"
