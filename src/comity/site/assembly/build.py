"""Build one robots.txt from a plan and its fragments, or report why that is impossible.

The directives of all sources are collected by robot (`group_builder`), checked for contradictions and
written. Then the result is read again in each dialect. Each robot must have exactly the intended rules.
"""

from collections.abc import Iterable, Iterator, Mapping
from os import PathLike, fspath
from pathlib import Path

from ...errors import InvalidPlan
from ...protocol.robotstxt.diagnostics.agents import misnomer_diagnostics
from ...protocol.robotstxt.dialect import DIALECTS, RFC9309, Dialect
from ...protocol.robotstxt.document import parse
from ...protocol.robotstxt.engine.reference import Reading
from ...protocol.text import printable, to_bytes
from ...protocol.value import Value
from ..formatting.layout import LIMIT, SPELLINGS, tidy
from ..source_file import parse_toml, read_path, read_regular
from .comments import Comment, Comments
from .directive import Directive
from .fragments import Fragment, fragment_names, read_fragment
from .group import Group
from .group_builder import GroupBuilder
from .plan import Plan, closest_match, read_plan

#: The default names of the plan and of the folder of fragments.
PLAN = "robots.toml"
FOLDER = "robots.d"

#: A line of the file, and the sources that request it.
_Line = tuple[str, tuple[str, ...]]


class Built(Value):
    r"""A robots.txt that was built.

    `body` is the file. `notes` are warnings for its owners, such as a rule that a longer rule of another
    owner overrules. `sources` are, for each line of the file, the locations that request it; empty for
    comments and blank lines.

    >>> import comity
    >>> built = comity.build({"close": "/tmp/"})
    >>> built.body, built.notes, built.sources[1]
    (b'User-agent: *\nDisallow: /tmp/\n', (), ('plan: close',))
    """

    body: bytes
    notes: tuple[str, ...]
    sources: tuple[tuple[str, ...], ...]


def build(
    source: str | PathLike[str] | Mapping[str, object] = ".",
    *,
    environment: str | None = None,
    provenance: bool = False,
) -> Built:
    r"""Build a robots.txt from a plan and fragments; the same sources always give the same bytes.

    `source` is one of these: a folder with `robots.toml`, with fragments in `robots.d/`, or both; the path of
    a plan; a folder of fragments; or a plan as a table, whose paths are relative to the working directory.
    `environment` is the name of one of the plan's environments. `provenance` adds comments with the sources
    of each line.

    >>> plan = {"block": "GPTBot", "close": "/tmp/"}
    >>> print(build(plan).body.decode())
    User-agent: GPTBot
    Disallow: /
    <BLANKLINE>
    User-agent: *
    Disallow: /tmp/
    <BLANKLINE>

    Raises `InvalidPlan` with all problems of plan and fragments, `PlanConflict` (a subclass) if they only
    contradict each other, and `OSError` if a file cannot be read.
    """
    data, name, folder = _plan_of(source)
    builder = GroupBuilder()
    notes: list[str] = []
    plan = read_plan(data, name, environment, builder.problems, notes)
    whole_file: list[Directive] = list(plan.sitemaps)
    comments = _plan_comments(plan)
    builder.add_plan(plan)
    for fragment in _fragments(plan, folder, builder.problems):
        for group in fragment.groups:
            builder.add_fragment_group(group, is_site_wide=fragment.is_site_wide)
        whole_file += fragment.whole_file
        comments = comments.joined(fragment.comments)
    built = _build(builder, whole_file, comments, provenance=provenance)
    if plan.closed:
        # The open site was built first, to report its problems in every environment.
        builder = GroupBuilder()
        builder.close_to_all(plan.closed)
        built = _build(builder, [], Comments(plan.comment, {}, ()), provenance=provenance)
    return built.replace(notes=(*notes, *built.notes))


def _plan_comments(plan: Plan) -> Comments:
    """Return the comment of a plan, and those of its groups above the first agent of each."""
    first = ((next(iter((*group.agents, *group.purposes)), None), group.comment) for group in plan.groups)
    by_source = {name.source: Comment(lines, "") for name, lines in first if name and lines}
    return Comments(plan.comment, by_source, ())


def _build(
    builder: GroupBuilder, whole_file: Iterable[Directive], comments: Comments, *, provenance: bool
) -> Built:
    """Write the file and verify it; raise `InvalidPlan` if there are problems."""
    groups, notes = builder.groups(), builder.notes
    after = [
        (f"{SPELLINGS[one.directive.field].decode()}: {one.directive.text}", one.sources)
        for one in builder.merge("", whole_file).values()
    ]
    builder.raise_problems()
    body, sources = _write([*_lines(groups), *after], comments, provenance=provenance)
    for problem in misnomer_diagnostics(parse(body).lines, RFC9309):
        notes.append(f"{', '.join(sources[problem.line - 1])}: {problem.message}")
    if len(body) > LIMIT:
        notes.append("the file is larger than 500 KiB, and robots may ignore the rest (RFC 9309 2.5)")
    _verify(body, groups, after)
    return Built(body=body, notes=tuple(notes), sources=sources)


