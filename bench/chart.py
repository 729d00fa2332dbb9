"""Draw the figures as an SVG chart: the time of each library divided by Comity's."""

import math
from collections.abc import Iterator
from typing import Any
from xml.sax.saxutils import escape

from report import names, ratio
from workloads import WORKLOADS

__all__ = ["svg"]

_WIDTH = 820
_LEFT, _RIGHT = 250, 70
_TOP, _BAR, _GAP, _HEADING = 56, 13, 5, 34

#: The set of files and the workload of each group of bars.
_SHOWN = (
    ("small", "first-path"),
    ("all", "first-path"),
    ("all", "first-url"),
    ("all", "groups"),
    ("sample", "ask-path"),
    ("sample", "ask-url"),
    ("sample", "check-path"),
    ("sample", "diagnostics"),
)

_STYLE = """
  text { font: 12px system-ui, sans-serif; fill: #24292f }
  .title { font-size: 15px; font-weight: 600 }
  .heading { font-weight: 600 }
  .note { fill: #57606a; font-size: 11px }
  .grid { stroke: #d8dee4 }
  .comity { stroke: #24292f; stroke-width: 1.5 }
  .slower { fill: #b35900 }
  .quicker { fill: #1a7f64 }
"""


def svg(results: dict[str, Any]) -> str:
    """Draw a bar for each library and workload, on a logarithmic scale from Comity's own time."""
    groups = [
        (
            f"{results['sets'][files][0]}: {WORKLOADS[work].title}",
            [
                (name, figures[name]["ratio"])
                for name in names(results)
                if name != "Comity" and name in figures and figures[name]["ratio"]
            ],
        )
        for files, work in _SHOWN
        for figures in [results["races"][files][work]]
    ]
    ratios = [times for _, bars in groups for _, times in bars] or [1.0]
    low, high = math.floor(math.log10(min(1, *ratios))), math.ceil(math.log10(max(10, *ratios)))
    height = _TOP + sum(_HEADING + len(bars) * (_BAR + _GAP) for _, bars in groups) + 40
    elements = [*_grid(low, high, height), *_bars(groups, low, high)]
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" role="img"'
            ' aria-label="How many times as long as Comity other libraries take">',
            f"<style>{_STYLE}</style>",
            f'<rect width="{_WIDTH}" height="{height}" rx="6" fill="#ffffff"/>',
            '<text class="title" x="16" y="28">How many times as long as Comity</text>',
            *elements,
            "</svg>\n",
        ]
    )


def _grid(low: int, high: int, height: int) -> Iterator[str]:
    """Draw a line for each power of ten, the one at 1 for Comity."""
    for power in range(low, high + 1):
        x = _place(10.0**power, low, high)
        kind = "grid" if power else "comity"
        label = f"{10**power:,}×" if power > 0 else f"{10.0**power:g}×" if power else "Comity"
        yield f'<line class="{kind}" x1="{x:.1f}" y1="{_TOP}" x2="{x:.1f}" y2="{height - 34}"/>'
        yield f'<text class="note" x="{x:.1f}" y="{_TOP - 8}" text-anchor="middle">{label}</text>'
    note = "logarithmic scale; to the left of the line is quicker than Comity, to the right slower"
    yield f'<text class="note" x="16" y="{height - 14}">{note}</text>'


def _bars(groups: list[tuple[str, list[tuple[str, float]]]], low: int, high: int) -> Iterator[str]:
    y = _TOP
    for title, bars in groups:
        y += _HEADING
        yield f'<text class="heading" x="16" y="{y - 9}">{escape(title)}</text>'
        for name, times in bars:
            yield from _bar(name, times, y, low, high)
            y += _BAR + _GAP


def _bar(name: str, times: float, y: int, low: int, high: int) -> Iterator[str]:
    begin, end = sorted((_place(1, low, high), _place(times, low, high)))
    kind = "slower" if times >= 1 else "quicker"
    text = y + _BAR - 3
    label = f'x="{begin - 5:.1f}" text-anchor="end"' if times < 1 else f'x="{end + 5:.1f}"'
    yield f'<text x="{_LEFT - 24}" y="{text}" text-anchor="end">{escape(name)}</text>'
    box = f'x="{begin:.1f}" y="{y}" width="{max(end - begin, 1):.1f}" height="{_BAR}"'
    yield f'<rect class="{kind}" {box} rx="1.5"/>'
    yield f'<text y="{text}" {label}>{ratio(times)}</text>'


def _place(times: float, low: int, high: int) -> float:
    """Return the horizontal position of a ratio."""
    return _LEFT + (math.log10(times) - low) / (high - low) * (_WIDTH - _LEFT - _RIGHT)
