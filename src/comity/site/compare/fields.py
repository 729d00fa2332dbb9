"""A file -> what its fields other than Allow and Disallow mean: to each robot, and of the whole file.

What a field says is taken apart into terms: something that may be said, what is said of it, and by which
lines. Two files mean the same where their terms do, whatever the lines.
"""

from bisect import bisect_right
from collections.abc import Callable, Hashable, Iterable, Sequence

from ...protocol.robotstxt.diagnostics import is_host, is_sitemap
from ...protocol.robotstxt.document import RobotsTxt
from ...protocol.robotstxt.engine.reference import Reading
from ...protocol.robotstxt.fields.clean_param import clean_param
from ...protocol.robotstxt.fields.content_signal import CATEGORIES, signals_of
from ...protocol.robotstxt.fields.content_usage import expression, path_and_expression
from ...protocol.robotstxt.fields.rates import crawl_delay, request_rate, visit_time
from ...protocol.robotstxt.fields.vocabulary import Preference
from ...protocol.robotstxt.grammar import DEFAULT_AGENT
from ...protocol.robotstxt.groups import RawGroup, Record
from ...protocol.robotstxt.paths import pattern_reader
from ...protocol.robotstxt.rules import Rules
from ...protocol.robotstxt.selection import Directory
from ...protocol.robotstxt.verdict import Field, text_of
from .field_change import FieldChange

__all__ = ["FieldsOf", "Terms", "changed", "of_file", "same"]

#: (field, what may be said) -> what is said of it, and the lines that say it
Terms = dict[tuple[str, Hashable], tuple[Hashable, tuple[Field, ...]]]


def changed(old: Terms, new: Terms, most: int | None = None) -> tuple[FieldChange, ...]:
    """Give the terms that differ: those of the old file in its order, then what only the new one has."""
    nothing: tuple[Hashable, tuple[Field, ...]] = (None, ())
    found: list[FieldChange] = []
    for term in old | new:
        if len(found) == most:
            break
        before, after = old.get(term, nothing), new.get(term, nothing)
        if before[0] != after[0]:
            found.append(FieldChange(term[0], before[1], after[1]))
    return tuple(found)


def same(terms: Terms) -> frozenset[Hashable]:
    """Give what two files have in common if their terms mean the same."""
    return frozenset((term, said) for term, (said, _) in terms.items())


def of_file(file: RobotsTxt) -> Terms:
    """Give the terms that stand for the whole file: Sitemap, Host, Clean-param."""
    found: Terms = {}
    params: dict[str, list[tuple[tuple[str, ...], Field]]] = {}
    for field in file.fields:
        if field.name == "sitemap" and is_sitemap(field.value):
            _add(found, ("sitemap", field.value), True, field)
        elif field.name == "host" and is_host(field.value):
            found.setdefault(("host", ""), (field.value.lower(), (field,)))  # the first counts
        elif field.name == "clean-param" and (rule := clean_param(field.value, field.line)):
            params.setdefault(rule.path or "/", []).append((rule.params, field))
    for path, said in params.items():
        names = frozenset(name for several, _ in said for name in several)
        found["clean-param", path] = names, tuple(field for _, field in said)
    return found


class FieldsOf:
    """What the fields of one file say to each robot, whatever the number of robots and of fields."""

    __slots__ = ("_dialect", "_directory", "_groups", "_kept", "_read", "_spans", "_usage")

    def __init__(self, file: RobotsTxt) -> None:
        """Read the file."""
        dialect = self._dialect = file.dialect
        self._groups: Sequence[RawGroup] = Reading(file.body, dialect).groups
        # Where Content-Usage is a rule it holds for the whole group, else as other fields do.
        self._usage = "content-usage" if dialect.usage_ends_header else None
        #: the fields of each group that hold for the same names, by the first of these
        self._spans: dict[int, tuple[list[int], list[tuple[int, list[Record]]]]] = {}
        for number, group in enumerate(self._groups):
            ends: dict[tuple[int, int], list[Record]] = {}
            for record, first, end in group.fields:
                ends.setdefault((first, end) if record[1] != self._usage else (-1, -1), []).append(record)
            if ends:
                keys = sorted(ends)
                self._spans[number] = [first for first, _ in keys], [(key[1], ends[key]) for key in keys]
        self._directory = Directory([group.names for group in self._groups], dialect)
        self._read = pattern_reader(dialect)
        self._kept: dict[tuple[tuple[int, int], ...], Terms] = {}

    def groups_for(self, names: Sequence[str]) -> tuple[int, ...]:
        """Give the numbers of the groups that speak to a robot of these names."""
        return tuple(dict.fromkeys(number for number, _ in self._directory.select(names).mentions))

    def rules_for(self, names: tuple[str, ...]) -> Rules:
        """Give the rules of a robot of these names, without looking for it among thousands again."""
        groups = [self._groups[number] for number in self.groups_for(names)]
        matched = self._directory.select(names).name
        return Rules(self._dialect, groups, names, matched, bool(self._groups))

    def names(self, names: Sequence[str]) -> bool:
        """Say whether a group speaks to a robot of these names by name."""
        return self._directory.select(names).name not in (DEFAULT_AGENT, None)

    @property
    def values(self) -> list[tuple[bytes, ...]]:
        """The names that groups are found by, group by group in file order, whatever their case."""
        groups = [{value.lower() for value in group.names} - {b"*"} for group in self._groups]
        return [tuple(sorted(group)) for group in groups if group]

    def to(self, names: Sequence[str]) -> tuple[Terms, Terms]:
        """Give the terms of a robot of these names: its own, and those of all whom its groups name.

        Each is the same object wherever it is made of the same fields.
        """
        own: list[tuple[int, int]] = []
        shared: list[tuple[int, int]] = []
        for number, place in self._directory.select(names).mentions if self._spans else ():
            if number not in self._spans:
                continue
            firsts, spans = self._spans[number]
            at = bisect_right(firsts, place) - 1  # no two spans have a name in common
            if spans[at][0] > place:
                own.append((number, at))
            if firsts[0] < 0:
                shared.append((number, 0))
        return self._terms_of(own), self._terms_of(shared)

    def _terms_of(self, places: Iterable[tuple[int, int]]) -> Terms:
        """Give the terms of some spans of some groups, made once."""
        key = tuple(sorted(set(places)))
        found = self._kept.get(key)
        if found is None:
            records = sorted(record for number, at in key for record in self._spans[number][1][at][1])
            found = self._kept[key] = _terms(records, self._read)
        return found


