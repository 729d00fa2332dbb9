"""A job as a page of HTML: what was fetched, what was left out, and which line of which file said so.

The page stands alone. It asks for nothing, runs nothing, and everything that a site wrote is text in it.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from itertools import islice

from ..protocol.access import Access, Outcome
from ..robot.store import Store
from .entry import Result
from .job import Job
from .pictures import COLOURS, Moment, bars, shown, timeline

__all__ = ["report"]

#: So many pages, links, files, and lines of a file are shown.
_PAGES, _LINKS, _FILES, _LINES = 2000, 500, 50, 400

_STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem;
  color: #222; }
h1, h2 { line-height: 1.2; } h2 { margin-top: 2.5rem; border-bottom: 1px solid #ddd; }
table { border-collapse: collapse; width: 100%; font-size: 14px; }
td, th { text-align: left; vertical-align: top; padding: .25rem .75rem .25rem 0;
  border-bottom: 1px solid #eee; overflow-wrap: anywhere; }
td.number, th.number { text-align: right; white-space: nowrap; }
svg { width: 100%; height: auto; }
ol.file { font: 13px/1.5 ui-monospace, monospace; background: #f7f7f7; padding: .5rem .5rem .5rem 4rem;
  overflow-wrap: anywhere; white-space: pre-wrap; }
ol.file li.said { background: #fbe3df; } ol.file b { float: right; color: #c0392b; }
.key { display: inline-block; width: .8em; height: .8em; margin: 0 .3em 0 1em; }
"""

_PAGE = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width">
<meta name="robots" content="noindex">
<title>{title}</title>
<style>{style}</style>
<h1>{title}</h1>
{body}
</html>
"""


def report(job: Job, name: str, store: Store) -> str:
    """Give the page; `name` is what the job is called, `store` has its robots.txt files."""
    outcomes: Counter[str] = Counter()
    depths: defaultdict[int, Counter[str]] = defaultdict(Counter)
    hosts: defaultdict[str, Counter[str]] = defaultdict(Counter)
    words: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
    lines: defaultdict[str, Counter[int]] = defaultdict(Counter)
    moments: list[Moment] = []
    for url, depth, _, when, result in job.results():
        origin = "/".join(url.split("/", 3)[:3])
        outcomes[result.outcome] += 1
        depths[depth][result.outcome] += 1
        hosts[origin][result.outcome] += 1
        if result.status is not None and when is not None:
            moments.append((when, origin, result.outcome, url))
        if result.outcome in ("disallowed", "usage-disallowed"):
            words[result.source or "", result.why or ""].append(url)
            if result.line is not None:
                lines[result.source or ""][result.line] += 1
    wanted = job.outcomes().get("wanted", 0)
    body = [
        f"<p>{outcomes['stored']:,} pages stored, {job.octets():,} octets"
        + (f"; {wanted:,} are wanted still" if wanted else "")
        + ".</p>",
        _key(outcomes),
        "<h2>What became of pages</h2>",
        bars("Outcomes", [(outcome, {outcome: count}) for outcome, count in outcomes.most_common()]),
        "<h3>By links from the start</h3>",
        bars("Outcomes by depth", [(f"{depth} links", depths[depth]) for depth in sorted(depths)]),
        "<h3>By site</h3>",
        bars("Outcomes by site", sorted(hosts.items(), key=lambda one: -sum(one[1].values()))),
        "<h2>When each site was asked</h2>",
        timeline("Requests by site and time", sorted(moments)),
        "<h2>What was left out, and who said so</h2>",
        _table(
            ("file", "words", "#pages", "for example"),
            (
                (source, why, f"{len(urls):,}", " ".join(urls[:3]))
                for (source, why), urls in sorted(words.items(), key=lambda one: -len(one[1]))
            ),
        ),
        *_files(hosts, lines, store),
        "<h2>Links that were not followed</h2>",
        _table(("reason", "#links"), ((reason, f"{count:,}") for reason, count in job.omitted().items())),
        _table(
            ("link", "reason", "on", "#line"),
            (
                (one.url, one.reason, one.source or "", "" if one.line is None else str(one.line))
                for one in job.omissions(_LINKS)
            ),
        ),
        "<h2>Pages</h2>",
        _table(("page", "outcome", "#status", "#octets", "file", "when"), islice(_pages(job), _PAGES)),
    ]
    total = sum(outcomes.values())
    if total > _PAGES:
        body.append(f"<p>{total - _PAGES:,} more.</p>")
    return _PAGE.format(title=shown(f"The crawl {name}"), style=_STYLE, body="\n".join(body))


def _pages(job: Job) -> Iterator[tuple[str, ...]]:
    for url, _, _, when, result in job.results():
        yield (
            url,
            _became(result),
            str(result.status or ""),
            f"{result.octets:,}",
            result.file or "",
            _moment(when),
        )


def _became(result: Result) -> str:
    told = result.why if result.outcome in ("failed", "redirect", "too-large") else None
    return f"{result.outcome}: {told}" if told else result.outcome


def _files(hosts: Iterable[str], lines: "defaultdict[str, Counter[int]]", store: Store) -> Iterator[str]:
    """Show the robots.txt of each site, with how many pages each line kept out."""
    for origin in islice(hosts, _FILES):
        access = store.load(origin)
        if access is not None and access.outcome is Outcome.RULES and access.body:
            yield _file(access, lines[access.url])


def _file(access: Access, counts: "Counter[int]") -> str:
    rows = []
    for line in islice(access.robots.lines, _LINES):
        text = shown(line.text.decode("utf-8", "surrogateescape"))
        count = counts[line.number]
        mark = f"<b>{count:,} left out</b>" if count else ""
        rows.append(f"<li{' class=said' if count else ''}>{mark}{text}</li>")
    return f"<h3>{shown(access.url)}</h3>\n<ol class=file>{''.join(rows)}</ol>"


def _key(outcomes: Iterable[str]) -> str:
    named = [outcome for outcome in COLOURS if outcome in set(outcomes)]
    return "".join(f'<span class=key style="background:{COLOURS[each]}"></span>{each}' for each in named)


def _table(titles: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Give a table; the columns whose titles begin with # are of numbers."""
    kinds = [" class=number" if title.startswith("#") else "" for title in titles]
    head = "".join(
        f"<th{kind}>{title.removeprefix('#')}</th>" for kind, title in zip(kinds, titles, strict=True)
    )
    told = [
        "".join(f"<td{kind}>{shown(text)}</td>" for kind, text in zip(kinds, row, strict=True))
        for row in rows
    ]
    if not told:
        return "<p>None.</p>"
    return f"<table><tr>{head}</tr>{''.join(f'<tr>{row}</tr>' for row in told)}</table>"


def _moment(seconds: float | None) -> str:
    return "" if seconds is None else datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M:%S")
