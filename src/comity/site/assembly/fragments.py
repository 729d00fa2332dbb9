"""Read the fragments of a robots.txt, each written by the owner of one part of the site.

A site has one robots.txt, but its parts have many owners. The standard of 1994 leaves it to "a local process
to construct the single file from a number of others". Here each owner writes a fragment, an ordinary
robots.txt. `shop.txt` may have rules for paths below `/shop/` and `/~shop/`, and for no others, unless the
plan's `owners` give it other folders.
"""

from collections.abc import Container, Iterator, Mapping, Sequence

from ...protocol import LICENSE, Lines, RawGroup, Value, column_counter, printable, to_text
from ...protocol.robotstxt import RFC9309, Line
from ...protocol.robotstxt.diagnostics import diagnose
from ...protocol.robotstxt.engine.reference import Reading
from ..linter import Settings, Subject, findings, ignores_of
from .comments import Comments, fragment_comments
from .directive import Directive, checked_pattern, field_directives, normalized_pattern, rule_directive
from .group import Note
from .hosts import hosts_in
from .plan import SourceText

#: The fragment that may have rules for the whole site.
SITE = "site.txt"

#: Diagnostics that are refused besides errors, because only some robots would read the line as it is meant.
_REFUSED = (
    *("foreign-comment", "misspelt-field", "missing-colon", "obsolete-field", "unknown-field"),
    *("unknown-label", "control-character", "not-utf-8", "byte-order-mark"),
)

#: The rules of the linter that find errors.
_ERRORS = tuple(rule for rule in Settings().rules if rule.severity == "error")

#: Fields whose key begins with a path; the other fields concern the whole site.
_PATH_FIELDS = ("rule", "content-usage")


class FragmentGroup(Value):
    """The directives of a fragment for some robots."""

    agents: tuple[SourceText, ...]
    directives: tuple[Directive, ...]


class Fragment(Value):
    """The groups of a fragment, its directives for the whole file (such as sitemaps), and its problems.

    `is_site_wide` is true if the fragment may have rules for the whole site. `hosts` are the hosts that it
    names; without any it is for all hosts.
    """

    is_site_wide: bool
    hosts: tuple[SourceText, ...]
    groups: tuple[FragmentGroup, ...]
    whole_file: tuple[Directive, ...]
    comments: Comments
    notes: tuple[Note, ...]
    problems: tuple[str, ...]


def read_fragment(body: bytes, name: str, shown: str, owners: Mapping[str, Sequence[str]]) -> Fragment:
    r"""Read a fragment.

    `shown` is its path in messages. `owners` maps names of fragments to their folders, if these are not the
    default.

    >>> read_fragment(b"User-agent: *\nDisallow: /", "a.txt", "a.txt", {}).problems[0].partition("; ")[0]
    'a.txt:2:1: `Disallow: /` reaches outside of its folders'
    """
    problems = []
    try:
        folders = [checked_pattern(folder) for folder in owners.get(name, _default_folders(name))]
    except ValueError as error:
        problems.append((0, f"{shown}: {error}, or give the fragment a folder in `owners`"))
        folders = ["/"]  # the right folder is unknown, so no rule is reported as outside of it
    reading = Reading(body, RFC9309)
    source = Lines(body, RFC9309)
    source_lines = source.all
    sources = [f"{shown}:{line.number}:{column_counter(line)(line.name_start)}" for line in source_lines]
    for one in diagnose(body, source, lambda: reading, RFC9309):
        if one.severity == "error" or one.name in _REFUSED:
            problems.append((one.line, f"{shown}:{one.line}:{one.column}: {one.message}"))
    reported = {line for line, _ in problems}
    for finding in findings(Subject(body), _ERRORS, limit=None):
        # The written file has a space before a comment, so its review would not find `Disallow: /#/admin`.
        if finding.line not in reported:
            place = f"{shown}:{finding.line}:{finding.column}"
            problems.append((finding.line, f"{place}: {finding.message} ({finding.code} {finding.name})"))
    reader = _FragmentReader(name, folders, sources, {line for line, _ in problems})
    found = [one for group in reading.groups for one in reader.groups(group)]
    whole_file = [
        one for line, field, value in reading.whole_file for one in reader.directives(field, value, line)
    ]
    for line, field, value in reading.strays:
        list(reader.directives(field, value, line))  # to report its problems too
    used = {name.source for group in found for name in group.agents}
    used.update(one.source for group in found for one in group.directives)
    used.update(one.source for one in whole_file)
    comments, invalid = fragment_comments(source_lines, sources, used)
    if "/" not in folders:
        invalid += _ignores_of_file(source_lines, sources)
    says_something = any(group.rules or group.fields for group in reading.groups)
    if not (says_something or reading.whole_file or reading.strays or problems):
        invalid.append((0, f"{shown}: no rule and no field in it; write one, or remove the file"))
    unclear: list[str] = []
    hosts = tuple(hosts_in(source_lines, sources, unclear))
    invalid += [(0, problem) for problem in unclear]
    problems = sorted((*problems, *reader.problems, *invalid), key=lambda problem: problem[0])
    return Fragment(
        is_site_wide="/" in folders,
        hosts=hosts,
        groups=tuple(found),
        whole_file=tuple(whole_file),
        comments=comments,
        notes=tuple(reader.notes),
        problems=tuple(text for _, text in problems),
    )


