"""Write an HTML report of a job: the fetched pages, and the refused ones with the line that refuses them.

The report is one file without scripts and without requests. Text from sites is escaped.
"""

import operator
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from html import escape
from itertools import islice
from urllib.parse import quote, unquote

from ...politeness.stores import Store
from ...protocol.access.outcome import Access, Outcome
from ...protocol.moment import utc
from ..job.entry import FinishedURL, Result
from ..job.interface import JobReport
from .broken import broken_links
from .charts import Moment, bars, html_text, legend, timeline
from .wording import OUTCOMES, outcome_label, page_count, size_label

#: Maximum numbers of pages, links, files, lines of a file, rows of other tables, and examples.
_MAX_PAGES, _MAX_LINKS, _MAX_FILES, _MAX_LINES, _MAX_ROWS, _MAX_EXAMPLES = 2000, 500, 50, 400, 200, 3

#: The folder of stored pages in the folder of a job.
_FILES = "mirror/"

_REFUSED = ("disallowed", "usage-disallowed")

#: Reason for a skipped link -> its explanation.
_SKIP_REASONS = {
    "nofollow": "the page or the link says nofollow",
    "other-host": "another host than the start URLs; --span-hosts follows it",
    "private-host": "a host in a private network that no start URL and no --private-host names",
    "too-deep": "deeper than --depth, or too many nested style sheets or sitemaps",
    "too-long": "the URL is longer than 8,000 characters",
    "too-many-links": "the page has more links than are read",
    "excluded": "matches a pattern of --exclude",
    "not-included": "matches no pattern of --include",
}

_STYLE = """
:root { color-scheme: light dark; --text: #222; --back: #fff; --soft: #595959; --line: #ddd; --panel: #f6f6f6;
  --match: #fdeadd; --strong: #9c3f00; --link: #0060a0; }
@media (prefers-color-scheme: dark) {
  :root { --text: #e8e8e8; --back: #16181b; --soft: #a8a8a8; --line: #3a3d42; --panel: #202327;
    --match: #43291a; --strong: #ffb27a; --link: #7cc4ff; }
}
* { box-sizing: border-box; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 64rem; margin: 2rem auto; padding: 0 1rem;
  color: var(--text); background: var(--back); }
a { color: var(--link); text-decoration-thickness: 1px; text-underline-offset: .15em; }
h1, h2, h3 { line-height: 1.2; overflow-wrap: anywhere; text-wrap: balance; }
h2 { margin-top: 3rem; border-bottom: 1px solid var(--line); padding-bottom: .25rem; }
p.lead { font-size: 1.15rem; } .soft { color: var(--soft); }
nav { display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; margin: 1rem 0; }
dl { display: grid; grid-template-columns: repeat(auto-fit, minmax(8.5rem, 1fr));
  gap: .75rem; margin: 1.5rem 0; }
dl div { background: var(--panel); border-radius: .5rem; padding: .75rem 1rem; }
dt { font-size: 14px; color: var(--soft); } dd { margin: 0; font-size: 1.6rem; font-weight: 600; }
dd small { display: block; font-size: 14px; font-weight: 400; color: var(--soft); }
div.chart { font-size: 14px; margin: .75rem 0 1.5rem; }
div.row { display: grid; grid-template-columns: minmax(0, 16rem) minmax(0, 1fr) 4rem; align-items: center;
  column-gap: .75rem; min-height: 24px; }
div.row span { overflow-wrap: anywhere; unicode-bidi: isolate; }
div.row b { font-weight: 400; font-variant-numeric: tabular-nums; }
svg.bar, svg.time { width: 100%; height: 18px; display: block; } svg.time { height: 20px; overflow: visible; }
p.axis { display: flex; justify-content: space-between; margin: 0; color: var(--soft); }
svg text.in { font-size: 13px; fill: #fff; stroke: #222; stroke-width: 3; paint-order: stroke; }
svg line { stroke: var(--line); }
ul.keys { list-style: none; display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; padding: 0; }
svg.key { width: .9em; height: .9em; overflow: visible; }
table { border-collapse: collapse; width: 100%; font-size: 14px; margin: .5rem 0 1.5rem; }
td, th { text-align: left; vertical-align: top; padding: .3rem .75rem .3rem 0; unicode-bidi: isolate;
  border-bottom: 1px solid var(--line); overflow-wrap: anywhere; }
th { overflow-wrap: normal; color: var(--soft); font-weight: 600; }
td.number, th.number { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; }
ol.file { font: 13px/1.5 ui-monospace, monospace; background: var(--panel); border-radius: .5rem;
  padding: .5rem .5rem .5rem 3.5rem; overflow-wrap: anywhere; white-space: pre-wrap; }
ol.file li { unicode-bidi: isolate; } ol.file li.match { background: var(--match); }
ol.file b { float: right; padding-left: 1rem; color: var(--strong); }
/* On small screens, labels are above their bars, and each row of a table is a block with its titles. */
@media (max-width: 44rem) {
  body { margin: 1rem auto; }
  div.row { grid-template-columns: minmax(0, 1fr) auto; row-gap: .1rem; padding: .2rem 0; }
  div.row span:first-child { grid-column: 1 / -1; } div.row span:empty { display: none; }
  table.wide thead { display: none; }
  table.wide tr { display: block; padding: .5rem 0; border-bottom: 1px solid var(--line); }
  table.wide td { display: block; border: 0; padding: 0; text-align: left; white-space: normal; }
  table.wide td:empty { display: none; }
  table.wide td[data-title]::before { content: attr(data-title) ": "; color: var(--soft); }
}
@media print { body { margin: 0; max-width: none; } nav { display: none; }
  tr, div.row, dl div, ol.file li { break-inside: avoid; } h2, h3 { break-after: avoid; }
  svg rect, svg path, ol.file li.match { print-color-adjust: exact; } }
"""

