"""Format the figures as Markdown tables."""

from collections.abc import Iterable, Sequence
from typing import Any

from footprint import RULES_ALONE
from hostile import CASES, Case
from peers import PEERS
from workloads import WORKLOADS

__all__ = ["markdown", "names", "ratio"]

_NOTHING = "–"
_TIMED = {"parse": "parse", "first": "parse and ask once", "question": "a question"}

#: The workloads whose calls are shown.
_SHOWN = ("first-path", "first-url", "ask-path", "ask-url")


def markdown(results: dict[str, Any]) -> str:
    """Return all tables, under a description of the measurement."""
    parts = [
        _origin(results),
        *(part for key in results["races"] for part in _race(results, key)),
        "### Calls",
        _calls(results),
        _slower_calls(results),
        "### A question among ever more rules",
        _literal_rules(results),
        "### Hostile input: how Comity's time grows",
        _growth(results),
        "### Hostile input: the other libraries",
        _suffering(results),
        "### Memory and import",
        _footprint(results),
        "### What politeness costs a request",
        _politeness(results["politeness"]),
        "### Processor time of many sites and requests",
        _sites(results["sites"]),
        _requests(results["requests"]),
        "### Crawls of a documentation site",
        _crawls(results["crawls"]),
        _links(results["links"]),
    ]
    return "\n\n".join(part for part in parts if part)


def names(results: dict[str, Any]) -> list[str]:
    """Return the names of the libraries in the order of `peers.py`, variants after the library."""
    order = list(PEERS)
    return sorted(
        results["titles"], key=lambda name: min(order.index(peer) for peer in order if name.startswith(peer))
    )


def ratio(value: float) -> str:
    """Format a ratio.

    >>> ratio(0.024), ratio(3.456), ratio(45.6), ratio(8682.4)
    ('0.024×', '3.5×', '46×', '8,682×')
    """
    return f"{value:.2g}×" if value < 0.995 else f"{value:.1f}×" if value < 9.95 else f"{value:,.0f}×"


def _origin(results: dict[str, Any]) -> str:
    effort = results["effort"]
    lines = [
        f"{results['machine']}. Comity has its {results['engine']} engine, unless a column says otherwise.",
        f"Medians of {effort['rounds']} rounds; all libraries take turns in each.",
        f"Questions: {effort['urls']} URLs for each file and each of 3 robots.",
    ]
    if effort["quick"]:
        lines.append("This was a quick run, on a part of the files.")
    if results["absent"]:
        lines.append(f"Not measured, because they could not be installed: {', '.join(results['absent'])}.")
    return "\n".join(lines)


def _race(results: dict[str, Any], key: str) -> list[str]:
    """Return the heading, description and table of one set of files."""
    title, text = results["sets"][key]
    works = results["races"][key]
    shown = [name for name in names(results) if any(name in figures for figures in works.values())]
    rows = [
        [WORKLOADS[work].title, *(_cell(figures.get(name), work, key) for name in shown)]
        for work, figures in works.items()
    ]
    if key == "sample":
        rows.append(["same answers as Comity", *(_same(results["same"].get(name)) for name in shown)])
    table = _table(["", *(results["titles"][name] for name in shown)], rows)
    return [f"### {title}", f"{text[0].upper()}{text[1:]}.", table, _crashes(works)]


def _cell(figure: dict[str, Any] | None, work: str, files: str) -> str:
    if not figure:
        return _NOTHING
    is_speed = WORKLOADS[work].speed and files == "all"
    speed = figure["bytes"] / figure["files"] / figure["seconds"] / 1e6
    written = f"{speed:,.0f} MB/s" if is_speed else _time(figure["seconds"])
    compared = "" if figure["ratio"] in (1, None) else f" ({ratio(figure['ratio'])})"
    return f"{written} ±{100 * figure['spread']:.0f}%{compared}"


def _same(share: float | None) -> str:
    return _NOTHING if share is None else f"{share:.0f}%" if share in (0, 100) else f"{share:.1f}%"


def _crashes(works: dict[str, Any]) -> str:
    figures = works.get("first-path", {})
    total = max((figure["files"] for figure in figures.values()), default=0)
    return "\n".join(
        f"{name} crashes on {total - figure['files']} of {total:,} files, which its figures leave out."
        for name, figure in figures.items()
        if figure["files"] < total
    )


def _calls(results: dict[str, Any]) -> str:
    works = results["races"]["typical"]
    rows = [
        [results["titles"][name], *(f"`{works[work][name]['call']}`" for work in _SHOWN)]
        for name in names(results)
        if all(name in works[work] for work in _SHOWN)
    ]
    return _table(["fastest call", *(WORKLOADS[work].title for work in _SHOWN)], rows, "---")


def _slower_calls(results: dict[str, Any]) -> str:
    """List the other calls for the same work, with their times for a typical file."""
    works = results["races"]["typical"]
    rows = [
        [results["titles"][name], WORKLOADS[work].title, f"`{call}`", _time(seconds)]
        for name in names(results)
        for work in _SHOWN
        for call, seconds in works[work].get(name, {}).get("slower", {}).items()
    ]
    return _table(["slower call of", "workload", "call", "a typical file"], rows, "---")


