"""Pictures of a crawl as SVG, to stand in a page: bars, and what happened when."""

from collections.abc import Mapping, Sequence
from html import escape

from ..protocol.robotstxt.verdict import printable

__all__ = ["COLOURS", "Moment", "bars", "shown", "timeline"]

#: The colour of each outcome.
COLOURS = {
    "stored": "#2f7d4f",
    "redirect": "#6aa7d8",
    "no-page": "#9a9a9a",
    "failed": "#c98a1b",
    "too-large": "#8d6cab",
    "disallowed": "#c0392b",
    "usage-disallowed": "#e07a5f",
    "wanted": "#d9d9d9",
}

#: When something happened, in seconds since 1970; where; its outcome; and what to call it.
Moment = tuple[float, str, str, str]

_WIDTH, _ROW, _LABEL, _LEFT = 900, 22, 13, 260

#: So many rows, and so many dots, a picture has at most.
_ROWS, _DOTS = 40, 3000

#: A text of more characters is cut.
_LONGEST = 300


def shown(text: str) -> str:
    """Give a text that a site wrote as a page may have it: escaped, printable and not too long.

    >>> shown("<script>")
    '&lt;script&gt;'
    """
    told = printable(text)
    return escape(told if len(told) <= _LONGEST else f"{told[: _LONGEST - 1]}…")


def bars(title: str, rows: Sequence[tuple[str, Mapping[str, int]]]) -> str:
    """Give a bar for each row, of a part for each outcome."""
    rows = rows[:_ROWS]
    longest = max((sum(parts.values()) for _, parts in rows), default=0) or 1
    drawn = []
    for number, (label, parts) in enumerate(rows):
        top, left = number * _ROW, float(_LEFT)
        drawn.append(_text(label, top))
        for outcome, count in parts.items():
            width = count / longest * (_WIDTH - _LEFT - 60)
            drawn.append(
                f'<rect x="{left:.1f}" y="{top + 3}" width="{max(width, 1):.1f}" height="{_ROW - 6}"'
                f' fill="{_colour(outcome)}"><title>{shown(outcome)}: {count:,}</title></rect>'
            )
            left += max(width, 1)
        drawn.append(f'<text x="{left + 6:.1f}" y="{top + _ROW - 7}">{sum(parts.values()):,}</text>')
    return _picture(title, len(rows) * _ROW, drawn)


def timeline(title: str, moments: Sequence[Moment]) -> str:
    """Give a row for each place, with a dot for each moment."""
    places = list(dict.fromkeys(place for _, place, _, _ in moments))[:_ROWS]
    rows = {place: number for number, place in enumerate(places)}
    first = min((moment[0] for moment in moments), default=0.0)
    span = max((moment[0] for moment in moments), default=0.0) - first or 1.0
    drawn = []
    for place, number in rows.items():
        middle = number * _ROW + _ROW // 2
        drawn.append(_text(place, number * _ROW))
        drawn.append(f'<line x1="{_LEFT}" y1="{middle}" x2="{_WIDTH}" y2="{middle}" stroke="#ddd"/>')
    step = len(moments) // _DOTS + 1
    for when, place, outcome, name in moments[::step]:
        if place in rows:
            down = rows[place] * _ROW + _ROW // 2
            across = _LEFT + 6 + (when - first) / span * (_WIDTH - _LEFT - 12)
            drawn.append(
                f'<circle cx="{across:.1f}" cy="{down}" r="4" fill="{_colour(outcome)}">'
                f"<title>{when - first:.2f} s, {shown(outcome)}: {shown(name)}</title></circle>"
            )
    bottom = len(rows) * _ROW
    drawn.append(f'<text x="{_LEFT}" y="{bottom + 14}">0 s</text>')
    drawn.append(f'<text x="{_WIDTH - 6}" y="{bottom + 14}" text-anchor="end">{span:,.1f} s</text>')
    return _picture(title, bottom + 20, drawn)


def _colour(outcome: str) -> str:
    return COLOURS.get(outcome, "#9a9a9a")


def _text(label: str, top: int) -> str:
    short = label if len(label) <= 38 else f"{label[:37]}…"
    return f'<text x="0" y="{top + _ROW - 7}">{shown(short)}<title>{shown(label)}</title></text>'


def _picture(title: str, height: int, drawn: list[str]) -> str:
    return (
        f'<svg role="img" aria-label="{shown(title)}" viewBox="0 0 {_WIDTH} {max(height, 1)}" '
        f'font-size="{_LABEL}">{"".join(drawn)}</svg>'
    )
