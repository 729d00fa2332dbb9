"""Pictures of a crawl as SVG, to stand in a page: bars, and what happened when.

No picture speaks by colour alone: the colours can be told apart by those who see fewer of them (Okabe and
Ito), a mark has the shape of its outcome, and all that is drawn is told in words too.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from html import escape

from ...protocol.robotstxt.verdict import printable
from .wording import worded

__all__ = ["COLOURS", "Moment", "bars", "key", "shown", "timeline"]

#: The colour of each outcome.
COLOURS = {
    "stored": "#0072b2",
    "redirect": "#56b4e9",
    "no-page": "#8c8c8c",
    "failed": "#e69f00",
    "too-large": "#cc79a7",
    "disallowed": "#d55e00",
    "usage-disallowed": "#b8a800",
    "wanted": "#bdbdbd",
}

#: The mark of each outcome, about the point 0, 0; of any other, that of the first.
_MARKS = {
    "stored": "M-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0z",
    "redirect": "M-5-4L4 0L-5 4z",
    "no-page": "M-3-3H3V3H-3z",
    "failed": "M0-5L5 4H-5z",
    "too-large": "M-5-2H5V2H-5z",
    "disallowed": "M-4-5L0-1L4-5L5-4L1 0L5 4L4 5L0 1L-4 5L-5 4L-1 0L-5-4z",
    "usage-disallowed": "M0-5L5 0L0 5L-5 0z",
}

#: When something happened, in seconds since 1970; where; its outcome; and what to call it.
Moment = tuple[float, str, str, str]

_WIDTH, _ROW, _LABEL, _LEFT = 900, 24, 14, 280

#: A part of a bar that is so wide has its number in it.
_ROOM = 34

#: So many rows, and so many marks, a picture has at most.
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


def key(outcomes: Iterable[str]) -> str:
    """Give the marks and colours of outcomes with their names."""
    present = set(outcomes)
    head = '<svg class=key viewBox="-6 -6 12 12" aria-hidden="true">'
    told = [
        f"<li>{head}{_mark(outcome, 0, 0)}</svg> {shown(worded(outcome))}"
        for outcome in COLOURS
        if outcome in present
    ]
    return f"<ul class=keys>{''.join(told)}</ul>"


def bars(title: str, rows: Sequence[tuple[str, Mapping[str, int]]]) -> str:
    """Give a bar for each row, of a part for each outcome."""
    more = len(rows) - _ROWS
    rows = rows[:_ROWS]
    longest = max((sum(parts.values()) for _, parts in rows), default=0) or 1
    drawn, told = [], []
    for number, (label, parts) in enumerate(rows):
        top, left = number * _ROW, float(_LEFT)
        drawn.append(_text(label, top))
        for outcome, count in _in_order(parts):
            width = max(count / longest * (_WIDTH - _LEFT - 70), 1.5)
            drawn.append(
                f'<rect x="{left:.1f}" y="{top + 3}" width="{width:.1f}" height="{_ROW - 6}"'
                f' fill="{_colour(outcome)}"><title>{shown(worded(outcome))}: {count:,}</title></rect>'
            )
            if width >= _ROOM and len(parts) > 1:
                drawn.append(f'<text class=in x="{left + 5:.1f}" y="{top + _ROW - 7}">{count:,}</text>')
            left += width
        drawn.append(f'<text x="{left + 6:.1f}" y="{top + _ROW - 7}">{sum(parts.values()):,}</text>')
        told.append(
            f"{label}: {', '.join(f'{count:,} {worded(outcome)}' for outcome, count in _in_order(parts))}"
        )
    return _picture(title, len(rows) * _ROW, drawn, told) + (f"<p>{more:,} more.</p>" if more > 0 else "")


def timeline(title: str, moments: Sequence[Moment]) -> str:
    """Give a row for each place, with a mark for each moment."""
    count = Counter(place for _, place, _, _ in moments)
    rows = {place: number for number, (place, _) in enumerate(count.most_common(_ROWS))}
    first = min((moment[0] for moment in moments), default=0.0)
    span = max((moment[0] for moment in moments), default=0.0) - first or 1.0
    drawn = []
    for place, number in rows.items():
        middle = number * _ROW + _ROW // 2
        drawn.append(_text(place, number * _ROW))
        drawn.append(f'<line x1="{_LEFT}" y1="{middle}" x2="{_WIDTH}" y2="{middle}"/>')
    step = -(-len(moments) // _DOTS) or 1
    for when, place, outcome, name in moments[::step]:
        if place in rows:
            across = _LEFT + 6 + (when - first) / span * (_WIDTH - _LEFT - 12)
            said = f"{when - first:.2f} s, {shown(worded(outcome))}: {shown(name)}"
            drawn.append(_mark(outcome, across, rows[place] * _ROW + _ROW // 2, said))
    bottom = len(rows) * _ROW
    drawn.append(f'<text x="{_LEFT}" y="{bottom + 14}">0 s</text>')
    drawn.append(f'<text x="{_WIDTH - 6}" y="{bottom + 14}" text-anchor="end">{span:,.1f} s</text>')
    told = [f"{place}: {count[place]:,} in {span:,.1f} seconds" for place in rows]
    notes = [f"One in {step:,} is drawn."] if step > 1 else []
    if len(count) > _ROWS:
        notes.append(f"{len(count) - _ROWS:,} more sites.")
    return _picture(title, bottom + 20, drawn, told) + (f"<p>{' '.join(notes)}</p>" if notes else "")


def _in_order(parts: Mapping[str, int]) -> list[tuple[str, int]]:
    """Give the parts in the order of the key, so that bars can be compared."""
    order = {outcome: number for number, outcome in enumerate(COLOURS)}
    return sorted(parts.items(), key=lambda part: order.get(part[0], len(order)))


def _colour(outcome: str) -> str:
    return COLOURS.get(outcome, "#8c8c8c")


def _mark(outcome: str, across: float, down: float, said: str = "") -> str:
    title = f"<title>{said}</title>" if said else ""
    path = _MARKS.get(outcome, _MARKS["stored"])
    where = f' transform="translate({across:.1f} {down})"' if across or down else ""
    return f'<path d="{path}"{where} fill="{_colour(outcome)}">{title}</path>'


def _text(label: str, top: int) -> str:
    short = label if len(label) <= 36 else f"{label[:35]}…"
    return f'<text x="0" y="{top + _ROW - 7}">{shown(short)}<title>{shown(label)}</title></text>'


def _picture(title: str, height: int, drawn: list[str], told: list[str]) -> str:
    """Give a picture, and what it shows in words, for those who cannot see it."""
    words = f"{title}. " + "; ".join(map(printable, told))
    return (
        f'<div class=wide tabindex=0><svg role="img" aria-label="{escape(words)}" '
        f'viewBox="0 0 {_WIDTH} {max(height, 1)}" '
        f'font-size="{_LABEL}">{"".join(drawn)}</svg></div>'
    )
