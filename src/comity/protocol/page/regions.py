"""Marks in a page -> the regions of its text that are closed to indexing, anchor text or snippets."""

from ..value import Value
from .markup import Mark

#: A region as plain data, in the order of the fields of `Region`.
Span = tuple[str, str, int, int, int, int, bool]

#: The kinds of `googleoff` and `googleon` (Google Search Appliance).
_KINDS = ("index", "anchor", "snippet")

#: The attributes and classes that open a region at an element, and its kind.
_ELEMENTS = (("data-nosnippet", "snippet"), ("robots-nocontent", "index"))

#: The elements that end where the next one of their name begins (HTML 13.1.2.4).
_NOT_NESTED = ("p", "option")


class Region(Value):
    """A region of text that a page closes.

    `kind` is the forbidden use: "index" (the text must not be indexed; links in it are still followed),
    "snippet" (it must not be shown), or "anchor" (the text of its links must not describe their targets).
    `mark` is the opening mark, such as "data-nosnippet" or "googleoff: all". `start` and `end` are offsets in
    the text that `comity.protocol.page.encoding.decoded` returns; `line` and `end_line` are their lines.
    `closed` is whether there is an end mark. Without one, the region extends to the end of the page.

    >>> import comity
    >>> page = comity.page_directives(html="Tea <!--googleoff: index-->and cups", agent="")
    >>> [(region.kind, region.mark, region.start, region.end) for region in page.regions]
    [('index', 'googleoff: index', 27, 35)]
    >>> page.regions[0].robot, page.regions[0].closed
    ('Google Search Appliance', False)
    """

    kind: str
    mark: str
    start: int
    end: int
    line: int
    end_line: int
    closed: bool

    @property
    def robot(self) -> str:
        """The robots that read the mark: "Yandex", "Google", "Google Search Appliance" or "Yahoo"."""
        if self.mark.startswith("<"):
            return "Yandex"
        if self.mark.startswith("googleoff"):
            return "Google Search Appliance"
        return "Google" if self.mark == "data-nosnippet" else "Yahoo"

    def record(self) -> dict[str, object]:
        """Return the region as a dict for JSON, with its `robot`."""
        return {**super().record(), "robot": self.robot}


class Regions:
    """Collects the marks of a page in order, and returns the regions between them.

    `prefixes` are the prefixes of XML names that the page binds; `x` needs no binding.

    >>> from comity.protocol.page.markup import Mark
    >>> regions = Regions()
    >>> regions.take(Mark("noindex", (), 4, 13, 1))
    >>> regions.take(Mark("/noindex", (), 17, 27, 2))
    >>> regions.finish(30, 2)
    [('index', '<noindex>', 13, 17, 1, 2, True)]
    """

    __slots__ = ("_depth", "_open", "_prefixes", "_spans", "_tags")

    def __init__(self, prefixes: frozenset[str] = frozenset()) -> None:
        self._prefixes = prefixes | {"x"}
        #: The open regions by kind and the mark that closes them: their opening mark, start and line.
        self._open: dict[tuple[str, str], tuple[str, int, int]] = {}
        #: Number of open tags of each region that may nest; it ends with the outermost.
        self._depth: dict[str, int] = {}
        #: The name of the outermost open element with an attribute or class that opens a region.
        self._tags: dict[str, str] = {}
        self._spans: list[Span] = []

    def take(self, mark: Mark) -> None:
        """Add the next mark."""
        name = mark.name
        if name in ("!--noindex", "!--/noindex"):  # Yandex; may overlap with other tags
            self._yandex(name, "<!--noindex-->", name.startswith("!--/"), mark)
        elif name.startswith("!--"):
            self._google(name, mark)
        else:
            prefix, _, local = name.removeprefix("/").rpartition(":")
            if local == "noindex" and (not prefix or prefix in self._prefixes):
                tag = name.removeprefix("/")
                self._yandex(tag, f"<{tag}>", name.startswith("/"), mark)
            for attribute, kind in _ELEMENTS:
                self._element(attribute, kind, mark)

    def finish(self, end: int, line: int) -> list[Span]:
        """Return all regions in order of their starts; the page ends at `end`."""
        for (kind, _), (written, start, begun) in self._open.items():
            self._spans.append((kind, written, start, end, begun, line, False))
        self._open.clear()
        return sorted(self._spans, key=lambda span: span[2:4])

    def _yandex(self, name: str, written: str, ends: bool, mark: Mark) -> None:
        key = name.replace("/", "")
        if ends:
            self._shallower(key, "index", mark)
        else:
            self._deeper(key, "index", written, mark)

    def _element(self, attribute: str, kind: str, mark: Mark) -> None:
        """Open or close the region of an element, which ends where the element does."""
        tag = self._tags.get(attribute, "")
        if mark.name == tag and tag in _NOT_NESTED:
            self._shallower(attribute, kind, mark)
            tag = self._tags[attribute] = ""
        if mark.name == tag or (attribute in mark.opens and not tag):
            self._tags[attribute] = mark.name
            self._deeper(attribute, kind, attribute, mark)
        elif tag and mark.name == "/" + tag:
            self._shallower(attribute, kind, mark)
            if not self._depth[attribute]:
                self._tags[attribute] = ""

    def _deeper(self, key: str, kind: str, written: str, mark: Mark) -> None:
        self._depth[key] = self._depth.get(key, 0) + 1
        self._open.setdefault((kind, key), (written, mark.end, mark.line))

    def _shallower(self, key: str, kind: str, mark: Mark) -> None:
        """Close one tag. The region ends when every tag of this name is closed."""
        depth = self._depth[key] = max(0, self._depth.get(key, 0) - 1)
        if not depth:
            self._close(kind, key, mark)

    def _google(self, comment: str, mark: Mark) -> None:
        """Open or close kinds of regions; `googleoff` does not nest."""
        switch, _, flag = comment.removeprefix("!--").partition(":")
        switch, flag = switch.rstrip(), flag.strip()
        kinds = _KINDS if flag in ("all", "") else tuple(kind for kind in _KINDS if kind == flag)
        for kind in kinds:
            if switch == "googleoff":
                written = f"googleoff: {flag or 'all'}"
                self._open.setdefault((kind, "googleoff"), (written, mark.end, mark.line))
            elif switch == "googleon":
                self._close(kind, "googleoff", mark)

    def _close(self, kind: str, by: str, mark: Mark) -> None:
        begun = self._open.pop((kind, by), None)
        if begun:
            written, start, line = begun
            self._spans.append((kind, written, start, mark.start, line, mark.line, True))
