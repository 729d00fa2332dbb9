"""Write an HTML report of a job: the fetched pages, and the refused ones with the line that refuses them.

The report is one file without scripts and without requests. Text from sites is escaped.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from ...politeness.stores import Store
from ...protocol.access.outcome import Access, Outcome
from ...protocol.moment import utc
from ..job.entry import FinishedURL, Result
from ..job.interface import JobReport
from .charts import Moment, bars, html_text, legend, timeline
from .wording import OUTCOMES, outcome_label, size_label

#: Maximum numbers of pages, links, files, lines of a file, rows of other tables, and examples.
_MAX_PAGES, _MAX_LINKS, _MAX_FILES, _MAX_LINES, _MAX_ROWS, _MAX_EXAMPLES = 2000, 500, 50, 400, 200, 3

_REFUSED = ("disallowed", "usage-disallowed")

#: Reason for a skipped link -> its explanation.
_SKIP_REASONS = {
    "nofollow": "the page or the link says nofollow",
    "other-host": "another host than the start URLs; --span-hosts follows it",
    "private-host": "a private host, linked from a public one",
    "too-deep": "deeper than --depth, or too many nested style sheets or sitemaps",
    "too-long": "the URL is longer than 8,000 characters",
    "too-many-links": "the page has more links than are read",
    "excluded": "matches a pattern of --exclude",
    "not-included": "matches no pattern of --include",
}

_STYLE = """
:root { color-scheme: light dark; --text: #222; --back: #fff; --soft: #595959; --line: #ddd; --panel: #f6f6f6;
  --match: #fdeadd; --strong: #9c3f00; }
@media (prefers-color-scheme: dark) {
  :root { --text: #e8e8e8; --back: #16181b; --soft: #a8a8a8; --line: #3a3d42; --panel: #202327;
    --match: #43291a; --strong: #ffb27a; }
}
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem;
  color: var(--text); background: var(--back); }
h1, h2, h3 { line-height: 1.2; overflow-wrap: anywhere; }
h2 { margin-top: 2.5rem; border-bottom: 1px solid var(--line); }
p.soft { color: var(--soft); }
dl { display: grid; grid-template-columns: repeat(auto-fit, minmax(8.5rem, 1fr));
  gap: .75rem; margin: 1.5rem 0; }
dl div { background: var(--panel); border-radius: .5rem; padding: .75rem 1rem; }
dt { font-size: 14px; color: var(--soft); } dd { margin: 0; font-size: 1.6rem; font-weight: 600; }
dd small { display: block; font-size: 14px; font-weight: 400; color: var(--soft); }
/* Wide tables and charts scroll sideways on small screens. */
div.wide { overflow-x: auto; } div.wide > * { min-width: 46rem; }
table { border-collapse: collapse; width: 100%; font-size: 14px; margin: .5rem 0 1.5rem; }
td, th { text-align: left; vertical-align: top; padding: .25rem .75rem .25rem 0; unicode-bidi: isolate;
  border-bottom: 1px solid var(--line); overflow-wrap: anywhere; }
th { overflow-wrap: normal; }
td.number, th.number { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; }
svg { width: 100%; height: auto; fill: currentColor; } svg text { fill: var(--text); }
svg text.in { fill: #fff; stroke: #222; stroke-width: 3; paint-order: stroke; }
svg line { stroke: var(--line); }
ul.keys { list-style: none; display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; padding: 0; }
svg.key { width: .9em; height: .9em; }
ol.file { font: 13px/1.5 ui-monospace, monospace; background: var(--panel); padding: .5rem .5rem .5rem 4rem;
  overflow-wrap: anywhere; white-space: pre-wrap; }
ol.file li { unicode-bidi: isolate; } ol.file li.match { background: var(--match); }
ol.file b { float: right; padding-left: 1rem; color: var(--strong); }
@media print { div.wide { overflow: visible; } div.wide > * { min-width: 0; }
  body { margin: 0; max-width: none; } tr, svg, dl div, ol.file li { break-inside: avoid; }
  h2, h3 { break-after: avoid; } svg rect, svg path, ol.file li.match { print-color-adjust: exact; } }
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


def report(job: JobReport, name: str, store: Store) -> str:
    """Return the report of a job; `store` has its robots.txt files."""
    counts = _Counts(job)
    sites = sorted(counts.sites.items(), key=lambda one: -sum(one[1].values()))
    body = [
        *_summary(job, counts),
        "<h2>Outcomes</h2>",
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
        "<h2>Responses over time</h2>",
        timeline("Responses by site and time", counts.moments),
        "<h2>Disallowed pages</h2>",
        _table(
            ("file", "reason", "#pages", "examples"),
            (
                (source, reason, f"{count:,}", " ".join(counts.examples[source, reason]))
                for (source, reason), count in counts.refused.most_common(_MAX_ROWS)
            ),
            len(counts.refused),
        ),
        *_files(counts.sites, counts.lines, store),
        "<h2>Skipped links</h2>",
        *_skipped(job),
        *_forced(counts.forced),
        *_queued(job),
        "<h2>Pages</h2>",
        _table(
            ("page", "outcome", "#status", "#bytes", "file", "#time (UTC)"),
            islice(_pages(job), _MAX_PAGES),
            sum(counts.outcomes.values()),
        ),
    ]
    return _PAGE.format(title=html_text(f"Crawl report: {name}"), style=_STYLE, body="\n".join(body))


def _summary(job: JobReport, counts: _Counts) -> Iterator[str]:
    """Yield the main numbers, and the time of the first and the last response."""
    size = job.stored_bytes()
    exact = f"<small>{size:,} bytes</small>" if size >= 1000 else ""
    outcomes = {"stored": 0, **counts.outcomes, "queued": job.outcomes().get("queued", 0)}
    values = {outcome_label(outcome): f"{outcomes[outcome]:,}" for outcome in OUTCOMES if outcome in outcomes}
    values |= {"size": size_label(size) + exact, "sites": f"{len(counts.sites):,}"}
    items = (f"<div><dt>{name}</dt><dd>{value}</dd></div>" for name, value in values.items())
    yield f"<dl>{''.join(items)}</dl>"
    if counts.moments:
        first, last = _moment(counts.moments[0][0]), _moment(counts.moments[-1][0])
        yield f"<p class=soft>Fetched from {first} to {last} UTC.</p>"


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
        yield _table(("URL", "reason", "page", "#line"), links)
        if len(links) == _MAX_LINKS:
            yield f"<p class=soft>Only the first {_MAX_LINKS:,} are listed.</p>"


def _forced(forced: Sequence[tuple[str, str]]) -> Iterator[str]:
    if forced:
        yield "<h2>Fetched although disallowed (--force-start)</h2>"
        yield _table(("page", "explanation"), forced[:_MAX_ROWS], len(forced))


def _queued(job: JobReport) -> Iterator[str]:
    queued = job.queued()
    if queued:
        yield "<h2>Queued pages</h2>"
        rows = ((site, f"{count:,}") for site, count in queued[:_MAX_ROWS])
        yield _table(("site", "#pages"), rows, len(queued))


def _pages(job: JobReport) -> Iterator[tuple[str, ...]]:
    for page in job.results():
        result = page.result
        yield (
            page.url,
            _outcome_text(result),
            str(result.status or ""),
            f"{result.size:,}",
            f"mirror/{result.file}" if result.file else "",
            _moment(page.time),
        )


def _outcome_text(result: Result) -> str:
    reason = result.reason if result.outcome in ("failed", "redirect", "too-large") else None
    label = outcome_label(result.outcome)
    return f"{label}: {reason}" if reason else label


def _files(sites: Iterable[str], lines: "defaultdict[str, Counter[int]]", store: Store) -> Iterator[str]:
    """Yield the robots.txt of each site, with the number of pages that each line disallows."""
    accesses = [store.load(origin) for origin in islice(sites, _MAX_FILES)]
    files = [one for one in accesses if one is not None and one.outcome is Outcome.RULES and one.body]
    if files:
        yield "<h2>robots.txt files</h2>"
    for access in files:
        yield _file(access, lines[access.url])


def _file(access: Access, counts: "Counter[int]") -> str:
    rows = []
    for line in islice(access.robots.lines, _MAX_LINES):
        text = html_text(line.text.decode("utf-8", "surrogateescape"))
        count = counts[line.number]
        mark = f"<b>{count:,} disallowed</b>" if count else ""
        rows.append(f"<li{' class=match' if count else ''}>{mark}{text}")
    more = len(access.robots.lines) - _MAX_LINES
    note = f"\n<p class=soft>{more:,} more lines.</p>" if more > 0 else ""
    return f"<h3>{html_text(access.url)}</h3>\n<ol class=file>{''.join(rows)}</ol>{note}"


def _table(titles: Sequence[str], rows: Iterable[Sequence[str]], of: int = 0) -> str:
    """Return a table; `of` is the number of all rows. A column whose title begins with # has numbers."""
    kinds = [" class=number" if title.startswith("#") else "" for title in titles]
    head = "".join(
        f"<th scope=col{kind}>{title.removeprefix('#')}" for kind, title in zip(kinds, titles, strict=True)
    )
    cells = [
        "".join(f"<td{kind}>{html_text(text)}" for kind, text in zip(kinds, row, strict=True)) for row in rows
    ]
    if not cells:
        return "<p>None.</p>"
    note = f"\n<p class=soft>{of - len(cells):,} more.</p>" if of > len(cells) else ""
    body = "".join(f"<tr>{row}" for row in cells)
    table = f"<table><thead><tr>{head}<tbody>{body}</table>"
    return (f"<div class=wide tabindex=0>{table}</div>" if len(titles) > 3 else table) + note


def _depth_label(depth: int) -> str:
    return "start URLs" if depth == 0 else f"depth {depth}"


def _moment(seconds: float | None) -> str:
    return "" if seconds is None else utc(seconds).strftime("%Y-%m-%d %H:%M:%S")
