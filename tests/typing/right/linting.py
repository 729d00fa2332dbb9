"""A robots.txt that is checked in a test of the site."""

import comity
from comity.site import Finding, Fix, Settings

BODY = b"User-agent: *\nDisalow: /cart\nCrawl-delay: soon\n"


def problems(body: bytes, settings: Settings | None = None) -> list[str]:
    findings: tuple[Finding, ...] = comity.lint(body, settings=settings, url="https://example.com/robots.txt")
    return [f"{finding.line}: {finding.severity} {finding.code} {finding.message}" for finding in findings]


assert len(problems(BODY)) >= 2
assert problems(BODY, Settings(select=["C999"][:0], ignore="ALL")) == []
strict = Settings(select="ALL", ignore=("C1", "C5"), severity={"misspelt-field": "error"})
assert problems(BODY, strict)
fixes: list[Fix] = [finding.fix for finding in comity.lint(BODY) if finding.fix is not None]
assert all(edit.start <= edit.end for fix in fixes for edit in fix.edits)
