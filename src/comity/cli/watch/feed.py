"""An RSS 2.0 feed of the last changes (https://www.rssboard.org/rss-specification)."""

from collections.abc import Sequence
from email.utils import formatdate
from typing import NamedTuple
from xml.etree.ElementTree import Element, SubElement, tostring

from ...protocol.text import printable
from ...site.watch.change import SiteChange

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