def _ignores_of_file(lines: Sequence[Line], sources: Sequence[str]) -> list[tuple[int, str]]:
    """Return a problem for each comment that would hide findings in the lines of other owners."""
    message = "`comity: ignore-file` concerns the whole site; write `comity: ignore` at the line"
    return [
        (one.comment.number, f"{sources[one.comment.number - 1]}: {message}")
        for one in ignores_of(lines)
        if one.line == 0
    ]


def _default_folders(name: str) -> tuple[str, ...]:
    """Return the folder that has the name of a fragment, and the home page of the user with this name."""
    stem = name.removesuffix(".txt")
    return ("/",) if name == SITE else (f"/{stem}/", f"/~{stem}/")


class _FragmentReader:
    """Reads the records of one fragment, and reports those that its owner may not write."""

    def __init__(
        self, name: str, folders: Sequence[str], sources: Sequence[str], reported: Container[int]
    ) -> None:
        self._name = name
        self._folders = folders
        self._sources = sources
        self._reported = reported  # lines that have a diagnostic already
        self.problems: list[tuple[int, str]] = []
        self.notes: list[Note] = []

    def groups(self, group: RawGroup) -> Iterator[FragmentGroup]:
        """Yield the group with its rules, and one for each field, which may apply to some of its robots."""
        agents = tuple(SourceText(to_text(value), self._source(line)) for line, _, value in group.agents)
        rules = [one for line, kind, value in group.rules for one in self.directives(kind, value, line)]
        for line, kind, value in group.rules:
            if not value and (kind == "allow" or len(group.rules) > 1):
                source = self._source(line)
                message = f"{source}: `{kind.capitalize()}:` has no path, so it has no effect and is left out"
                self.notes.append(Note("rule-without-path", message, (source,)))
        yield FragmentGroup(agents, tuple(rules))
        for (line, field, value), first, end in group.fields:
            some = agents if field == LICENSE else agents[first:end]
            yield FragmentGroup(some, tuple(self.directives(field, value, line)))

    def directives(self, field: str, value: bytes, line: int) -> Iterator[Directive]:
        """Yield the directives of a line; a rule without a path has no effect and yields none."""
        source = self._source(line)
        text = to_text(value).replace("\t", " ")
        try:
            if field in ("allow", "disallow"):
                found = [rule_directive(field == "allow", text, source)] if value else []
            elif field.startswith("acap-"):
                raise ValueError("ACAP fields are not supported in fragments; remove the line")
            else:
                found = list(field_directives(field, text, source))
        except ValueError as error:
            if line not in self._reported:
                self.problems.append((line, f"{source}: {error}"))
            return
        try:
            for directive in found:
                self._check_owner(directive, f"{field.capitalize()}: {printable(text)}")
        except ValueError as error:
            self.problems.append((line, f"{source}: {error}"))
        else:
            yield from found

    def _source(self, line: int) -> str:
        return self._sources[line - 1]

    def _check_owner(self, directive: Directive, shown: str) -> None:
        """Raise `ValueError` for a directive that reaches outside of the fragment's folders."""
        if "/" in self._folders or directive.field == "sitemap":
            return
        folders = " and ".join(self._folders)
        name = printable(self._name)
        hint = f"{name} may only have rules for {folders}; `owners` in the plan can name other folders"
        if directive.field == "clean-param":
            path = directive.value.partition(" ")[2].strip()
        elif directive.field in _PATH_FIELDS:
            path = directive.key
        else:
            raise ValueError(f"`{shown}` concerns the whole site; {hint}")
        if not path.startswith(tuple(normalized_pattern(folder) for folder in self._folders)):
            raise ValueError(f"`{shown}` reaches outside of its folders; {hint}")
