"""Draw SVG charts of a crawl: bars and a timeline.

No chart depends on colour alone. The colours suit colour-blind readers (Okabe and Ito), each outcome has its
own mark, and a text alternative has the same content.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from html import escape

from ...protocol.text import printable
from .wording import outcome_label

#: The colour of each outcome.
COLOURS = {
    "stored": "#0072b2",
    "redirect": "#56b4e9",
    "http-error": "#8c8c8c",
    "failed": "#e69f00",
    "too-large": "#cc79a7",
    "disallowed": "#d55e00",
    "usage-disallowed": "#b8a800",
    "queued": "#bdbdbd",
}

#: The SVG path of each outcome's mark, centred at 0, 0.
_MARKS = {
    "stored": "M-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0z",
    "redirect": "M-5-4L4 0L-5 4z",
    "http-error": "M-3-3H3V3H-3z",
    "failed": "M0-5L5 4H-5z",
    "too-large": "M-5-2H5V2H-5z",
    "disallowed": "M-4-5L0-1L4-5L5-4L1 0L5 4L4 5L0 1L-4 5L-5 4L-1 0L-5-4z",
    "usage-disallowed": "M0-5L5 0L0 5L-5 0z",
}

#: Time of a response in seconds since 1970, site, outcome, URL.
Moment = tuple[float, str, str, str]

_WIDTH, _ROW, _LABEL, _LEFT = 900, 24, 14, 280

#: Minimum width of a part of a bar that contains its number.
_NUMBER_WIDTH = 34

#: Maximum numbers of rows and of marks in a chart.
_MAX_ROWS, _MAX_MARKS = 40, 3000

#: Maximum number of characters of a text; the rest is cut.
_MAX_TEXT = 300


def html_text(text: str) -> str:
    """Return a text from a site as HTML: printable, escaped, and cut to a length.

    >>> html_text("<script>")
    '&lt;script&gt;'
    """
    safe = printable(text)
    return escape(safe if len(safe) <= _MAX_TEXT else f"{safe[: _MAX_TEXT - 1]}…")


def legend(outcomes: Iterable[str]) -> str:
    """Return a list of outcomes with their marks and colours."""
    present = set(outcomes)
    head = '<svg class=key viewBox="-6 -6 12 12" aria-hidden="true">'
    items = [
        f"<li>{head}{_mark(outcome, 0, 0)}</svg> {html_text(outcome_label(outcome))}"
        for outcome in COLOURS
        if outcome in present
    ]
    return f"<ul class=keys>{''.join(items)}</ul>"


def bars(title: str, rows: Sequence[tuple[str, Mapping[str, int]]]) -> str:
    """Return a bar chart: a bar per row, with a part per outcome."""
    more = len(rows) - _MAX_ROWS
    rows = rows[:_MAX_ROWS]
    longest = max((sum(parts.values()) for _, parts in rows), default=0) or 1
    drawn, words = [], []
    for number, (label, parts) in enumerate(rows):
        top, left = number * _ROW, float(_LEFT)
        drawn.append(_text(label, top))
        for outcome, count in _in_order(parts):
            tooltip = f"{html_text(outcome_label(outcome))}: {count:,}"
            width = max(count / longest * (_WIDTH - _LEFT - 70), 1.5)
            drawn.append(
                f'<rect x="{left:.1f}" y="{top + 3}" width="{width:.1f}" height="{_ROW - 6}"'
                f' fill="{_colour(outcome)}"><title>{tooltip}</title></rect>'
            )
            if width >= _NUMBER_WIDTH and len(parts) > 1:
                drawn.append(f'<text class=in x="{left + 5:.1f}" y="{top + _ROW - 7}">{count:,}</text>')
            left += width
        drawn.append(f'<text x="{left + 6:.1f}" y="{top + _ROW - 7}">{sum(parts.values()):,}</text>')
        counts = (f"{count:,} {outcome_label(outcome)}" for outcome, count in _in_order(parts))
        words.append(f"{label}: {', '.join(counts)}")
    return _chart(title, len(rows) * _ROW, drawn, words) + (f"<p>{more:,} more.</p>" if more > 0 else "")


def timeline(title: str, moments: Sequence[Moment]) -> str:
    """Return a timeline: a row per site, with a mark per response."""
    count = Counter(site for _, site, _, _ in moments)
    rows = {site: number for number, (site, _) in enumerate(count.most_common(_MAX_ROWS))}
    first = min((moment[0] for moment in moments), default=0.0)
    span = max((moment[0] for moment in moments), default=0.0) - first or 1.0
    drawn = []
    for site, number in rows.items():
        middle = number * _ROW + _ROW // 2
        drawn.append(_text(site, number * _ROW))
        drawn.append(f'<line x1="{_LEFT}" y1="{middle}" x2="{_WIDTH}" y2="{middle}"/>')
    step = -(-len(moments) // _MAX_MARKS) or 1
    for when, site, outcome, url in moments[::step]:
        if site in rows:
            across = _LEFT + 6 + (when - first) / span * (_WIDTH - _LEFT - 12)
            title = f"{when - first:.2f} s, {html_text(outcome_label(outcome))}: {html_text(url)}"
            drawn.append(_mark(outcome, across, rows[site] * _ROW + _ROW // 2, title))
    bottom = len(rows) * _ROW
    drawn.append(f'<text x="{_LEFT}" y="{bottom + 14}">0 s</text>')
    drawn.append(f'<text x="{_WIDTH - 6}" y="{bottom + 14}" text-anchor="end">{span:,.1f} s</text>')
    words = [f"{site}: {count[site]:,} in {span:,.1f} seconds" for site in rows]
    notes = [f"Every {step:,}th response is shown."] if step > 1 else []
    if len(count) > _MAX_ROWS:
        notes.append(f"{len(count) - _MAX_ROWS:,} more sites.")
    return _chart(title, bottom + 20, drawn, words) + (f"<p>{' '.join(notes)}</p>" if notes else "")


def _in_order(parts: Mapping[str, int]) -> list[tuple[str, int]]:
    """Return the parts in the order of the legend, so that bars can be compared."""
    order = {outcome: number for number, outcome in enumerate(COLOURS)}
    return sorted(parts.items(), key=lambda part: order.get(part[0], len(order)))


def _colour(outcome: str) -> str:
    return COLOURS.get(outcome, "#8c8c8c")


def _mark(outcome: str, across: float, down: float, title: str = "") -> str:
    tooltip = f"<title>{title}</title>" if title else ""
    path = _MARKS.get(outcome, _MARKS["stored"])
    where = f' transform="translate({across:.1f} {down})"' if across or down else ""
    return f'<path d="{path}"{where} fill="{_colour(outcome)}">{tooltip}</path>'


def _text(label: str, top: int) -> str:
    short = label if len(label) <= 36 else f"{label[:35]}…"
    return f'<text x="0" y="{top + _ROW - 7}">{html_text(short)}<title>{html_text(label)}</title></text>'


def _chart(title: str, height: int, drawn: list[str], words: list[str]) -> str:
    """Return an SVG chart with a text alternative."""
    alternative = f"{title}. " + "; ".join(map(printable, words))
    return (
        f'<div class=wide tabindex=0><svg role="img" aria-label="{escape(alternative)}" '
        f'viewBox="0 0 {_WIDTH} {max(height, 1)}" '
        f'font-size="{_LABEL}">{"".join(drawn)}</svg></div>'
    )
