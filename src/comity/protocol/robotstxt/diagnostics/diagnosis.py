"""Lines and groups -> the diagnostics of a file."""

from collections.abc import Iterable, Iterator, Sequence

from ...text import to_text
from ..dialect import Dialect
from ..fields.hosts import is_host
from ..groups import Record
from ..lexer import Line
from ..verdict import Group
from .agents import agent_diagnostics
from .diagnostic import Diagnostic, at_name, at_text, at_value, quoted
from .fields import ignored_diagnostics, name_diagnostics, value_diagnostics
from .file import file_diagnostics, line_diagnostics
from .patterns import pattern_diagnostics
from .preferences import conflict_diagnostics, signal_diagnostics, usage_diagnostics


def diagnose(
    body: bytes, lines: Sequence[Line], groups: Sequence[Group], strays: Iterable[Record], dialect: Dialect
) -> list[Diagnostic]:
    """Return all diagnostics of a file, in order of lines and columns.

    `strays` are the rules and fields that are in no group.
    """
    found = [*file_diagnostics(body, lines, groups)]
    groupless = {line for line, _, _ in strays}
    for line in lines:
        found += line_diagnostics(line, dialect)
        if line.field is None:
            found += ignored_diagnostics(line, dialect)
            continue
        found += name_diagnostics(line, line.field)
        found += _value_diagnostics(line, dialect)
        if line.number in groupless:
            name = "rule-outside-group" if line.field in ("allow", "disallow") else "field-outside-group"
            message = f"{quoted(line.name)} applies to no robot: there is no User-agent line before it"
            found.append(at_name(line, name, message))
    found += _empty_group_diagnostics(lines, groups)
    found += conflict_diagnostics(lines, groups)
    found += _repeated_host_diagnostics(lines)
    return sorted(found, key=lambda problem: (problem.line, problem.column, problem.code))


def _value_diagnostics(line: Line, dialect: Dialect) -> Iterator[Diagnostic]:
    match line.field:
        case "allow" | "disallow":
            return pattern_diagnostics(line, dialect)
        case "user-agent":
            return agent_diagnostics(line, dialect)
        case "content-signal":
            return signal_diagnostics(line)
        case "content-usage":
            return usage_diagnostics(line, dialect)
    return value_diagnostics(line)


def _empty_group_diagnostics(lines: Sequence[Line], groups: Sequence[Group]) -> Iterator[Diagnostic]:
    """Yield a diagnostic for each group that allows everything because it has no rules."""
    ends = [*(group.line - 1 for group in groups[1:]), len(lines)][: len(groups)]
    for group, end in zip(groups, ends, strict=True):
        if group.rules or any(field.name == "content-usage" for field in group.fields):
            continue
        line = lines[group.line - 1]
        alone = "*" in group.agents and len(groups) == 1
        if not alone and not group.fields and _has_other_lines(lines[group.line : end]):
            message = f"the group of {_names(group)} has no rules, so everything is allowed"
            yield at_text(line, "group-without-rules", f"{message}; write `Disallow:` if that is intended")
        else:
            message = f"the group {quoted(line.value)} has no rules, so everything is allowed"
            yield at_text(line, "group-allows-everything", message)


def _has_other_lines(lines: Iterable[Line]) -> bool:
    """Return whether a group without rules has lines that could have been some.

    A group that ends the file may be intended, as in the example of RFC 9309 5.1.
    """
    return any(line.text.strip() and line.field != "user-agent" for line in lines)


def _names(group: Group) -> str:
    return ", ".join(map(quoted, group.agents[:3]))


def _repeated_host_diagnostics(lines: Iterable[Line]) -> Iterator[Diagnostic]:
    hosts = [line for line in lines if line.field == "host" and is_host(to_text(line.value))]
    for line in hosts[1:]:
        message = f"{quoted(line.value)} is ignored, because line {hosts[0].number} has a host already"
        yield at_value(line, "repeated-host", message)
