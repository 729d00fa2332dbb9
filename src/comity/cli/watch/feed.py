"""An RSS 2.0 feed of the last changes (https://www.rssboard.org/rss-specification)."""

from collections.abc import Sequence
from email.utils import formatdate
from xml.etree.ElementTree import Element, SubElement, tostring

from ...protocol.text import printable
from ...site.watch.change import SiteChange

#: Maximum number of items of a feed.
MAX_ITEMS = 50

#: The channel's link and description, which RSS requires.
_LINK = "https://www.rfc-editor.org/rfc/rfc9309"


def feed(changes: Sequence[tuple[int, SiteChange]]) -> bytes:
    """Return the feed of changes with the numbers of their versions, the newest first.

    Changes beyond `MAX_ITEMS` are left out. The same changes give the same bytes.
    """
    rss = Element("rss", version="2.0")
    channel = SubElement(rss, "channel")
    _add(channel, "title", "Changes of robots.txt files")
    _add(channel, "link", _LINK)
    _add(channel, "description", "What changed in the robots.txt files that comity watch fetches.")
    _add(channel, "generator", "Comity")
    if changes:
        _add(channel, "lastBuildDate", formatdate(changes[0][1].time, usegmt=True))
    for number, change in changes[:MAX_ITEMS]:
        item = SubElement(channel, "item")
        _add(item, "title", f"{change.origin}: {change.headline}")
        _add(item, "link", f"{change.origin}/robots.txt")
        # A reader shows the description as HTML, in which a text keeps its lines within <pre>.
        text = change.explain().replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
        _add(item, "description", f"<pre>{text}</pre>")
        digest = change.record()["after"]
        assert isinstance(digest, dict)  # noqa: S101  # as `record` says
        name = f"{change.origin}/robots.txt#{number}-{str(digest['sha256'] or change.after.cause.code)[:16]}"
        _add(item, "guid", name).set("isPermaLink", "false")
        _add(item, "pubDate", formatdate(change.time, usegmt=True))
        for reason in change.reasons:
            _add(item, "category", reason.code)
    return f'<?xml version="1.0" encoding="utf-8"?>\n{tostring(rss, encoding="unicode")}\n'.encode()


def _add(parent: Element, name: str, text: str) -> Element:
    """Add an element with a text that XML can have: without controls and lone surrogates."""
    child = SubElement(parent, name)
    child.text = "\n".join(map(printable, text.split("\n")))
    return child
