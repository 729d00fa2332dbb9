"""A body -> findings: runs the rules, drops the findings that comments ignore, and limits the list."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache

from ...protocol.robotstxt.diagnostics.diagnostic import listed
from ...protocol.robotstxt.document import RobotsTxt, body_of
from ...protocol.robotstxt.engine.lexer import Line
from .all_rules import RULES
from .baseline import Baseline, KnownFindings, baseline_with
from .finding import Finding, Findings
from .lint_settings import Settings
from .renaming import Renaming
from .rules.problem import Fix, Problem
from .rules.rule import LintRule, Once
from .rules.subject import Subject

#: Maximum number of findings listed for each rule; the last one has the number of the others.
_LIMIT = 100


def lint(
    robots: bytes | str | RobotsTxt,
    *,
    settings: Settings | None = None,
    url: str | None = None,
    baseline: Baseline | None = None,
) -> Findings:
    r"""Return the mistakes in a robots.txt: lines without effect, and lines that probably do something else.

    `robots` is as for `parse`; of a parsed file, the bytes count and the dialect does not. `settings` are the
    `comity.site.Settings` that select the rules; without them the default rules run. `url` is the URL of the
    file, for rules that check whether another URL is on the same site. The result is a tuple in order of
    lines, whose `str` is the text that `comity lint` prints. At most 100 findings of each rule are listed;
    `more` of the last is the number of the others. Findings of the `baseline`, which
    `comity.site.baseline_of` returns, are left out. Content never raises.

    >>> import comity
    >>> for finding in comity.lint("User-agent: *\nCrawl-delay: 5\n\nUser-agent: ExampleBot\nDisallow: /a"):
    ...     print(finding.line, finding.code, finding.name)
    4 C204 fused-groups
    >>> from comity.site import Settings
    >>> comity.lint("User-agent: *\nDisallow: private", settings=Settings(ignore="path-without-slash"))
    <Findings: no findings>
    """
    if url is not None and not isinstance(url, str):
        raise TypeError(f"url: expected a str or None, not {type(url).__name__}")
    subject = Subject(body_of(robots), url)
    found = findings(subject, (settings or _default_settings()).rules, baseline=baseline)
    return Findings(found, subject.body, baseline is not None)


def baseline_of(
    robots: bytes | str | RobotsTxt, *, settings: Settings | None = None, url: str | None = None
) -> Baseline:
    r"""Return the findings in a robots.txt as a baseline, so that `lint` reports only other ones later.

    `robots`, `settings` and `url` are those of `lint`. The findings of a line stay known if the line moves,
    but not if it changes. A further line with the same text is a new finding.

    >>> import comity
    >>> old = b"User-agent: *\nDisallow: private"
    >>> new = b"User-agent: *\nDisallow: /a\n\nDisallow: private\nDisallow: other"
    >>> [(finding.line, finding.code) for finding in comity.lint(new, baseline=baseline_of(old))]
    [(5, 'C301')]
    """
    subject = Subject(body_of(robots), url)
    known = KnownFindings()
    return baseline_with(
        key
        for rule, problems in _problems(subject, (settings or _default_settings()).rules)
        for problem in problems
        for key in known.keys(rule.code, _lines_of(subject, problem))
    )


def findings(
    subject: Subject, rules: Iterable[LintRule], limit: int | None = _LIMIT, baseline: Baseline | None = None
) -> list[Finding]:
    """Return the findings of some rules in order of lines, at most `limit` of each rule.

    Without a limit, each problem is a finding of its own, so that each fix can be applied or not.
    """
    found: list[Finding] = []
    known = KnownFindings(baseline)
    renaming = Renaming(subject)
    for rule, problems in _problems(subject, rules):
        if known:
            problems = [it for it in problems if not known.take(rule.code, _lines_of(subject, it))]
        if rule.once and limit is not None:
            problems = _grouped(rule.once, map(renaming.checked, problems))
            listed = problems[:limit]
        else:
            listed = [renaming.checked(problem) for problem in problems[:limit]]
        found += [_finding(subject, rule, problem) for problem in listed]
        if len(listed) < len(problems):
            found[-1] = found[-1].replace(more=len(problems) - len(listed))
    return sorted(found, key=lambda finding: (finding.line, finding.start, finding.code))


def _problems(subject: Subject, rules: Iterable[LintRule]) -> Iterator[tuple[LintRule, list[Problem]]]:
    """Yield each rule that reports something, with its problems in order of lines."""
    rules = tuple(rules)
    for whole in ("utf-16", "web-page", "binary-file"):  # in such a file nothing else is worth reporting
        if any(subject.diagnosed(whole)):
            rules = tuple(rule for rule in rules if rule.name == whole)
    subject.selected = frozenset(rule.code for rule in rules)
    subject.codes_by_word = _codes_by_word()
    for rule in rules:
        words = rule.words
        problems = [problem for problem in rule.check(subject) if not subject.ignored(words, problem.line)]
        if problems:
            yield rule, sorted(problems, key=lambda problem: (problem.line, problem.start))


def _lines_of(subject: Subject, problem: Problem) -> list[Line]:
    """Return the lines of a problem; an empty file has none."""
    return [subject.lines[line - 1] for line in (problem.line, *problem.also)] if subject.lines else []


def _grouped(once: Once, problems: Iterable[Problem]) -> list[Problem]:
    """Return one problem for all of a rule, or for those with the same message."""
    groups: dict[str, list[Problem]] = {}
    for problem in problems:
        groups.setdefault(problem.message if once == "message" else "", []).append(problem)
    return [_together(group) for group in groups.values()]


def _together(problems: Sequence[Problem]) -> Problem:
    """Return the first problem, with the lines of the others in its message, and all fixes in its fix."""
    first = problems[0]
    also = tuple(sorted({problem.line for problem in problems} - {first.line}))
    if not also:
        return first
    lines = f"line{'s' * (len(also) > 1)} {listed([f'{line}' for line in also], 5)}"
    fixes = [problem.fix for problem in problems if problem.fix is not None]
    edits = tuple(edit for fix in fixes for edit in fix.edits)
    fix = Fix(edits, all(it.safe for it in fixes)) if fixes else None
    return first.replace(message=f"{first.message} (also in {lines})", also=also, fix=fix)


@cache
def _default_settings() -> Settings:
    return Settings()


@cache
def _codes_by_word() -> Mapping[str, frozenset[str]]:
    """Return the codes of the rules that each word selects."""
    codes: dict[str, set[str]] = {}
    for rule in RULES:
        for word in rule.words:
            codes.setdefault(word, set()).add(rule.code)
    return {word: frozenset(found) for word, found in codes.items()}


def _finding(subject: Subject, rule: LintRule, problem: Problem) -> Finding:
    begin = subject.lines[problem.line - 1].start if subject.lines else 0
    end = max(problem.end, problem.start)
    return Finding(
        code=rule.code,
        name=rule.name,
        severity=(not rule.configured and problem.severity) or rule.severity,
        message=problem.message,
        line=problem.line,
        column=subject.column(problem.line, problem.start),
        end_column=subject.column(problem.line, end),
        start=begin + problem.start,
        end=begin + end,
        fix=problem.fix,
        more=0,
        also=problem.also,
    )
