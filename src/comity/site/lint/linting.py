"""A body -> findings: asks each rule, leaves out what comments say, and bounds what is listed."""

from collections.abc import Iterable

from ...protocol.robotstxt.diagnostics import is_utf16
from ...protocol.robotstxt.lexer import octets
from .finding import Finding
from .remark import Remark
from .rule import Rule
from .settings import Settings
from .subject import Subject

__all__ = ["findings", "lint"]

#: So many findings of one rule are listed; the last says how many more there are.
_LISTED = 100


def lint(
    body: bytes | str, *, settings: Settings | None = None, url: str | None = None
) -> tuple[Finding, ...]:
    r"""Tell what in a robots.txt does not do what it says, or probably not what was meant.

    `body` is as for `parse`. `settings` say which rules are asked; without them, those that are by default.
    `url` is where the file stands, for the rules that ask whether an address is of the same site. Findings
    come in order of lines; of each rule the first hundred are listed, and the last of them says in `more` how
    many follow. What a file says never raises.

    >>> import comity
    >>> for finding in comity.lint("User-agent: *\nCrawl-delay: 5\n\nUser-agent: ExampleBot\nDisallow: /a"):
    ...     print(finding.line, finding.code, finding.name)
    4 C204 fused-groups
    """
    subject = Subject(octets(body), url)
    return tuple(findings(subject, (settings or Settings()).rules))


def findings(subject: Subject, rules: Iterable[Rule], listed: int | None = _LISTED) -> list[Finding]:
    """Give the findings of some rules, in order of lines; `listed` of each rule at most."""
    found: list[Finding] = []
    rules = tuple(rules)
    if is_utf16(subject.body):
        rules = tuple(rule for rule in rules if rule.name == "utf-16")  # its octets are no lines
    elif subject.is_page:
        rules = tuple(rule for rule in rules if rule.name == "web-page")  # nothing else is worth saying
    subject.asked = frozenset(rule.code for rule in rules)
    for rule in rules:
        words = rule.words
        remarks = [remark for remark in rule.check(subject) if not subject.ignored(words, remark.line)]
        remarks.sort(key=_place)
        shown = remarks[:listed]
        found += [_finding(subject, rule, remark) for remark in shown]
        if len(shown) < len(remarks):
            found[-1] = found[-1].replace(more=len(remarks) - len(shown))
    return sorted(found, key=lambda finding: (finding.line, finding.column, finding.code))


def _place(remark: Remark) -> tuple[int, int]:
    return remark.line, remark.start


def _finding(subject: Subject, rule: Rule, remark: Remark) -> Finding:
    begin = subject.lines[remark.line - 1].start if subject.lines else 0
    return Finding(
        code=rule.code,
        name=rule.name,
        severity=rule.severity,
        message=remark.message,
        line=remark.line,
        column=remark.start + 1,
        end_column=max(remark.end, remark.start) + 1,
        start=begin + remark.start,
        end=begin + max(remark.end, remark.start),
        fix=remark.fix,
        more=0,
    )
