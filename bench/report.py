"""Format the figures as Markdown tables."""

from collections.abc import Iterable, Sequence
from typing import Any

from footprint import RULES_ALONE
from hostile import CASES, Case

__all__ = ["WORKLOADS", "markdown", "ratio"]

#: The compared workloads, and the units of their figures.
WORKLOADS = {
    "parse": ("parse all files", "MB/s"),
    "parse-and-ask": ("parse a file and ask one question", "µs"),
    "question": ("a question", "ns"),
    "batch": ("a question, in batch", "ns"),
    "largest": ("a question, ten largest files", "ns"),
}

_NOTHING = "–"
_SECONDS = {"ns": 1e-9, "µs": 1e-6}
_TIMED = {"parse": "parse", "first": "parse and ask once", "question": "a question"}


def markdown(results: dict[str, Any]) -> str:
    """Return all tables, under a description of the measurement."""
    parts = [
        _origin(results),
        "### Speed",
        _speed(results),
        _crashes(results),
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
    ]
    return "\n\n".join(part for part in parts if part)


def ratio(value: float) -> str:
    """Format a ratio.

    >>> ratio(0.024), ratio(3.456), ratio(45.6), ratio(8682.4)
    ('0.024×', '3.5×', '46×', '8,682×')
    """
    return f"{value:.2g}×" if value < 0.995 else f"{value:.1f}×" if value < 9.95 else f"{value:,.0f}×"


def _origin(results: dict[str, Any]) -> str:
    effort = results["effort"]
    lines = [
        f"Measured with {results['corpus']}.",
        f"{results['machine']}. Medians of {effort['repeats']} repeats, taken in turns; questions: "
        f"{effort['files']} files drawn at random, {effort['urls']} URLs each, 3 robots.",
    ]
    if results["absent"]:
        lines.append(f"Left out, since not to be installed here: {', '.join(results['absent'])}.")
    return "\n".join(lines)


def _speed(results: dict[str, Any]) -> str:
    heads = ["", *(title for title, _ in WORKLOADS.values()), "same answers"]
    rows = [
        [
            title,
            *(_cell(results[work].get(name), unit) for work, (_, unit) in WORKLOADS.items()),
            _same(results, name),
        ]
        for name, title in results["titles"].items()
    ]
    return _table(heads, rows)


def _cell(figure: dict[str, float] | None, unit: str) -> str:
    if not figure:
        return _NOTHING
    speed = figure["speed"]
    written = _time(speed * _SECONDS[unit]) if unit in _SECONDS else f"{speed:,.0f} {unit}"
    return written if figure["ratio"] == 1 else f"{written} ({ratio(figure['ratio'])})"


def _same(results: dict[str, Any], name: str) -> str:
    same = results["question"][name]["same"]
    return f"{same:.0f}%" if same in (0, 100) else f"{same:.1f}%"


def _crashes(results: dict[str, Any]) -> str:
    notes = [
        f"{name} crashes on {figure['crashes']} of {figure['crashes'] + figure['files']:,} files, "
        "which its figures leave out."
        for name, figure in results["parse-and-ask"].items()
        if figure["crashes"]
    ]
    notes += [
        f"{name} has no parsed form: it reads the file again for each question."
        for name in results["titles"]
        if name not in results["parse"]
    ]
    return "\n".join(notes)


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
    names = list(results["titles"])
    if not any(len(results["hostile"][key]) > 1 for key in results["hostile"]):
        return "Not measured in a quick run."
    rows = []
    for key, case in _hostile(results):
        if case.for_all:
            cells = [_suffered(results["hostile"][key][name]) for name in names]
            rows.append([f"{case.title}; {case.sizes[-1]:,} {case.unit}; {_TIMED[case.timed]}", *cells])
    return _table(["input", *names], rows)


def _suffered(times: list[float | str]) -> str:
    return f"{_time(times[-1])} ({_grown(times)})" if not isinstance(times[-1], str) else times[-1]


def _hostile(results: dict[str, Any]) -> list[tuple[str, Case]]:
    """Return the measured cases, except those with a table of their own."""
    return [(key, CASES[key]) for key in results["hostile"] if key not in ("hits", "misses")]


def _grown(times: Sequence[float | str]) -> str:
    first, last = times[0], times[-1]
    return _NOTHING if isinstance(first, str) or isinstance(last, str) else ratio(last / first)


def _footprint(results: dict[str, Any]) -> str:
    titles = dict(results["titles"])
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
        return "Not measured, since httpx2 is not to be installed here."
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
        [f"`{name}`", *(_time(by_number[number]) for number in numbers)]
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


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [heads, ["---"] + ["--:"] * (len(heads) - 1), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)
