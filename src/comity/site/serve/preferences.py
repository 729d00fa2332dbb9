"""The values of Content-Signal, TDM and Link of a site and of its application -> header lines.

The fields of the application stay. A refusal of either side counts.
"""

from collections.abc import Sequence

from ...protocol.robotstxt.fields.content_signal import CEILINGS, pairs

_SIGNAL, _RESERVATION, _POLICY, _LINK = "Content-Signal", "TDM-Reservation", "TDM-Policy", "Link"

#: The name and the value of a header field in a response.
Line = tuple[str, str]


def is_refusal(value: str) -> bool:
    """Return whether a value of a signal refuses a use."""
    return value == "no" or bool(CEILINGS.get(value))


def strictest(signals: Sequence[str]) -> list[str]:
    """Return one signal for each key: the one that allows the least.

    >>> strictest(["search=yes", "use=full", "search=no", "use=reference"])
    ['search=no', 'use=reference']
    """
    found: dict[str, str] = {}
    for signal in signals:
        key = signal.partition("=")[0]
        found[key] = min(found.get(key, signal), signal, key=_openness)
    return list(found.values())


def with_signals(lines: list[Line], signals: Sequence[str]) -> list[Line]:
    """Add signals; a signal of the application with the same key stays unless it allows more."""
    if not signals:
        return lines
    own = [value for name, value in lines if name.lower() == _SIGNAL.lower()]
    stated = [
        f"{pair.key}={pair.value}" for value in own for pair in pairs(value.encode("latin-1", "replace"), 0)
    ]
    merged = strictest([*stated, *signals])
    if merged == stated:
        return lines
    kept = [line for line in lines if line[0].lower() != _SIGNAL.lower()]
    return [*kept, (_SIGNAL, ", ".join(merged))]


def with_tdm(lines: list[Line], reservation: int | None, policy: str | None) -> list[Line]:
    """Add a reservation of text and data mining; one of the application stays unless it reserves nothing."""
    if reservation is None:
        return lines
    own = [value.strip(" \t") for name, value in lines if name.lower() == _RESERVATION.lower()]
    if own == ["1"] or (own == ["0"] and reservation == 0):
        return lines
    names = (_RESERVATION.lower(), _POLICY.lower())
    kept = [line for line in lines if line[0].lower() not in names]
    added = [(_RESERVATION, str(reservation))] + ([(_POLICY, policy)] if policy else [])
    return kept + added


def with_links(lines: list[Line], links: Sequence[str]) -> list[Line]:
    """Add links that the application does not have."""
    own = {value.strip(" \t") for name, value in lines if name.lower() == _LINK.lower()}
    return lines + [(_LINK, link) for link in links if link not in own]


def _openness(signal: str) -> int:
    """Return a number that is the larger, the more uses a signal allows."""
    value = signal.partition("=")[2]
    return -len(CEILINGS[value]) if value in CEILINGS else -(value == "no")
