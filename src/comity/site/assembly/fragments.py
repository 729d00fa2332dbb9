"""Fragments -> what their owners say: each is a part of a robots.txt, about its own part of the site.

A site has one robots.txt and many owners of its parts. The standard of 1994 leaves it to "a local process to
construct the single file from a number of others". Here each owner has a fragment, an ordinary robots.txt:
`shop.txt` may speak of what is beneath `/shop/`, and of nothing else, unless the plan says otherwise.
"""

from collections.abc import Container, Iterator, Mapping, Sequence
from pathlib import Path

from ...protocol.robotstxt.diagnostics.diagnosis import diagnose
from ...protocol.robotstxt.dialect import RFC9309
from ...protocol.robotstxt.engine.reference import Reading
from ...protocol.robotstxt.groups import RawGroup
from ...protocol.robotstxt.lexer import lines
from ...protocol.text import printable, to_text
from ...protocol.value import Value
from .clause import Clause, comparable, of_field, pattern_of, rule
from .plan import Word

__all__ = ["SITE", "Fragment", "FragmentGroup", "names_in", "read_fragment"]

#: The fragment that may speak of all of the site.
SITE = "site.txt"

#: What a fragment must not have, besides all that is an error: some robots would read it, and some not.
_REFUSED = (
    *("foreign-comment", "misspelt-field", "missing-colon", "obsolete-field", "unknown-field"),
    *("unknown-label", "control-character"),
)

#: Fields that speak of a path, by their key; the others speak of the whole site.
_OF_PATHS = ("rule", "content-usage")


class FragmentGroup(Value):
    """What a fragment says to some robots, named with their places."""

    __slots__ = ("agents", "clauses")
    agents: tuple[Word, ...]
    clauses: tuple[Clause, ...]


class Fragment(Value):
    """What a fragment says to robots, and to everybody (sitemaps and the like); and what is wrong with it.

    `of_site` is whether it may speak of all of the site.
    """

    __slots__ = ("of_site", "groups", "whole_file", "problems")
    of_site: bool
    groups: tuple[FragmentGroup, ...]
    whole_file: tuple[Clause, ...]
    problems: tuple[str, ...]


def names_in(folder: Path) -> list[str]:
    """Give the names of the fragments in a folder, in order; a `robots.txt` there is what they are for."""
    return sorted(
        path.name
        for path in folder.iterdir()
        if path.suffix == ".txt" and path.name != "robots.txt" and path.is_file() and path.name[0] != "."
    )


def read_fragment(body: bytes, name: str, place: str, owners: Mapping[str, Sequence[str]]) -> Fragment:
    r"""Read a fragment; `owners` are the folders of fragments that do not own the one of their name.

    >>> read_fragment(b"User-agent: *\nDisallow: /", "shop.txt", "shop.txt", {}).problems
    ('shop.txt:2: `Disallow: /` speaks of more than /shop/, which is all that shop.txt may speak of',)
    """
    usual = "/" if name == SITE else f"/{name.removesuffix('.txt')}/"
    problems = []
    try:
        folders = [pattern_of(folder) for folder in owners.get(name, (usual,))]
    except ValueError as error:
        problems.append((0, f"{place}: {error}; give it a folder in `owners`"))
        folders = ["/"]  # of which nothing is known, so that nothing more is told of it
    reading = Reading(body, RFC9309)
    read = tuple(lines(body, RFC9309))
    for one in diagnose(body, read, [group.value for group in reading.groups], reading.strays, RFC9309):
        if one.severity == "error" or one.name in _REFUSED:
            problems.append((one.line, f"{place}:{one.line}: {one.message}"))
    # What is wrong with a line is one thing, and whether its owner may speak of that path another.
    reader = _Reader(name, place, folders, {line for line, _ in problems})
    groups = [one for group in reading.groups for one in reader.groups(group)]
    whole = [one for line, field, value in reading.whole_file for one in reader.clauses(field, value, line)]
    for line, field, value in reading.strays:
        list(reader.clauses(field, value, line))  # it speaks to nobody, and is looked at all the same
    problems += reader.problems
    problems.sort(key=lambda problem: problem[0])
    told = tuple(problem for _, problem in problems)
    return Fragment("/" in folders, tuple(groups), tuple(whole), told)


class _Reader:
    """Reads the records of one fragment, and tells which of them are not for its owner to write."""

    def __init__(self, name: str, place: str, folders: Sequence[str], wrong: Container[int]) -> None:
        self.name = name
        self.place = place
        self.folders = folders
        self.wrong = wrong  # lines of which it is told already what is wrong with them
        self.problems: list[tuple[int, str]] = []

    def groups(self, group: RawGroup) -> Iterator[FragmentGroup]:
        """Give the group, and once more for each field that speaks to some of its robots only."""
        agents = tuple(Word(to_text(value), f"{self.place}:{line}") for line, _, value in group.agents)
        clauses = [one for line, kind, value in group.rules for one in self.clauses(kind, value, line)]
        yield FragmentGroup(agents, tuple(clauses))
        for (line, field, value), first, end in group.fields:
            spoken_to = agents if field == "content-usage" else agents[first:end]  # which is a rule
            yield FragmentGroup(spoken_to, tuple(self.clauses(field, value, line)))

    def clauses(self, field: str, value: bytes, line: int) -> Iterator[Clause]:
        """Make the clauses of a line; a rule without a path closes nothing, and opens nothing."""
        place = f"{self.place}:{line}"
        text = to_text(value).replace("\t", " ")
        try:
            if field in ("allow", "disallow"):
                made = [rule(field == "allow", text, place)] if value else []
            elif field.startswith("acap-"):
                raise ValueError("ACAP's fields are not built")
            else:
                made = list(of_field(field, text, place))
        except ValueError as error:
            if line not in self.wrong:
                self.problems.append((line, f"{place}: {error}"))
            return
        try:
            for clause in made:
                self._refuse_others(clause, f"{field.capitalize()}: {printable(text)}")
        except ValueError as error:
            self.problems.append((line, f"{place}: {error}"))
        else:
            yield from made

    def _refuse_others(self, clause: Clause, shown: str) -> None:
        """Raise `ValueError` for what speaks of more than the fragment may."""
        if "/" in self.folders or clause.field == "sitemap":
            return
        may = f"{' and '.join(self.folders)}, which is all that {printable(self.name)} may speak of"
        if clause.field == "clean-param":
            path = clause.value.partition(" ")[2].strip()
        elif clause.field in _OF_PATHS:
            path = clause.key
        else:
            raise ValueError(f"`{shown}` speaks of the whole site, and not only of {may}")
        if not path.startswith(tuple(comparable(folder) for folder in self.folders)):
            raise ValueError(f"`{shown}` speaks of more than {may}")