def _terms(records: Iterable[Record], read: Callable[[bytes], str]) -> Terms:
    """Give the terms of all fields that hold for a robot."""
    found: Terms = {}
    usage: list[Record] = []
    signals: list[tuple[int, bytes]] = []
    for record in records:
        line, name, octets = record
        field = Field(name, text_of(octets), line)
        if name == "crawl-delay":
            seconds = crawl_delay(field.value)
            known = found.get((name, ""))
            if seconds is not None and (known is None or seconds > float(str(known[0]))):
                found[name, ""] = seconds, (field,)
        elif name == "request-rate" and (rate := request_rate(field.value)):
            _add(found, (name, rate), True, field)
        elif name == "visit-time" and (window := visit_time(field.value)):
            _add(found, (name, window), True, field)
        elif name == "content-usage":
            usage.append(record)
        elif name == "content-signal":
            signals.append((line, octets))
    return found | _usage_terms(usage, read) | _signal_terms(signals)


def _usage_terms(records: Iterable[Record], read: Callable[[bytes], str]) -> Terms:
    """Give the preferences of each path; of contradicting ones a disallow counts."""
    rules: dict[str, list[Record]] = {}
    for record in records:
        rules.setdefault(read(path_and_expression(record[2])[0]), []).append(record)
    if "" in rules and "/" not in rules:
        rules["/"] = rules.pop("")  # a rule without a path is for all paths, and so is this one
    elif "" in rules and all(expression(path_and_expression(rule[2])[1]) is not None for rule in rules["/"]):
        del rules[""]  # a longer path outranks it everywhere
    found: Terms = {}
    for path, lines in rules.items():
        said: dict[str, Preference] = {}
        unreadable = False
        for _, _, value in lines:
            preferences = expression(path_and_expression(value)[1])
            if preferences is None:
                unreadable = True
                continue
            for label, preference in preferences.items():
                if preference is not Preference.UNKNOWN and said.get(label) is not Preference.DISALLOW:
                    said[label] = preference
        fields = tuple(Field(name, text_of(value), line) for line, name, value in lines)
        found["content-usage", path] = (frozenset(said.items()), unreadable), fields
    return found


def _signal_terms(lines: Sequence[tuple[int, bytes]]) -> Terms:
    """Give what is signalled, signal by signal; what says nothing is left out."""
    signals = signals_of(lines)
    found: Terms = {}
    for key in dict.fromkeys(signal.key for signal in signals.signals):
        said: Hashable
        if key in CATEGORIES:
            said = signals[key] if signals[key] is not Preference.UNKNOWN else None
        elif key == "use":
            said = signals.use
        else:  # a key that is not known yet may mean something to others
            said = frozenset(signal.value for signal in signals.signals if signal.key == key)
        if said is not None:
            found["content-signal", key] = (
                said,
                tuple(
                    Field("content-signal", f"{key}={signal.value}", signal.line)
                    for signal in signals.signals
                    if signal.key == key
                ),
            )
    return found


def _add(terms: Terms, term: tuple[str, Hashable], said: Hashable, field: Field) -> None:
    """Add a line to those that say the same."""
    known = terms.get(term)
    terms[term] = said, (*(known[1] if known else ()), field)
