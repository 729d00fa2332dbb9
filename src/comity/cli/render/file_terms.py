"""What a robots.txt asks of a robot: delays, rates, times of day, and preferences about uses of content."""

import time
from bisect import bisect_right
from collections.abc import Mapping
from typing import NamedTuple

from ...protocol import counted, printable, rfc3339, utc
from ...protocol.access import Access, Outcome
from ...protocol.robotstxt import Field, Group, Rules
from ...protocol.robotstxt.fields import (
    CEILINGS,
    CURRENT,
    crawl_delay,
    expression,
    pairs,
    path_and_expression,
    request_rate,
    statements,
    visit_time,
)
from ...protocol.usage import Preference
from ..terminal import echo

#: The fields that ask something, as they are spelt.
_NAMES = {
    name.lower(): name
    for name in ("Crawl-delay", "Request-rate", "Visit-time", "Content-Usage", "Content-Signal")
}

#: Maximum number of lines for a robot in text and in JSON, and of the names of a group.
_MAX_LINES, _MAX_RECORDS, _MAX_AGENTS = 20, 1000, 100

#: Maximum length of a value in characters.
_MAX_VALUE = 200


class Asks(NamedTuple):
    """The valid fields for one robot, each with its group, and the end of the wait outside Visit-time."""

    fields: tuple[tuple[Field, Group], ...]
    opens: float | None

    def record(self) -> dict[str, object]:
        """Return the keys for JSON."""
        opens = {} if self.opens is None else {"opens": rfc3339(self.opens)}
        return {"asks": [_record(field, group) for field, group in self.fields[:_MAX_RECORDS]], **opens}

    def lines(self) -> list[str]:
        """Return a line of text for each field."""
        shown = [_line(field, group) for field, group in self.fields[:_MAX_LINES]]
        more = len(self.fields) - len(shown)
        return [*shown, f"and {counted(more, 'more line')}"] if more else shown

    def closed(self, url: str) -> str:
        """Return a sentence on a URL outside Visit-time, empty if requests are welcome now."""
        if self.opens is None:
            return ""
        hours, minutes = divmod(max(int(self.opens - time.time()) // 60, 0), 60)
        return (
            f"{url}: Visit-time allows requests from {rfc3339(self.opens)}, {hours} h {minutes} min from now"
        )


#: The answer if the rules ask nothing of a robot.
NOTHING = Asks((), None)


def asks_of(rules: Rules) -> Asks:
    """Return what the rules for a robot ask of it now."""
    fields = [field for field in rules.fields if _is_valid(field)]
    if not fields:
        return NOTHING
    groups = rules.groups
    starts = [group.line for group in groups]
    now = time.time()
    wait = rules.visit_wait(utc(now))
    return Asks(
        tuple((field, groups[bisect_right(starts, field.line) - 1]) for field in fields),
        round(now + wait, 3) if wait else None,
    )


def asks_by_agent(access: Access, names: Mapping[str, tuple[str, ...]]) -> dict[str, Asks]:
    """Return what a site asks of robots, each given by its label and its names."""
    if access.outcome is not Outcome.RULES:
        return {}
    robots = access.robots
    return {label: asks_of(robots.rules_for(agent)) for label, agent in names.items()}


def show_asks(asks: Asks, source: str, agent: str, url: str) -> None:
    """Print what a site or file asks of a robot; `url` is the one that was requested."""
    if asks.fields:
        echo(f"{source} asks {'robots without a group of their own' if agent == '*' else agent}:")
    for line in asks.lines():
        echo(f"  {line}")
    if asks.opens is not None:
        echo(asks.closed(url))


def _is_valid(field: Field) -> bool:
    value = field.value
    match field.name:
        case "crawl-delay":
            return crawl_delay(value) is not None
        case "request-rate":
            return request_rate(value) is not None
        case "visit-time":
            return visit_time(value) is not None
        case "content-usage":
            found = expression(path_and_expression(value.encode(errors="surrogateescape"))[1]) or {}
            return any(
                found.get(label, Preference.UNKNOWN) is not Preference.UNKNOWN for label in CURRENT.labels
            )
        case "content-signal":
            signals = pairs(value.encode(errors="surrogateescape"), field.line)
            return any(one.key == "use" and one.value in CEILINGS for one in signals) or any(
                one.preference is not Preference.UNKNOWN for one in statements([field], "robots.txt")
            )
    return False


def _line(field: Field, group: Group) -> str:
    lines = f"line {group.line}" if group.line == group.end_line else f"lines {group.line}-{group.end_line}"
    agents = ", ".join(group.agents[:_MAX_AGENTS])
    text = printable(f"{_NAMES[field.name]}: {_cut(field.value)}")
    return f"line {field.line} `{text}` (group {printable(_cut(agents))}, {lines})"


def _record(field: Field, group: Group) -> dict[str, object]:
    return {
        "field": field.name,
        "value": printable(_cut(field.value)),
        "line": field.line,
        "group": {
            "agents": [printable(_cut(agent)) for agent in group.agents[:_MAX_AGENTS]],
            "line": group.line,
            "end_line": group.end_line,
        },
    }


def _cut(text: str) -> str:
    return text if len(text) <= _MAX_VALUE else f"{text[: _MAX_VALUE - 3]}..."
