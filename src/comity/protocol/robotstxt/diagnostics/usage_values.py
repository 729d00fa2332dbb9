"""Checks of Content-Usage and Content-Signal: preferences that say less than they seem to."""

from collections.abc import Iterable, Iterator

from ..engine.dialect import Dialect
from ..engine.groups import RawGroup
from ..engine.lexer import Line, Lines
from ..fields.content_signal import CEILINGS, SIGNAL_CATEGORIES, pairs, signals_of
from ..fields.content_usage import path_and_expression, preference_of
from ..fields.structured import Malformed, dictionary
from ..fields.vocabulary import CURRENT, VOCABULARIES, Preference
from .diagnostic import Diagnostic, at_name, at_span, listed, quoted
from .field_values import invalid_diagnostic
from .path_patterns import character_diagnostics


def usage_diagnostics(line: Line, dialect: Dialect) -> Iterator[Diagnostic]:
    """Yield the diagnostics of the value of a Content-Usage line."""
    path, expression = path_and_expression(line.value)
    yield from character_diagnostics(line, path, dialect)
    if not expression:
        yield invalid_diagnostic(line, "preferences, perhaps after a path, such as /ai/ train-ai=n")
        return
    start = line.value_end - len(expression)
    try:
        members = dictionary(expression)
    except Malformed as fault:
        message = f"{quoted(expression)} is ignored: expected {fault} here; write preferences as train-ai=n"
        yield at_span(line, start + fault.position, line.value_end, "invalid-value", message)
        return
    for label, member in members.items():
        at, end = start + member.start, start + member.end
        if label not in CURRENT.labels:
            older = [name for name, others in VOCABULARIES.items() if label in others.labels]
            origin = f"from {older[0]}" if older else "not in any draft"
            labels = " and ".join(CURRENT.labels)
            message = f"the label {quoted(label)} is {origin}; the current labels are {labels}"
            yield at_span(line, at, end, "unknown-label", message)
        elif preference_of(member) is Preference.UNKNOWN:
            preference = quoted(expression[member.start : member.end])
            message = f"{preference} neither allows nor disallows; write {label}=y or {label}=n"
            yield at_span(line, at, end, "unknown-preference", message)


def divided_group_diagnostics(lines: Lines, groups: Iterable[RawGroup]) -> Iterator[Diagnostic]:
    """Yield a diagnostic for each Content-Usage line that ends a run of names by its draft alone.

    draft-ietf-aipref-attach makes the line a rule; by RFC 9309 2.2.4 it is another record.
    """
    for group in groups:
        reported = 0
        for (number, name, _), _, end in group.fields if group.rules else ():
            if name == "content-usage" and reported < end < len(group.agents):
                names = listed([*map(quoted, group.names[reported:end])], 3)
                message = (
                    f"by the AIPREF draft, this line ends the group of {names}, which then has none of the "
                    "rules below; put the line after the rules"
                )
                yield at_name(lines[number - 1], "usage-between-agents", message)
                reported = end


def signal_diagnostics(line: Line) -> Iterator[Diagnostic]:
    """Yield the diagnostics of the value of a Content-Signal line."""
    if not line.value:
        yield invalid_diagnostic(line, "signals, such as ai-train=no")
        return
    for signal in pairs(line.value, line.number):
        at, end = line.value_start + signal.start, line.value_start + signal.end
        shown = quoted(line.text[at:end])
        values = list(CEILINGS) if signal.key == "use" else ["yes", "no"]
        if signal.key not in SIGNAL_CATEGORIES and signal.key != "use":
            message = f"the signal {shown} is unknown; the signals are {', '.join(SIGNAL_CATEGORIES)} and use"
            yield at_span(line, at, end, "unknown-label", message)
        elif signal.value not in values:
            expected = f"{', '.join(values[:-1])} or {values[-1]}"
            message = f"{shown} neither allows nor disallows; {signal.key} must be {expected}"
            yield at_span(line, at, end, "unknown-preference", message)


def may_contradict(lines: Iterable[Line]) -> bool:
    """Return whether two signals of the Content-Signal lines have the same key, or one is a ceiling."""
    keys = [
        signal.key
        for line in lines
        if line.field == "content-signal"
        for signal in pairs(line.value, line.number)
    ]
    return len(set(keys)) < len(keys) or "use" in keys


def conflict_diagnostics(lines: Lines, groups: Iterable[RawGroup]) -> Iterator[Diagnostic]:
    """Yield a diagnostic for each signal that contradicts another one of its group."""
    for group in groups:
        yield from _above_ceiling(lines, group)
        first: dict[str, tuple[str, int]] = {}
        for (number, name, _), _, _ in group.fields:
            if name != "content-signal":
                continue
            line = lines[number - 1]
            for signal in pairs(line.value, number):
                value, earlier = first.setdefault(signal.key, (signal.value, number))
                if value != signal.value:
                    at, end = line.value_start + signal.start, line.value_start + signal.end
                    before = quoted(f"{signal.key}={value}")
                    message = f"line {earlier} has {before}; of contradicting signals the stricter one counts"
                    yield at_span(line, at, end, "conflicting-signals", message)


def _above_ceiling(lines: Lines, group: RawGroup) -> Iterator[Diagnostic]:
    """Yield a diagnostic for each signal that allows a use which the group's `use` disallows."""
    values = [(number, value) for (number, name, value), _, _ in group.fields if name == "content-signal"]
    ceiling = signals_of(values).use
    closed = CEILINGS[ceiling] if ceiling else ()
    for number, value in values if closed else ():
        line = lines[number - 1]
        for signal in pairs(value, number):
            if signal.value == "yes" and SIGNAL_CATEGORIES.get(signal.key) in closed:
                at, end = line.value_start + signal.start, line.value_start + signal.end
                shown = quoted(line.text[at:end])
                message = f"{shown} has no effect, because `use={ceiling}` closes that use"
                yield at_span(line, at, end, "conflicting-signals", message)
