"""Marks in a page -> the regions of its text that are closed to indexing, anchor text or snippets."""

from ..value import Value
from .markup import Mark

#: A region as plain data, in the order of the fields of `Region`.
Span = tuple[str, str, int, int, int, int]

#: The kinds of `googleoff` and `googleon` (Google Search Appliance).
_KINDS = ("index", "anchor", "snippet")


class Region(Value):
    """A region of text that a page closes.

    `kind` is the forbidden use: "index" (the text must not be indexed; links in it are still followed),
    "snippet" (it must not be shown), or "anchor" (the text of its links must not describe their targets).
    `mark` is the opening mark, such as "data-nosnippet" or "googleoff: all". `start` and `end` are offsets in
    the text that `comity.protocol.page.encoding.decoded` returns; `line` and `end_line` are their lines.
    Without an end mark, the region extends to the end of the page.

    >>> import comity
    >>> page = comity.page_directives(html="Tea <!--googleoff: index-->and cups", agent="")
    >>> [(region.kind, region.mark, region.start, region.end) for region in page.regions]
    [('index', 'googleoff: index', 27, 35)]
    """

    kind: str
    mark: str
    start: int
    end: int
    line: int
    end_line: int


class Regions:
    """Collects the marks of a page in order, and returns the regions between them.

    >>> from comity.protocol.page.markup import Mark
    >>> regions = Regions()
    >>> regions.take(Mark("noindex", False, 4, 13, 1))
    >>> regions.take(Mark("/noindex", False, 17, 27, 2))
    >>> regions.finish(30, 2)
    [('index', '<noindex>', 13, 17, 1, 2)]
    """

    __slots__ = ("_depth", "_open", "_spans", "_tag")

    def __init__(self) -> None:
        #: The open regions by kind and closing mark: their opening mark, start and line.
        self._open: dict[tuple[str, str], tuple[str, int, int]] = {}
        #: Number of open tags by name; a region of nested tags ends with the outermost.
        self._depth: dict[str, int] = {}
        #: The outermost open element with `data-nosnippet`.
        self._tag = ""
        self._spans: list[Span] = []

    def take(self, mark: Mark) -> None:
        """Add the next mark."""
        match mark.name:
            case "noindex" | "!--noindex":  # Yandex; may overlap with other tags
                written = "<noindex>" if mark.name == "noindex" else "<!--noindex-->"
                self._deeper(mark.name, "index", written, mark)
            case "/noindex" | "!--/noindex":
                self._shallower(mark.name.replace("/", ""), "index", mark)
            case name if name.startswith("!--"):
                self._google(name, mark)
            case name if name == self._tag or (mark.nosnippet and not self._tag):
                self._tag = name
                self._deeper(name, "snippet", "data-nosnippet", mark)
            case name if name == "/" + self._tag:
                self._shallower(self._tag, "snippet", mark)
                if not self._depth[self._tag]:
                    self._tag = ""

    def finish(self, end: int, line: int) -> list[Span]:
        """Return all regions in order of their starts; the page ends at `end`."""
        for (kind, _), (written, start, begun) in self._open.items():
            self._spans.append((kind, written, start, end, begun, line))
        self._open.clear()
        return sorted(self._spans, key=lambda span: span[2:4])

    def _deeper(self, name: str, kind: str, written: str, mark: Mark) -> None:
        self._depth[name] = self._depth.get(name, 0) + 1
        self._open.setdefault((kind, name), (written, mark.end, mark.line))

    def _shallower(self, name: str, kind: str, mark: Mark) -> None:
        """Close one tag. The region ends when every tag of this name is closed."""
        depth = self._depth[name] = max(0, self._depth.get(name, 0) - 1)
        if not depth:
            self._close(kind, name, mark)

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
            self._spans.append((kind, written, start, mark.start, line, mark.line))