def _literal_rules(results: dict[str, Any]) -> str:
    keys = {"hits": "one matches", "misses": "none matches"}
    heads = [""]
    for key, outcome in keys.items():
        first, *others = CASES[key].sizes
        heads += [f"{first:,} rules, {outcome}", *(f"{size:,}" for size in others), "growth"]
    rows = []
    for name in results["hostile"]["hits"]:
        times = [results["hostile"][key][name] for key in keys]
        rows.append(
            [results["titles"][name], *(cell for some in times for cell in (*map(_time, some), _grown(some)))]
        )
    return _table(heads, rows)


def _growth(results: dict[str, Any]) -> str:
    rows = []
    for key, case in _hostile(results):
        times = results["hostile"][key]["Comity"]
        sizes = " → ".join(f"{size:,}" for size in case.sizes)
        rows.append(
            [
                case.title,
                _TIMED[case.timed],
                f"{sizes} {case.unit}",
                " → ".join(map(_time, times)),
                _grown(times),
            ]
        )
    return _table(["input", "timed", "size", "time", "growth"], rows)


def _suffering(results: dict[str, Any]) -> str:
    measured = list(results["hostile"]["first"])
    if len(measured) == 1:
        return "Not measured in a quick run."
    rows = []
    for key, case in _hostile(results):
        if case.for_all:
            cells = [_suffered(results["hostile"][key][name]) for name in measured]
            rows.append([f"{case.title}; {case.sizes[-1]:,} {case.unit}; {_TIMED[case.timed]}", *cells])
    return _table(["input", *measured], rows)


def _suffered(times: list[float | str]) -> str:
    return f"{_time(times[-1])} ({_grown(times)})" if not isinstance(times[-1], str) else times[-1]


def _hostile(results: dict[str, Any]) -> list[tuple[str, Case]]:
    """Return the measured cases, except those with a table of their own."""
    return [(key, CASES[key]) for key in results["hostile"] if key not in ("hits", "misses")]


def _grown(times: Sequence[float | str]) -> str:
    first, last = times[0], times[-1]
    return _NOTHING if isinstance(first, str) or isinstance(last, str) else ratio(last / first)


def _footprint(results: dict[str, Any]) -> str:
    titles = {name: results["titles"][name] for name in PEERS if name in results["titles"]}
    titles = {"Comity": titles.pop("Comity"), RULES_ALONE: RULES_ALONE, **titles}
    rows = []
    for name, title in titles.items():
        memory = results["memory"].get(name, {})
        figures = [_megabytes(memory.get(kind)) for kind in ("kept", "peak", "resident")]
        imported = results["imports"].get(name)
        rows.append([title, *figures, _NOTHING if imported is None else f"{imported:.0f} ms"])
    return _table(["", "all files, parsed", "peak meanwhile", "growth of the process", "import"], rows)


def _politeness(figures: dict[str, dict[str, float]] | None) -> str:
    if figures is None:
        return "Not measured, because httpx2 could not be installed."
    rows = [
        [
            f"`{name}`",
            f"{figure['bare']:,.0f} a second",
            f"{figure['robot']:,.0f} a second",
            f"{figure['share']:.2f}",
            f"{_time(figure['question'])} ({100 * figure['part']:.2g}% of a request)",
        ]
        for name, figure in figures.items()
    ]
    return _table(["", "httpx2 alone", "the robot", "share", "look-up and question"], rows)


def _sites(figures: dict[str, dict[str, float]] | None) -> str:
    if figures is None:
        return ""
    numbers = list(next(iter(figures.values())))
    rows = [
        [name if " " in name else f"`{name}`", *(_time(by_number[number]) for number in numbers)]
        for name, by_number in figures.items()
    ]
    return _table(["processor time a site", *(f"{int(number):,} sites" for number in numbers)], rows)


def _requests(figures: dict[str, float] | None) -> str:
    if figures is None:
        return ""
    titles = {"httpx2": "httpx2 alone", "robot": "`Robot`", "logged": "`Robot` with a log"}
    rows = [
        [titles[name], f"{figure:,.0f}", f"{figure / figures['httpx2']:.2f}"]
        for name, figure in figures.items()
    ]
    return _table(["", "requests a second of processor time", "share"], rows)


def _crawls(figures: dict[str, dict[str, dict[str, float]]] | None) -> str:
    if figures is None:
        return ""
    rows = [
        [
            name,
            site,
            f"{run['pages'] / run['seconds']:,.0f}",
            _time(run["processor"] / run["pages"]),
            _megabytes(run["memory"] / 1e6),
        ]
        for site, runs in figures.items()
        for name, run in runs.items()
    ]
    return _table(["", "site", "pages a second", "processor time a page", "peak memory"], rows)


def _links(seconds: float | None) -> str:
    if seconds is None:
        return ""
    return f"`comity crawl` reads a page with 400,000 links in {_time(seconds)} of processor time."


def _megabytes(figure: float | None) -> str:
    return _NOTHING if figure is None else f"{figure:.1f} MB"


def _time(seconds: float | str) -> str:
    """Format a time with three digits and a suitable unit.

    >>> _time(1.763e-06), _time(0.0086), _time("crash")
    ('1.76 µs', '8.60 ms', 'crash')
    """
    if isinstance(seconds, str):
        return seconds
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= 0.9995 * size:
            value = seconds / size
            return f"{value:.{2 if value < 9.995 else 1 if value < 99.95 else 0}f} {unit}"
    return f"{seconds * 1e9:.0f} ns"


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]], alignment: str = "--:") -> str:
    lines = [heads, ["---"] + [alignment] * (len(heads) - 1), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)
