"""A job as a page of HTML: what was fetched, what was left out, and which line of which file said so.

The page stands alone. It asks for nothing, runs nothing, and everything that a site wrote is text in it.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from itertools import islice

from ...politeness.stores import Store
from ...protocol.access.outcome import Access, Outcome
from ..job.entry import Result
from ..job.interface import Job
from .charts import Moment, bars, key, shown, timeline
from .wording import OUTCOMES, octets_told, worded

__all__ = ["report"]

#: So many pages, links, files, lines of a file, reasons, and examples of one are shown.
_PAGES, _LINKS, _FILES, _LINES, _REASONS, _EXAMPLES = 2000, 500, 50, 400, 200, 3

_REFUSED = ("disallowed", "usage-disallowed")

#: Why links are not followed, in the words of people.
_REASONS_TOLD = {
    "nofollow": "the page, or the link itself, says nofollow",
    "other-host": "it leads to a host that the crawl did not begin at",
    "private-host": "it leads from public sites to a host that others cannot reach",
    "too-deep": "more links in a row than the crawl was told to follow",
    "too-long": "the address is longer than any that makes sense",
    "too-many-links": "the page has more links than are looked at",
    "excluded": "the crawl was told to leave such paths out",
    "not-included": "the crawl was told of other paths",
}

_STYLE = """
:root { color-scheme: light dark; --text: #222; --back: #fff; --soft: #595959; --line: #ddd; --panel: #f6f6f6;
  --said: #fdeadd; --strong: #9c3f00; }
@media (prefers-color-scheme: dark) {
  :root { --text: #e8e8e8; --back: #16181b; --soft: #a8a8a8; --line: #3a3d42; --panel: #202327;
    --said: #43291a; --strong: #ffb27a; }
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
/* What is too wide for a small screen has a box of its own, in which it can be moved sideways. */
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
ol.file li { unicode-bidi: isolate; } ol.file li.said { background: var(--said); }
ol.file b { float: right; padding-left: 1rem; color: var(--strong); }
@media print { div.wide { overflow: visible; } div.wide > * { min-width: 0; }
  body { margin: 0; max-width: none; } tr, svg, dl div, ol.file li { break-inside: avoid; }
  h2, h3 { break-after: avoid; } svg rect, svg path, ol.file li.said { print-color-adjust: exact; } }
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


class _Tally:
    """What is counted in one walk through the pages of a job."""

    def __init__(self, job: Job) -> None:
        self.outcomes: Counter[str] = Counter()
        self.depths: defaultdict[int, Counter[str]] = defaultdict(Counter)
        self.sites: defaultdict[str, Counter[str]] = defaultdict(Counter)
        #: which words of which file, how many pages they keep out, and the first of them
        self.words: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
        self.refused: Counter[tuple[str, str]] = Counter()
        self.lines: defaultdict[str, Counter[int]] = defaultdict(Counter)
        self.moments: list[Moment] = []
        #: pages that robots.txt forbids and the operator had fetched, with what is said of that
        self.forced: list[tuple[str, str]] = []
        for url, depth, _, when, result in job.results():
            self._count(url, depth, when, result)
        self.moments.sort()

    def _count(self, url: str, depth: int, when: float | None, result: Result) -> None:
        site = "/".join(url.split("/", 3)[:3])
        for counter in (self.outcomes, self.depths[depth], self.sites[site]):
            counter[result.outcome] += 1
        if result.status is not None and when is not None:
            self.moments.append((when, site, result.outcome, url))
        if result.outcome == "stored" and result.why is not None:
            self.forced.append((url, result.why))
        if result.outcome in _REFUSED:
            said = result.source or "", result.why or ""
            self.refused[said] += 1
            if len(self.words[said]) < _EXAMPLES:
                self.words[said].append(url)
            if result.line is not None:
                self.lines[result.source or ""][result.line] += 1


def report(job: Job, name: str, store: Store) -> str:
    """Give the page; `name` is what the job is called, `store` has its robots.txt files."""
    tally = _Tally(job)
    sites = sorted(tally.sites.items(), key=lambda one: -sum(one[1].values()))
    body = [
        *_opening(job, tally),
        "<h2>What became of pages</h2>",
        key(tally.outcomes),
        bars(
            "Outcomes",
            [(worded(outcome), {outcome: count}) for outcome, count in tally.outcomes.most_common()],
        ),
        "<h3>By links from the start</h3>",
        bars("Outcomes by depth", [(_links(depth), tally.depths[depth]) for depth in sorted(tally.depths)]),
        "<h3>By site</h3>",
        bars("Outcomes by site", sites),
        "<h2>When each site answered</h2>",
        timeline("Answers by site and time", tally.moments),
        "<h2>What was left out, and who said so</h2>",
        _table(
            ("file", "words", "#pages", "for example"),
            (
                (source, why, f"{count:,}", " ".join(tally.words[source, why]))
                for (source, why), count in tally.refused.most_common(_REASONS)
            ),
            len(tally.refused),
        ),
        *_files(tally.sites, tally.lines, store),
        "<h2>Links that were not followed</h2>",
        *_omitted(job),
        *_forced(tally.forced),
        *_left(job),
        "<h2>Pages</h2>",
        _table(
            ("page", "outcome", "#status", "#octets", "file", "#when (UTC)"),
            islice(_pages(job), _PAGES),
            sum(tally.outcomes.values()),
        ),
    ]
    return _PAGE.format(title=shown(f"The crawl {name}"), style=_STYLE, body="\n".join(body))


def _opening(job: Job, tally: _Tally) -> Iterator[str]:
    """Say in a few numbers what came of it, and when it was."""
    octets = job.octets()
    exactly = f"<small>{octets:,} octets</small>" if octets >= 1000 else ""
    counts = {"stored": 0, **tally.outcomes, "wanted": job.outcomes().get("wanted", 0)}
    told = {worded(outcome): f"{counts[outcome]:,}" for outcome in OUTCOMES if outcome in counts}
    told |= {"size": octets_told(octets) + exactly, "sites": f"{len(tally.sites):,}"}
    yield f"<dl>{''.join(f'<div><dt>{name}</dt><dd>{value}</dd></div>' for name, value in told.items())}</dl>"
    if tally.moments:
        first, last = _moment(tally.moments[0][0]), _moment(tally.moments[-1][0])
        yield f"<p class=soft>Fetched from {first} to {last} UTC.</p>"


def _omitted(job: Job) -> Iterator[str]:
    counts = job.omitted()
    yield _table(
        ("reason", "which is", "#links"),
        ((reason, _REASONS_TOLD.get(reason, ""), f"{count:,}") for reason, count in counts.items()),
    )
    links = [
        (one.url, one.reason, one.source or "", "" if one.line is None else str(one.line))
        for one in job.omissions(_LINKS)
    ]
    if links:
        yield "<h3>Those that lead to no page of the crawl</h3>"
        yield _table(("link", "reason", "on", "#line"), links)
        if len(links) == _LINKS:
            yield f"<p class=soft>The first {_LINKS:,} are shown.</p>"


def _forced(forced: Sequence[tuple[str, str]]) -> Iterator[str]:
    if forced:
        yield "<h2>Fetched though robots.txt forbids it</h2>"
        yield _table(("page", "explanation"), forced[:_REASONS], len(forced))


def _left(job: Job) -> Iterator[str]:
    left = job.wanted()
    if left:
        yield "<h2>Wanted, and not fetched yet</h2>"
        yield _table(("site", "#pages"), ((site, f"{count:,}") for site, count in left[:_REASONS]), len(left))


def _pages(job: Job) -> Iterator[tuple[str, ...]]:
    for url, _, _, when, result in job.results():
        yield (
            url,
            _became(result),
            str(result.status or ""),
            f"{result.octets:,}",
            f"mirror/{result.file}" if result.file else "",
            _moment(when),
        )


def _became(result: Result) -> str:
    told = result.why if result.outcome in ("failed", "redirect", "too-large") else None
    return f"{worded(result.outcome)}: {told}" if told else worded(result.outcome)


def _files(sites: Iterable[str], lines: "defaultdict[str, Counter[int]]", store: Store) -> Iterator[str]:
    """Show the robots.txt of each site, with how many pages each line kept out."""
    for origin in islice(sites, _FILES):
        access = store.load(origin)
        if access is not None and access.outcome is Outcome.RULES and access.body:
            yield _file(access, lines[access.url])


def _file(access: Access, counts: "Counter[int]") -> str:
    rows = []
    for line in islice(access.robots.lines, _LINES):
        text = shown(line.text.decode("utf-8", "surrogateescape"))
        count = counts[line.number]
        mark = f"<b>{count:,} left out</b>" if count else ""
        rows.append(f"<li{' class=said' if count else ''}>{mark}{text}")
    more = len(access.robots.lines) - _LINES
    note = f"\n<p class=soft>{more:,} more lines.</p>" if more > 0 else ""
    return f"<h3>{shown(access.url)}</h3>\n<ol class=file>{''.join(rows)}</ol>{note}"


def _table(titles: Sequence[str], rows: Iterable[Sequence[str]], of: int = 0) -> str:
    """Give a table, of so many rows in all; the columns whose titles begin with # are of numbers."""
    kinds = [" class=number" if title.startswith("#") else "" for title in titles]
    head = "".join(
        f"<th scope=col{kind}>{title.removeprefix('#')}" for kind, title in zip(kinds, titles, strict=True)
    )
    told = [
        "".join(f"<td{kind}>{shown(text)}" for kind, text in zip(kinds, row, strict=True)) for row in rows
    ]
    if not told:
        return "<p>None.</p>"
    note = f"\n<p class=soft>{of - len(told):,} more.</p>" if of > len(told) else ""
    body = "".join(f"<tr>{row}" for row in told)
    table = f"<table><thead><tr>{head}<tbody>{body}</table>"
    return (f"<div class=wide tabindex=0>{table}</div>" if len(titles) > 3 else table) + note


def _links(depth: int) -> str:
    return "the start" if depth == 0 else f"{depth} link{'' if depth == 1 else 's'}"


def _moment(seconds: float | None) -> str:
    return "" if seconds is None else datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M:%S")