def _plan_of(
    source: str | PathLike[str] | Mapping[str, object],
) -> tuple[Mapping[str, object], str, Path | None]:
    """Return the plan, its name, and the folder of its fragments, None for a table.

    The name is relative to the folder of the plan, so that the built file does not depend on the caller's
    path.
    """
    if isinstance(source, Mapping):
        return source, "plan", None
    path = Path(fspath(source))
    if not path.is_dir():
        return _parse_plan(read_path(path), path), path.name, path.parent
    if (path / PLAN).exists():
        return _parse_plan(read_regular(path / PLAN), path / PLAN), PLAN, path
    if (path / FOLDER).is_dir():
        return {}, str(path), path
    if not fragment_names(path):
        raise InvalidPlan([f"{path}: nothing to build; add {PLAN}, {FOLDER} or a fragment such as shop.txt"])
    return {"fragments": "."}, str(path), path


def _parse_plan(body: bytes, path: Path) -> Mapping[str, object]:
    try:
        return parse_toml(body)
    except ValueError as error:
        raise InvalidPlan([f"{path}: {error}"]) from None


def _fragments(plan: Plan, base: Path | None, problems: list[str]) -> Iterator[Fragment]:
    """Yield the fragments in order of their names, and add their problems."""
    setting = plan.fragments
    name = setting.text if setting else FOLDER
    folder = None if base is None and setting is None else (base or Path()) / name
    # Messages and the public file name the folder as the plan does, without the folders above.
    shown = Path(Path(name).name) if Path(name).is_absolute() else Path(name)
    if folder is None or not folder.is_dir():
        if setting:
            problems.append(f"{setting.source}: no folder {printable(name)}")
        return
    names = fragment_names(folder)
    for owner, _ in plan.owners:
        if owner.text not in names:
            similar = closest_match(owner.text, names)
            hint = f"; did you mean {similar}?" if similar else ""
            problems.append(f"{owner.source}: no such fragment in {printable(shown.as_posix())}{hint}")
    owners = {owner.text: folders for owner, folders in plan.owners}
    for one in names:
        fragment = read_fragment(read_regular(folder / one), one, (shown / one).as_posix(), owners)
        problems += fragment.problems
        yield fragment


def _lines(groups: Iterable[Group]) -> Iterator[_Line]:
    """Yield the lines of the groups, each group followed by a blank line."""
    for group in groups:
        for agent in group.agents:
            yield f"User-agent: {agent.token}", agent.sources
        yield from group.lines
        yield "", ()


def _write(
    lines: Iterable[_Line], comments: Comments, *, provenance: bool
) -> tuple[bytes, tuple[tuple[str, ...], ...]]:
    """Return the file, and the sources of each of its lines."""
    written = list(_with_comments(lines, comments, provenance=provenance))
    while written and not written[-1][0]:
        written.pop()
    body = b"".join(to_bytes(text) + b"\n" for text, _ in written)
    return body, tuple(sources for _, sources in written)


def _with_comments(lines: Iterable[_Line], comments: Comments, *, provenance: bool) -> Iterator[_Line]:
    """Yield the lines with their comments; `provenance` adds comments that name the sources."""
    yield from ((comment, ()) for comment in comments.head)
    if comments.head:
        yield "", ()
    text = ""
    before: tuple[str, ...] = ()
    explained: set[str] = set()  # the sources whose comments are in this group
    for text, sources in lines:
        if not text:
            explained.clear()
        if provenance and sources and sources != before:
            yield printable(f"# from {', '.join(sources)}"), ()
        comment = comments.of(sources, explained)
        yield from ((above, ()) for above in comment.above)
        yield f"{text} {comment.at_end}".rstrip(), sources
        before = sources
    if comments.rest and text:
        yield "", ()
    yield from ((comment, ()) for comment in comments.rest)


def _verify(body: bytes, groups: Iterable[Group], after: Iterable[_Line]) -> None:
    """Raise `InvalidPlan` unless all dialects read the intended content, and the layout is canonical."""
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
        if read != [_expected(group, dialect) for group in groups] or whole_file != _records(after):
            raise InvalidPlan(list(_misread_lines([*_lines(groups), *after], dialect)))
    if tidy(body) != body:
        raise InvalidPlan(["the result does not have the canonical layout"])


def _misread_lines(lines: Iterable[_Line], dialect: Dialect) -> Iterator[str]:
    """Yield a message for each line that is too long for a dialect, or one for the file if none is."""
    limit, found = dialect.line_limit, False
    for text, sources in lines:
        size = len(to_bytes(text))
        if limit is not None and size > limit:
            found = True
            yield (
                f"{', '.join(sources)}: `{printable(text[:40])}...` has {size:,} bytes; the dialect "
                f"{dialect.name} reads {limit:,} bytes of a line"
            )
    if not found:
        yield f"the dialect {dialect.name} would read the result differently"


def _expected(
    group: Group, dialect: Dialect
) -> tuple[list[bytes], list[tuple[str, bytes]], list[tuple[str, bytes]]]:
    """Return the names, rules and fields that a dialect should read in a group."""
    records = _records(group.lines)
    return (
        [to_bytes(agent.token) for agent in group.agents],
        [one for one in records if one[0] == "disallow" or (one[0] == "allow" and dialect.allow)],
        [one for one in records if one[0] not in ("allow", "disallow")],
    )


def _records(lines: Iterable[_Line]) -> list[tuple[str, bytes]]:
    parts = [text.partition(":") for text, _ in lines]
    return [(name.lower(), to_bytes(value.strip())) for name, _, value in parts]
