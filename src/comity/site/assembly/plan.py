"""A `robots.toml`, read: every key and value checked, and what is wrong told all at once.

A plan says who may come where. It is a table, from a file or made by a program; `docs/build.md` shows each
key. A key that is not known is an error, never passed over, since a robots.txt without the rule that was
meant closes nothing.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import Any

from ...protocol.text import printable
from ...protocol.value import Value
from .clause import Clause, of_field, pattern_of, rule

__all__ = ["Plan", "PlannedGroup", "Word", "nearest", "read_plan"]


class Word(Value):
    """A text of the plan, and where it stands."""

    __slots__ = ("text", "place")
    text: str
    place: str


class PlannedGroup(Value):
    """What the plan says to some robots: to `agents`, by name, and to those of the `purposes`.

    `inherit` is whether all that is said to `*` is said to them too; `None` where the plan does not say.
    """

    __slots__ = ("agents", "purposes", "clauses", "inherit", "place")
    agents: tuple[Word, ...]
    purposes: tuple[Word, ...]
    clauses: tuple[Clause, ...]
    inherit: bool | None
    place: str


class Plan(Value):
    """What a robots.txt is to say, but for what its fragments say.

    `closed` closes all of the site to all, whatever else is there. `keep_out`, `only` and `close` speak to
    `*`: the first two close the site, but for the files of `only`. `block` and `let_in` are agents or
    purposes of agents: the site is closed to the first, and what closes it is not said to the second.
    `fragments` is a folder, `None` for the usual one; `owners` are the paths that a fragment may speak of.
    """

    __slots__ = (
        "closed",
        "keep_out",
        "only",
        "close",
        "block",
        "let_in",
        "inherit",
        "groups",
        "sitemaps",
        "fragments",
        "owners",
    )
    closed: str
    keep_out: tuple[Clause, ...]
    only: tuple[Clause, ...]
    close: tuple[Clause, ...]
    block: tuple[Word, ...]
    let_in: tuple[Word, ...]
    inherit: bool | None
    groups: tuple[PlannedGroup, ...]
    sitemaps: tuple[Clause, ...]
    fragments: Word | None
    owners: tuple[tuple[Word, tuple[str, ...]], ...]


#: The keys of a group that are fields of robots.txt.
_FIELDS = {
    "crawl_delay": "crawl-delay",
    "request_rate": "request-rate",
    "visit_time": "visit-time",
    "content_usage": "content-usage",
    "content_signal": "content-signal",
}
_GROUP = ("agents", "purposes", "allow", "disallow", "inherit", *_FIELDS)
#: What an environment may say in place of the plan itself: all but that it is closed.
_OVERRIDABLE = tuple(key for key in Plan.__slots__ if key != "closed")


def read_plan(
    data: Mapping[str, object], name: str, environment: str | None, problems: list[str], notes: list[str]
) -> Plan:
    """Read a plan for one environment, whose keys stand in for those of the plan itself.

    `name` is what the plan is called in messages. What is wrong is added to `problems`, also what is wrong
    with another environment, which is better heard of today, and that there is no such environment. Of an
    environment that closes the site the plan is that of the site itself, and `closed`. An environment that
    changes nothing is added to `notes`.
    """
    heard: list[str] = []
    site = _Table(data, f"{name}: ", heard)
    environments = _tables(site.entries.get("environments", {}), f"{name}: environments", heard)
    common = {key: value for key, value in site.entries.items() if key != "environments"}
    plans: dict[str | None, Plan] = {None: site.plan((*_OVERRIDABLE, "environments"))}
    for key, table in environments.items():
        place = f"{name}: environments.{printable(key)}"
        own = _Table(table, f"{place}.", heard)
        own.inherited = {one: f"{name}: " for one in common if one not in own.entries}
        changed = _said(common | own.entries) != _said(common)
        own.entries = common | own.entries
        plan = own.plan((*_OVERRIDABLE, "closed"))
        plans[key] = plans[None].replace(closed=plan.closed) if plan.closed else plan
        if key == environment and key != "production" and not changed:
            notes.append(
                f"{place} changes nothing, so that it is as open as the site itself; closed = true closes it"
            )
    problems += dict.fromkeys(heard)  # what environments share is heard of once
    if environment not in plans:
        wanted = environment or ""
        problems.append(f"{name}: there is no environment {printable(wanted)}{_hint(wanted, environments)}")
    return plans.get(environment, plans[None])


def _said(entries: Mapping[str, object]) -> dict[str, object]:
    """Give the keys of a plan that say something: a list without anything, or false, says as much as none."""
    return {key: value for key, value in entries.items() if value or key == "inherit"}


def _texts(entries: Mapping[Any, object], place: str, problems: list[str]) -> dict[str, object]:
    """Give the entries of a table whose keys are strings, as all are in a file; tell of the others."""
    for key in entries:
        if not isinstance(key, str):
            problems.append(f"{place}{printable(repr(key))[:60]}: a key should be a string")
    return {key: value for key, value in entries.items() if isinstance(key, str)}


class _Table:
    """A table of the plan, of which each key is read by what it should hold."""

    def __init__(self, entries: Mapping[str, object], place: str, problems: list[str]) -> None:
        self.entries = _texts(entries, place, problems)
        self.place = place
        self.problems = problems
        #: the places of keys that stand in another table
        self.inherited: Mapping[str, str] = {}

    def plan(self, known: Collection[str]) -> Plan:
        """Read a table as a plan."""
        self.refuse_others(known)
        root = self._rules("keep_out", lambda: ["/"] if self.flag("keep_out") else None)
        return Plan(
            closed=self.at("closed") if self.flag("closed") else "",
            keep_out=tuple(root),
            only=tuple(self._only()),
            close=tuple(self._rules("close", lambda: self.words("close"))),
            block=tuple(self.words("block")),
            let_in=tuple(self.words("let_in")),
            inherit=self.flag("inherit"),
            groups=tuple(self._groups()),
            sitemaps=tuple(self.clauses("sitemaps", "sitemap")),
            fragments=next(iter(self.words("fragments", several=False)), None),
            owners=tuple(self._owners()),
        )

    def at(self, key: str) -> str:
        """Give the place of a key, as messages name it."""
        return self.inherited.get(key, self.place) + key

    def refuse_others(self, known: Collection[str]) -> None:
        """Tell of keys that are not known."""
        for key in self.entries:
            if key not in known:
                self.problems.append(f"{self.at(printable(key))}: there is no such key{_hint(key, known)}")

    def flag(self, key: str) -> bool | None:
        """Read true or false; `None` if the key is not there."""
        value = self.entries.get(key)
        if value is not None and not isinstance(value, bool):
            self.wrong(self.at(key), "true or false", value)
            return None
        return value

    def words(self, key: str, *, several: bool = True) -> list[Word]:
        """Read a text, or several."""
        value = self.entries.get(key)
        if value is None:
            return []
        if isinstance(value, str):
            return [Word(value, self.at(key))]
        if not several or not isinstance(value, (list, tuple)):
            self.wrong(self.at(key), "a string or a list of them" if several else "a string", value)
            return []
        found = []
        for number, item in enumerate(value):
            if isinstance(item, str):
                found.append(Word(item, f"{self.at(key)}[{number}]"))
            else:
                self.wrong(f"{self.at(key)}[{number}]", "a string", item)
        return found

    def clauses(self, key: str, field: str) -> Iterator[Clause]:
        """Read values of a field."""
        for word in self.words(key):
            yield from self.made(of_field, field, word)

    def made(
        self, make: Callable[..., Clause | Iterable[Clause]], how: str | bool, word: Word
    ) -> Iterator[Clause]:
        """Make clauses of a word, or tell what is wrong with it."""
        try:
            made = make(how, word.text, word.place)
            yield from [made] if isinstance(made, Clause) else made
        except ValueError as error:
            self.problems.append(f"{word.place}: {error}")

    def wrong(self, place: str, wanted: str, value: object) -> None:
        """Tell of a value of another type."""
        self.problems.append(f"{place}: this should be {wanted}, and is {printable(repr(value))[:60]}")

    def _rules(
        self, key: str, read: Callable[[], Iterable[Word | str] | None], *, allow: bool = False
    ) -> Iterator[Clause]:
        for word in read() or ():
            yield from self.made(rule, allow, word if isinstance(word, Word) else Word(word, self.at(key)))

    def _only(self) -> Iterator[Clause]:
        """Close everything but some files (or folders, by their slash)."""
        words = self.words("only")
        for word in words:
            whole = word.text.endswith(("/", "*", "$", " "))  # of which the last is refused
            yield from self.made(rule, True, word if whole else word.replace(text=f"{word.text}$"))
        if words:
            yield from self.made(rule, False, Word("/", self.at("only")))

    def _groups(self) -> Iterator[PlannedGroup]:
        value = self.entries.get("groups", [])
        tables = list(value) if isinstance(value, (list, tuple)) else None
        for number, table in enumerate([value] if tables is None else tables):
            place = self.at("groups") if tables is None else f"{self.at('groups')}[{number}]"
            if not isinstance(table, Mapping):
                self.wrong(place, "a table", table)
                continue
            group = _Table(table, f"{place}.", self.problems)
            yield group.group(place)

    def group(self, place: str) -> PlannedGroup:
        """Read a table as a group."""
        self.refuse_others(_GROUP)
        planned = PlannedGroup(
            agents=tuple(self.words("agents")),
            purposes=tuple(self.words("purposes")),
            clauses=(
                *self._rules("disallow", lambda: self.words("disallow")),
                *self._rules("allow", lambda: self.words("allow"), allow=True),
                *self._delay(),
                *self.clauses("request_rate", "request-rate"),
                *self.clauses("visit_time", "visit-time"),
                *self._stated("content_usage"),
                *self._stated("content_signal"),
            ),
            inherit=self.flag("inherit"),
            place=place,
        )
        if not planned.agents and not planned.purposes:
            self.problems.append(f"{place}: there are neither agents nor purposes, so it would bind nobody")
        return planned

    def _delay(self) -> Iterator[Clause]:
        value = self.entries.get("crawl_delay")
        if value is None:
            return
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            yield from self.made(of_field, "crawl-delay", Word(f"{value}", self.at("crawl_delay")))
        else:
            self.wrong(self.at("crawl_delay"), "a number of seconds", value)

    def _stated(self, key: str) -> Iterator[Clause]:
        """Read preferences: as the file has them, or a table; of paths for Content-Usage, else of signals."""
        value = self.entries.get(key)
        if not isinstance(value, Mapping):
            yield from self.clauses(key, _FIELDS[key])
            return
        for name, said in _texts(value, f"{self.at(key)}.", self.problems).items():
            quoted = printable(name) or '""'
            place = f"{self.at(key)}.{quoted}"
            if key == "content_signal" and isinstance(said, bool):
                said = "yes" if said else "no"
            if not isinstance(said, str):
                self.wrong(place, "a string", said)
                continue
            if key == "content_signal":
                yield from self.made(of_field, "content-signal", Word(f"{name}={said}", place))
            else:
                yield from self.made(_preferences, name, Word(said, place))

    def _owners(self) -> Iterator[tuple[Word, tuple[str, ...]]]:
        owners = self.entries.get("owners", {})
        if not isinstance(owners, Mapping):
            self.wrong(self.at("owners"), "a table of fragments and their folders", owners)
            return
        table = _Table(owners, f"{self.at('owners')}.", self.problems)
        for name in table.entries:
            folders = []
            for word in table.words(name):
                if word.text.startswith("/") and word.text.endswith("/") and "*" not in word.text:
                    folders.append(word.text)
                else:
                    self.problems.append(f"{word.place}: a folder begins and ends with `/`, as in /shop/")
            yield Word(name, table.at(name)), tuple(folders)


def _preferences(path: str, said: str, place: str) -> Iterator[Clause]:
    """Make clauses of preferences for a path, of which an empty one is all of the site."""
    if path and not path.startswith("/"):
        raise ValueError("a path begins with `/`; an empty one is all of the site")
    yield from of_field("content-usage", f"{pattern_of(path) if path else ''} {said}".strip(), place)


def _tables(value: object, place: str, problems: list[str]) -> Mapping[str, Mapping[str, object]]:
    tables: dict[str, Mapping[str, object]] = {}
    for key, table in _texts(value, f"{place}.", problems).items() if isinstance(value, Mapping) else ():
        if isinstance(table, Mapping):
            tables[key] = table
    if not isinstance(value, Mapping) or not all(isinstance(table, Mapping) for table in value.values()):
        problems.append(f"{place}: this should be a table of tables, as [environments.staging]")
    return tables


def _hint(word: str, known: Iterable[str]) -> str:
    """Suggest what may have been meant."""
    found = nearest(word.replace("-", "_"), known) or nearest(word, known)
    if found:
        return f"; did you mean {found}?"
    names = ", ".join(printable(name) for name in known)
    return f"; there {f'are {names}' if names else 'is none'}"


def nearest(word: str, known: Iterable[str]) -> str | None:
    """Give the known word that is spelt most like another, if one is.

    >>> nearest("trainig", ["search", "training"])
    'training'
    """
    from difflib import get_close_matches

    words = {name.lower(): name for name in known}
    found = get_close_matches(word.lower()[:100], words, 1, 0.7)
    return words[found[0]] if found else None
