"""A body -> findings: runs the rules, drops the findings that comments ignore, and limits the list."""

from collections.abc import Iterable, Mapping
from functools import cache

from ...protocol.robotstxt.document import RobotsTxt, body_of
from .finding import Finding
from .problem import Problem
from .rule import Rule
from .rules import RULES
from .settings import Settings
from .subject import Subject

#: Maximum number of findings listed for each rule; the last one has the number of the others.
_LIMIT = 100


def lint(
    body: bytes | str | RobotsTxt, *, settings: Settings | None = None, url: str | None = None
) -> tuple[Finding, ...]:
    r"""Return the mistakes in a robots.txt: lines without effect, and lines that probably do something else.

    `body` is as for `parse`; of a parsed file, the body counts and the dialect does not. `settings` are the
    `comity.site.Settings` that select the rules; without them the default rules run. `url` is the URL of the
    file, for rules that check whether another URL is on the same site. Findings are in order of
    lines. At most 100 findings of each rule are listed; `more` of the last is the number of the others.
    Content never raises.

    >>> import comity
    >>> for finding in comity.lint("User-agent: *\nCrawl-delay: 5\n\nUser-agent: ExampleBot\nDisallow: /a"):
    ...     print(finding.line, finding.code, finding.name)
    4 C204 fused-groups
    >>> from comity.site import Settings
    >>> comity.lint("User-agent: *\nDisallow: private", settings=Settings(ignore="path-without-slash"))
    ()
    """
    if url is not None and not isinstance(url, str):
        raise TypeError(f"url: expected a str or None, not {type(url).__name__}")
    subject = Subject(body_of(body), url)
    return tuple(findings(subject, (settings or _default_settings()).rules))


def findings(subject: Subject, rules: Iterable[Rule], limit: int | None = _LIMIT) -> list[Finding]:
    """Return the findings of some rules in order of lines, at most `limit` of each rule."""
    found: list[Finding] = []
    rules = tuple(rules)
    for whole in ("utf-16", "web-page", "binary-file"):  # in such a file nothing else is worth reporting
        if any(subject.diagnosed(whole)):
            rules = tuple(rule for rule in rules if rule.name == whole)
    subject.selected = frozenset(rule.code for rule in rules)
    subject.codes_by_word = _codes_by_word()
    for rule in rules:
        words = rule.words
        problems = [problem for problem in rule.check(subject) if not subject.ignored(words, problem.line)]
        if not problems:
            continue
        problems.sort(key=lambda problem: (problem.line, problem.start))
        listed = problems[:limit]
        found += [_finding(subject, rule, problem) for problem in listed]
        if len(listed) < len(problems):
            found[-1] = found[-1].replace(more=len(problems) - len(listed))
    return sorted(found, key=lambda finding: (finding.line, finding.column, finding.code))


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


def _finding(subject: Subject, rule: Rule, problem: Problem) -> Finding:
    begin = subject.lines[problem.line - 1].start if subject.lines else 0
    return Finding(
        code=rule.code,
        name=rule.name,
        severity=rule.severity,
        message=problem.message,
        line=problem.line,
        column=problem.start + 1,
        end_column=max(problem.end, problem.start) + 1,
        start=begin + problem.start,
        end=begin + max(problem.end, problem.start),
        fix=problem.fix,
        more=0,
    )
