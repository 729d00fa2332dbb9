"""Wrong uses of a verdict."""

import comity

robots = comity.parse("User-agent: *")
verdict = robots.check("/", agent="A")
pattern: str = verdict.rule.pattern  # error
verdict.allowed = True  # error
verdict.explain(1)  # error
print(verdict.lines)  # error
line: int = verdict.line  # error
same: bool = verdict.reason.code == comity.Reason.LONGST_MATCH.code  # error
