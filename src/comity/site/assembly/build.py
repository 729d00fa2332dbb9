"""A plan and its fragments -> one robots.txt, which says what all of them ask for, or why none can.

What was asked for is gathered by robot (`robots`), held against itself, and written down. What was written
is read again in every dialect before anybody gets it: each robot must find in it just the rules that were
meant for it.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from os import PathLike, fspath
from pathlib import Path

from ...errors import InvalidPlan
from ...protocol.robotstxt.dialect import DIALECTS, Dialect
from ...protocol.robotstxt.engine.reference import Reading
from ...protocol.text import printable, to_bytes
from ...protocol.value import Value
from ..formatting.layout import LIMIT, SPELLINGS, format  # noqa: A004
from .clause import Clause
from .fragments import Fragment, names_in, read_fragment
from .group import Group
from .plan import Plan, nearest, read_plan
from .robots import Robots

__all__ = ["FOLDER", "PLAN", "Built", "build"]

#: The plan of a folder, and the folder of its fragments.
PLAN = "robots.toml"
FOLDER = "robots.d"

#: A line of the file, and the places that asked for it.
_Line = tuple[str, tuple[str, ...]]


class Built(Value):
    """A robots.txt that was built.

    `body` is the file. `notes` are what its owners should know although it stops nothing: a rule that
    another owner's longer rule overrules, or a robot that no longer hears what is said to `*`. `places` has
    for each line of the file the places that asked for it; none for comments and blank lines.
    """

    __slots__ = ("body", "notes", "places")
    body: bytes
    notes: tuple[str, ...]
    places: tuple[tuple[str, ...], ...]


def build(
    source: str | PathLike[str] | Mapping[str, object] = ".",
    *,
    environment: str | None = None,
    provenance: bool = False,
) -> Built:
    r"""Build a robots.txt from a plan and fragments; the same of them give the same octets.

    `source` is a folder with a `robots.toml`, fragments in `robots.d/`, or both; or the path of a plan; or
    a folder of fragments alone; or a plan as a table, whose paths start in the working directory.
    `environment` is one of the plan's. With `provenance`, comments tell where each line comes from.

    >>> plan = {"block": "GPTBot", "close": "/tmp/"}
    >>> print(build(plan).body.decode())
    User-agent: GPTBot
    Disallow: /
    <BLANKLINE>
    User-agent: *
    Disallow: /tmp/
    <BLANKLINE>

    Raises `InvalidPlan` for what is wrong with plan or fragments, all of it at once; `PlanConflict`, one of
    these, where two of them contradict each other; and `OSError` for what cannot be read.
    """
    data, name, folder = _found(source)
    robots = Robots()
    notes: list[str] = []
    plan = read_plan(data, name, environment, robots.problems, notes)
    whole_file: list[Clause] = list(plan.sitemaps)
    robots.plan(plan)
    for fragment in _fragments(plan, folder, robots.problems):
        for group in fragment.groups:
            robots.say_in_a_fragment(group, of_site=fragment.of_site)
        whole_file += fragment.whole_file
    built = _built(robots, whole_file, provenance=provenance)
    if plan.closed:
        # What is wrong with the site is told where it is closed too, since it will be open one day.
        robots = Robots()
        robots.close_to_all(plan.closed)
        built = _built(robots, [], provenance=provenance)
    return built.replace(notes=(*notes, *built.notes))


def _built(robots: Robots, whole_file: Iterable[Clause], *, provenance: bool) -> Built:
    """Write down what is said to robots, and to everybody; raises `InvalidPlan` for what is wrong with it."""
    groups, notes = robots.groups(), robots.notes
    after = [
        (f"{SPELLINGS[one.clause.field].decode()}: {one.clause.text}", one.places)
        for one in robots.settled("", whole_file).values()
    ]
    robots.complain()
    lines = [*_lines(groups), *after]
    body, places = _written(lines, provenance=provenance)
    if len(body) > LIMIT:
        notes.append("the file is larger than 500 KiB, and robots need read no more of it (RFC 9309 2.5)")
    _verify(body, groups, after)
    return Built(body=body, notes=tuple(notes), places=places)


def _found(
    source: str | PathLike[str] | Mapping[str, object],
) -> tuple[Mapping[str, object], str, Path | None]:
    """Give the plan, its name, and the folder where its fragments are looked for; none for a table.

    The name is that in the folder, however the caller came there: it stands in what is built.
    """
    if isinstance(source, Mapping):
        return source, "plan", None
    path = Path(fspath(source))
    if not path.is_dir():
        return _read(path), path.name, path.parent
    if (path / PLAN).exists():
        return _read(path / PLAN), PLAN, path
    if (path / FOLDER).is_dir():
        return {}, str(path), path
    if not names_in(path):
        raise InvalidPlan([f"{path}: there is no {PLAN}, no {FOLDER} and no fragment (such as shop.txt)"])
    return {"fragments": "."}, str(path), path


def _read(path: Path) -> Mapping[str, object]:
    from tomllib import TOMLDecodeError, loads

    try:
        return loads(path.read_bytes().decode())
    except (TOMLDecodeError, UnicodeDecodeError) as error:
        raise InvalidPlan([f"{path}: {error}"]) from None


def _fragments(plan: Plan, base: Path | None, problems: list[str]) -> Iterator[Fragment]:
    """Read the fragments, in order of their names, and tell what is wrong with them."""
    word = plan.fragments
    folder = None if base is None and word is None else (base or Path()) / (word.text if word else FOLDER)
    # As the plan has it, so that a file that is for all to read says nothing of the folders above.
    shown = Path(word.text if word else FOLDER)
    shown = Path(shown.name) if shown.is_absolute() else shown
    if folder is None or not folder.is_dir():
        if word:
            problems.append(f"{word.place}: there is no folder {printable(word.text)}")
        return
    names = names_in(folder)
    for owner, _ in plan.owners:
        if owner.text not in names:
            near = nearest(owner.text, names)
            hint = f"; did you mean {near}?" if near else ""
            problems.append(
                f"{owner.place}: there is no such fragment in {printable(shown.as_posix())}{hint}"
            )
    owners = {owner.text: folders for owner, folders in plan.owners}
    for name in names:
        read = read_fragment((folder / name).read_bytes(), name, (shown / name).as_posix(), owners)
        problems += read.problems
        yield read


def _lines(groups: Iterable[Group]) -> Iterator[_Line]:
    """Write groups down, each followed by a blank line."""
    for group in groups:
        for agent in group.agents:
            yield f"User-agent: {agent.token}", agent.places
        yield from group.lines
        yield "", ()


def _written(lines: Sequence[_Line], *, provenance: bool) -> tuple[bytes, tuple[tuple[str, ...], ...]]:
    """Give the file, and the places of each of its lines."""
    texts: list[str] = []
    places: list[tuple[str, ...]] = []
    before: tuple[str, ...] = ()
    for text, asked in lines:
        if provenance and asked and asked != before:
            texts.append(printable(f"# from {', '.join(asked)}"))
            places.append(())
        texts.append(text)
        places.append(asked)
        before = asked
    while texts and not texts[-1]:
        texts.pop()
        places.pop()
    return b"".join(to_bytes(text) + b"\n" for text in texts), tuple(places)


def _verify(body: bytes, groups: Iterable[Group], after: Iterable[_Line]) -> None:
    """Raise `InvalidPlan` unless every dialect reads what was meant, and the layout is canonical."""
    for dialect in DIALECTS.values():
        reading = Reading(body, dialect)
        read = [
            (
                [value for _, _, value in group.agents],
                [(name, value) for _, name, value in group.rules],
                [(name, value) for (_, name, value), _, _ in group.fields],
            )
            for group in reading.groups
        ]
        whole_file = [(name, value) for _, name, value in reading.whole_file]
        if read != [_meant(group, dialect) for group in groups] or whole_file != _records(after):
            raise InvalidPlan(list(_misread([*_lines(groups), *after], dialect)))
    if format(body) != body:
        raise InvalidPlan(["what would be built has another layout than the canonical one"])


def _misread(lines: Iterable[_Line], dialect: Dialect) -> Iterator[str]:
    """Tell of the lines that a dialect does not read whole, or of all if it is none of them alone."""
    why = f"is read otherwise in the dialect {dialect.name}"
    limit, alone = dialect.line_limit, True
    for text, places in lines:
        size = len(to_bytes(text))
        if limit is not None and size > limit:
            alone = False
            told = f"`{printable(text[:40])}...` {why}, which takes {limit:,} octets of a line, not {size:,}"
            yield f"{', '.join(places)}: {told}"
    if alone:
        yield f"what would be built {why}"


def _meant(
    group: Group, dialect: Dialect
) -> tuple[list[bytes], list[tuple[str, bytes]], list[tuple[str, bytes]]]:
    """Give the names, rules and fields that a group is to have in a dialect."""
    records = _records(group.lines)
    return (
        [to_bytes(agent.token) for agent in group.agents],
        [one for one in records if one[0] == "disallow" or (one[0] == "allow" and dialect.allow)],
        [one for one in records if one[0] not in ("allow", "disallow")],
    )


def _records(lines: Iterable[_Line]) -> list[tuple[str, bytes]]:
    parts = [text.partition(":") for text, _ in lines]
    return [(name.lower(), to_bytes(value.strip())) for name, _, value in parts]
