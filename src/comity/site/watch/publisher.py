"""Where the changes go: to the caller, the feed, and the recipients.

The feed is RSS 2.0 (https://www.rssboard.org/rss-specification).
"""

from collections.abc import Callable, Iterable, Sequence
from email.utils import formatdate
from pathlib import Path
from typing import NamedTuple
from xml.etree.ElementTree import Element, SubElement, tostring

from ...files import replace_file
from ...protocol import printable
from ...stores import VersionStore
from .delivery import Delivery, Notice, Recipient
from .journal import Journal, Transition
from .site_change import SiteChange

#: Maximum number of items of a feed.
MAX_ITEMS = 50

#: The channel's link and description, which RSS requires.
_LINK = "https://www.rfc-editor.org/rfc/rfc9309"


class Item(NamedTuple):
    """An item of a feed: its element, and the time of its change in seconds since 1970."""

    element: Element
    time: float


def item_of(number: int, change: SiteChange) -> Item:
    """Return the item for a change; `number` is that of its version."""
    item = Element("item")
    _add(item, "title", f"{change.origin}: {change.headline}")
    _add(item, "link", f"{change.origin}/robots.txt")
    # In a description, which is HTML, only <pre> keeps the lines of a text.
    text = change.explain().replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    _add(item, "description", f"<pre>{text}</pre>")
    has_body = change.after.fetched is not None
    version = change.after.sha256 if has_body else change.after.cause.code
    name = f"{change.origin}/robots.txt#{number}-{version[:16]}"
    _add(item, "guid", name).set("isPermaLink", "false")
    _add(item, "pubDate", formatdate(change.time, usegmt=True))
    for reason in change.reasons:
        _add(item, "category", reason.code)
    return Item(item, change.time)


def feed(items: Sequence[Item]) -> bytes:
    """Return the feed of items, the newest first. The same items give the same bytes."""
    rss = Element("rss", version="2.0")
    channel = SubElement(rss, "channel")
    _add(channel, "title", "Changes of robots.txt files")
    _add(channel, "link", _LINK)
    _add(channel, "description", "What changed in the robots.txt files that comity watch fetches.")
    _add(channel, "generator", "Comity")
    if items:
        _add(channel, "lastBuildDate", formatdate(items[0].time, usegmt=True))
    channel.extend([item.element for item in items])
    return f'<?xml version="1.0" encoding="utf-8"?>\n{tostring(rss, encoding="unicode")}\n'.encode()


def _add(parent: Element, name: str, text: str) -> Element:
    """Add an element with a text that XML can have: without controls and lone surrogates."""
    child = SubElement(parent, name)
    child.text = "\n".join(map(printable, text.split("\n")))
    return child


#: Is called with the number of a version and the change that it is.
Report = Callable[[int, SiteChange], None]


class Publisher:
    """Reports the changes that a store has, each once."""

    def __init__(
        self,
        store: VersionStore,
        journal: Journal,
        recipients: Iterable[Recipient] = (),
        *,
        report: Report,
        notice: Notice,
        feed_file: Path | None = None,
        all_changes: bool = False,
        once: bool = False,
    ) -> None:
        """Continue where earlier processes stopped. With `all_changes`, quiet ones are reported too.

        `report` is called with each change that this process finds, and `notice` with each failure. With
        `once`, each delivery is tried once.

        Raises `OSError` if the store cannot be read or written.
        """
        self._store = store
        self._journal = journal
        self._feed_file = feed_file
        self._report, self._notice = report, notice
        self._all = all_changes
        #: the numbers of versions that this process has added and not reported yet
        self.added: dict[int, None] = {}
        #: the number of changes that this process has found, those without effect left out
        self.changes: int = 0
        self._reported_lines = 0
        known = journal.add(store.read())
        folder = store.path.parent
        self._deliveries = [
            Delivery(recipient, folder, journal.number, notice=notice, once=once) for recipient in recipients
        ]
        for delivery in self._deliveries:
            delivery.add(known)
        self._items = [] if feed_file is None else self._newest(reversed(journal.recent))
        self._feed: bytes | None = None
        #: why the feed could not be written, "" if it could
        self.unwritten: str = ""

    @property
    def behind(self) -> list[Delivery]:
        """The deliveries that failed and are not made up for."""
        return [delivery for delivery in self._deliveries if delivery.behind]

    @property
    def retry_at(self) -> float | None:
        """When to try a failed delivery again, in seconds since 1970; None if none has failed."""
        times = [delivery.retry_at for delivery in self._deliveries if delivery.retry_at is not None]
        return min(times, default=None)

    def publish(self, now: float) -> None:
        """Report the versions that were added since the last call, and repeat failed deliveries."""
        transitions = self._journal.add(self._store.read())
        self._report_damage()
        self._report_new(transitions)
        for delivery in self._deliveries:
            delivery.add(transitions)
            delivery.run(self._journal.change, now, all_changes=self._all)
        if self._feed_file is not None:
            self._items[:0] = self._newest(reversed(transitions))
            del self._items[MAX_ITEMS:]
        if self._feed_file is not None and (transitions or self._feed is None or self.unwritten):
            self._write_feed(self._feed_file)

    def finish(self) -> None:
        """Report the changes that were found before the watch was stopped. The next run delivers them."""
        if self.added:
            self._report_new(self._journal.add(self._store.read()))

    def _report_new(self, transitions: Sequence[Transition]) -> None:
        for transition in transitions:
            if transition.number not in self.added:
                continue  # another process reports it
            del self.added[transition.number]
            change = self._journal.change(transition)
            self.changes += not change.quiet
            if self._all or not change.quiet:
                self._report(transition.number, change)

    def _newest(self, transitions: Iterable[Transition]) -> list[Item]:
        """Return the feed's items for transitions, which are in order, the newest first."""
        items: list[Item] = []
        for transition in transitions:
            change = self._journal.change(transition)
            if self._all or not change.quiet:
                items.append(item_of(transition.number, change))
                if len(items) == MAX_ITEMS:
                    break
        return items

    def _write_feed(self, path: Path) -> None:
        """Write the feed, unless it has these changes already."""
        content = feed(self._items)
        if content == self._feed:
            return
        try:
            replace_file(str(path), content)
            self._feed, self.unwritten = content, ""
        except OSError as error:
            self.unwritten = printable(f"{path}: {error.strerror or error}")
            self._notice("Error", f"the feed is not written: {self.unwritten}")

    def _report_damage(self) -> None:
        lines = list(self._store.damaged.items())
        for line, why in lines[self._reported_lines :]:
            self._notice("Error", f"{self._store.path}:{line}: {why}; the line is skipped")
        self._reported_lines = len(lines)