_PAGE = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>{title}</title>
<style>{style}</style>
<main>
<h1>{title}</h1>
{body}
</main>
</html>
"""


class _Counts:
    """The counts of one pass over the results of a job."""

    def __init__(self, job: JobReport) -> None:
        self.outcomes: Counter[str] = Counter()
        self.depths: defaultdict[int, Counter[str]] = defaultdict(Counter)
        self.sites: defaultdict[str, Counter[str]] = defaultdict(Counter)
        #: number of refused pages per file and reason, and their first URLs
        self.refused: Counter[tuple[str, str]] = Counter()
        self.examples: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
        self.lines: defaultdict[str, Counter[int]] = defaultdict(Counter)
        self.moments: list[Moment] = []
        #: pages fetched by --force-start, each with the verdict of robots.txt
        self.forced: list[tuple[str, str]] = []
        for page in job.results():
            self._count(page)
        self.moments.sort()

    def _count(self, page: FinishedURL) -> None:
        url, result = page.url, page.result
        site = "/".join(url.split("/", 3)[:3])
        for counter in (self.outcomes, self.depths[page.depth], self.sites[site]):
            counter[result.outcome] += 1
        if result.status is not None and page.time is not None:
            self.moments.append((page.time, site, result.outcome, url))
        if result.outcome == "stored" and result.reason is not None:
            self.forced.append((url, result.reason))
        if result.outcome in _REFUSED:
            key = result.source or "", result.reason or ""
            self.refused[key] += 1
            if len(self.examples[key]) < _MAX_EXAMPLES:
                self.examples[key].append(url)
            if result.line is not None:
                self.lines[result.source or ""][result.line] += 1


def report(job: JobReport, name: str, store: Store, files: str | None = None) -> str:
    """Return the report of a job; `store` has its robots.txt files.

    `files` is the address of the folder of the job, relative to the report, for links to stored pages.
    """
    counts = _Counts(job)
    sections = {
        "Outcomes": _outcomes(counts),
        "Responses over time": [timeline("Responses by site and time", counts.moments)],
        "Broken links": list(_broken(job)),
        "Disallowed pages": [_refused(counts)],
        "robots.txt files": list(_robots_files(counts.sites, counts.lines, store)),
        "Skipped links": list(_skipped(job)),
        "Fetched although disallowed (--force-start)": list(_forced(counts.forced)),
        "Queued pages": list(_queued(job)),
        "Pages": [
            _table(
                ("@page", "outcome", "#status", "#bytes", "@file", "#time (UTC)"),
                islice(_pages(job, files), _MAX_PAGES),
                sum(counts.outcomes.values()),
            )
        ],
    }
    present = {title: parts for title, parts in sections.items() if parts}
    links = (f'<a href="#part-{number}">{title}</a>' for number, title in enumerate(present))
    body = [*_summary(job, counts), f"<nav>{' '.join(links)}</nav>"]
    for number, (title, parts) in enumerate(present.items()):
        body += [f"<h2 id=part-{number}>{title}</h2>", *parts]
    return _PAGE.format(title=html_text(f"Crawl report: {name}"), style=_STYLE, body="\n".join(body))


def _outcomes(counts: _Counts) -> list[str]:
    sites = sorted(counts.sites.items(), key=lambda one: -sum(one[1].values()))
    return [
        legend(counts.outcomes),
        bars(
            "Outcomes",
            [(outcome_label(outcome), {outcome: count}) for outcome, count in counts.outcomes.most_common()],
        ),
        "<h3>Outcomes by depth</h3>",
        bars(
            "Outcomes by depth",
            [(_depth_label(depth), counts.depths[depth]) for depth in sorted(counts.depths)],
        ),
        "<h3>Outcomes by site</h3>",
        bars("Outcomes by site", sites),
    ]


def _refused(counts: _Counts) -> str:
    rows = (
        (source, reason, f"{count:,}", "\n".join(counts.examples[source, reason]))
        for (source, reason), count in counts.refused.most_common(_MAX_ROWS)
    )
    return _table(("@file", "reason", "#pages", "@examples"), rows, len(counts.refused))


def _summary(job: JobReport, counts: _Counts) -> Iterator[str]:
    """Yield the main numbers, and the time of the first and the last response."""
    size = job.stored_bytes()
    exact = f"<small>{size:,} bytes</small>" if size >= 1000 else ""
    outcomes = {"stored": 0, **counts.outcomes, "queued": job.outcomes().get("queued", 0)}
    values = {outcome_label(outcome): f"{outcomes[outcome]:,}" for outcome in OUTCOMES if outcome in outcomes}
    values |= {"size": size_label(size) + exact, "sites": f"{len(counts.sites):,}"}
    items = (f"<div><dt>{name}</dt><dd>{value}</dd></div>" for name, value in values.items())
    stored, refused = outcomes["stored"], sum(outcomes.get(outcome, 0) for outcome in _REFUSED)
    sites = f"{len(counts.sites):,} {'site' if len(counts.sites) == 1 else 'sites'}"
    disallowed = f" {page_count(refused)} {'is' if refused == 1 else 'are'} disallowed." if refused else ""
    yield f"<p class=lead>{page_count(stored)} stored from {sites}, {size_label(size)}.{disallowed}</p>"
    yield f"<dl>{''.join(items)}</dl>"
    if counts.moments:
        first, last = _moment(counts.moments[0][0]), _moment(counts.moments[-1][0])
        yield f"<p class=soft>Fetched from {first} to {last} UTC.</p>"


def _broken(job: JobReport) -> Iterator[str]:
    rows = [
        (link.url, link.reason, link.source or "", "" if link.line is None else str(link.line))
        for link in broken_links(job)
    ]
    if rows:
        yield _table(("@URL", "reason", "@page", "#line"), rows[:_MAX_ROWS], len(rows))


def _skipped(job: JobReport) -> Iterator[str]:
    yield _table(
        ("reason", "explanation", "#links"),
        (
            (reason, _SKIP_REASONS.get(reason, ""), f"{count:,}")
            for reason, count in job.skipped_counts().items()
        ),
    )
    links = [
        (link.url, link.reason, link.source or "", "" if link.line is None else str(link.line))
        for link in job.skipped_links(_MAX_LINKS)
    ]
    if links:
        yield "<h3>Skipped URLs</h3>"
        yield _table(("@URL", "reason", "@page", "#line"), links)
        if len(links) == _MAX_LINKS:
            yield f"<p class=soft>Only the first {_MAX_LINKS:,} are listed.</p>"


def _forced(forced: Sequence[tuple[str, str]]) -> Iterator[str]:
    if forced:
        yield _table(("@page", "explanation"), forced[:_MAX_ROWS], len(forced))


def _queued(job: JobReport) -> Iterator[str]:
    queued = job.queued()
    if queued:
        rows = ((site, f"{count:,}") for site, count in queued[:_MAX_ROWS])
        yield _table(("@site", "#pages"), rows, len(queued))


def _pages(job: JobReport, files: str | None) -> Iterator[tuple[str, ...]]:
    for page in job.results():
        result = page.result
        yield (
            page.url,
            _outcome_text(result),
            str(result.status or ""),
            f"{result.size:,}",
            _file_address(files, result.file) if result.file else "",
            _moment(page.time),
        )


def _outcome_text(result: Result) -> str:
    reason = result.reason if result.outcome in ("failed", "redirect", "too-large") else None
    label = outcome_label(result.outcome)
    return f"{label}: {reason}" if reason else label


def _robots_files(
    sites: Iterable[str], lines: "defaultdict[str, Counter[int]]", store: Store
) -> Iterator[str]:
    """Yield the robots.txt of each site, with the number of pages that each line disallows."""
    origins = list(sites)
    accesses = [store.load(origin) for origin in origins[:_MAX_FILES]]
    files = [one for one in accesses if one is not None and one.outcome is Outcome.RULES and one.body]
    for access in files:
        yield _file(access, lines[access.url])
    if len(origins) > _MAX_FILES:
        yield f"<p class=soft>Only the files of the first {_MAX_FILES} sites are shown.</p>"


def _file(access: Access, counts: "Counter[int]") -> str:
    rows = []
    for line in islice(access.robots.lines, _MAX_LINES):
        text = html_text(line.text.decode("utf-8", "surrogateescape"))
        count = counts[line.number]
        mark = f"<b>{count:,} disallowed</b>" if count else ""
        rows.append(f"<li{' class=match' if count else ''}>{mark}{text}")
    more = len(access.robots.lines) - _MAX_LINES
    note = f"\n<p class=soft>{more:,} more lines.</p>" if more > 0 else ""
    return f"<h3>{_link(access.url)}</h3>\n<ol class=file>{''.join(rows)}</ol>{note}"


def _table(titles: Sequence[str], rows: Iterable[Sequence[str]], of: int = 0) -> str:
    """Return a table; `of` is the number of all rows.

    A column whose title begins with # has numbers, and one with @ has URLs, one in each line.
    """
    kinds = [" class=number" if title.startswith("#") else "" for title in titles]
    names = [title.lstrip("#@") for title in titles]
    wide = len(titles) > 3
    heads = [
        f'<td{kind} data-title="{name}">' if wide and number else f"<td{kind}>"
        for number, (kind, name) in enumerate(zip(kinds, names, strict=True))
    ]
    cells = []
    for row in rows:
        texts = (
            "<br>".join(map(_link, text.split("\n"))) if title.startswith("@") else html_text(text)
            for title, text in zip(titles, row, strict=True)
        )
        cells.append("".join(map(operator.add, heads, texts)))
    if not cells:
        return "<p>None.</p>"
    note = f"\n<p class=soft>{of - len(cells):,} more.</p>" if of > len(cells) else ""
    head = "".join(f"<th scope=col{kind}>{name}" for kind, name in zip(kinds, names, strict=True))
    body = "".join(f"<tr>{row}" for row in cells)
    return f"<table{' class=wide' if wide else ''}><thead><tr>{head}<tbody>{body}</table>{note}"


def _link(address: str) -> str:
    """Return a link to a web page or a file of the job, or the text if it is neither.

    >>> _link("https://example.com/?a&b")
    '<a href="https://example.com/?a&amp;b" rel="noreferrer nofollow">https://example.com/?a&amp;b</a>'
    >>> _link("javascript:alert(1)")
    'javascript:alert(1)'
    """
    is_web = address.startswith(("http://", "https://"))
    is_file = address.startswith("./") and _FILES in address
    if not (is_web or is_file) or not address.isascii() or not address.isprintable():
        return html_text(address)
    shown = address if is_web else unquote(address[address.index(_FILES) :])
    return f'<a href="{escape(address)}" rel="noreferrer nofollow">{html_text(shown)}</a>'


def _file_address(files: str | None, file: str) -> str:
    """Return the address of a stored page, or its name if the report has no address of the folder."""
    return f"{_FILES}{file}" if files is None else f"{files}/{quote(_FILES + file)}"


def _depth_label(depth: int) -> str:
    return "start URLs" if depth == 0 else f"depth {depth}"


def _moment(seconds: float | None) -> str:
    return "" if seconds is None else utc(seconds).strftime("%Y-%m-%d %H:%M:%S")
