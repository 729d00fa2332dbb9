"""A corpus that leaves out content whose use for training is not allowed."""

from collections.abc import Iterable, Iterator

import comity

ROBOTS = comity.parse("User-agent: *\nContent-Usage: train-ai=n\nContent-Usage: /open/ train-ai=y")


def usable(urls: Iterable[str], *, category: str = "train-ai") -> Iterator[str]:
    for url in urls:
        usage: comity.Usage = comity.usage(
            url, agent="ExampleBot", robots=ROBOTS, headers={"Content-Type": "text/html"}
        )
        if usage.permits(category, only_if_allowed=True):
            yield url
        else:
            deciding: comity.Statement | None = usage.deciding(category)
            assert deciding is not None
            assert deciding.source == "robots.txt"


assert list(usable(["https://example.com/a", "https://example.com/open/b"])) == ["https://example.com/open/b"]

own = comity.Vocabulary("ours", ("translate",))
single = comity.Vocabulary("ours", "translate")
usage = comity.usage(
    "/", agent="ExampleBot", robots="User-agent: *\nContent-Usage: translate=n", vocabulary=own
)
assert usage.preference("translate") is comity.Preference.DISALLOW
assert comity.usage("/", agent="ExampleBot", tdmrep=b"[]").categories
